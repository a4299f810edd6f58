package engine

import (
	"oriel/internal/gallery"
	"oriel/internal/journal"
	"oriel/internal/page"
)

// keeper stores the pictures that pages of a proxy make of themselves.
func (w *Workspace) keeper(proxy string) func(page.Info, page.Shot) (page.Kept, error) {
	return func(of page.Info, s page.Shot) (page.Kept, error) {
		e, _, err := w.Shots.Hang(proxy, of.ID, journal.Screenshot{Name: s.Name, Scale: s.Scale, Mode: gallery.Approximate}, s.Data)
		if err != nil {
			return page.Kept{}, err
		}
		return page.Kept{Seq: e.Seq, Path: e.Screenshot.Path}, nil
	}
}
