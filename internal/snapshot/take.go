package snapshot

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"sync"

	"oriel/internal/browser"
	"oriel/internal/snapshot/pixels"
	"oriel/internal/snapshot/still"
)

// Camera takes the picture of a page.
type Camera func(ctx context.Context, address string, look browser.Look, ignore []string) (*still.Picture, error)

// Job is one page to look at.
type Job struct {
	Page     string // what the page is kept under
	Address  string // where it is now
	Viewport Viewport
}

// State is what became of a picture in a baseline.
type State string

// The states of a picture.
const (
	Fresh     State = "new"
	Replaced  State = "replaced"
	Unchanged State = "unchanged"
)

// Taken is one picture of a baseline.
type Taken struct {
	Shot
	State    State    `json:"state"`
	Bytes    int      `json:"bytes"`
	Unsteady []string `json:"unsteady"` // why it may look different the next time; in part the page's words
	Doubts   []string `json:"doubts"`   // why it may not be the page that is meant; as above
	Missing  []string `json:"missing"`  // selectors to ignore that fitted nothing
}

// busy has a turn for each snapshot that was ever worked on, taken while it is.
var busy struct {
	sync.Mutex
	turns map[string]chan struct{}
}

// lock waits for a snapshot to be free; the result sets it free again.
func (s Store) lock(ctx context.Context, name string) (func(), error) {
	busy.Lock()
	if busy.turns == nil {
		busy.turns = map[string]chan struct{}{}
	}
	turn := busy.turns[s.Abs(name)]
	if turn == nil {
		turn = make(chan struct{}, 1)
		busy.turns[s.Abs(name)] = turn
	}
	busy.Unlock()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Settings are what holds for all pictures of a snapshot or of one comparison.
type Settings struct {
	Ignore    []string
	Threshold *float64 // nil: as it was, at first 0
	Inline    bool     // a comparison also makes the picture that travels in an answer; not kept
}

// Baseline takes the pictures that later ones are compared with. Those of the
// same page and viewport are replaced, others stay. When one page fails,
// nothing is written.
func (s Store) Baseline(ctx context.Context, take Camera, name string, jobs []Job, set Settings) ([]Taken, error) {
	free, err := s.lock(ctx, name)
	if err != nil {
		return nil, err
	}
	defer free()
	m, known := Meta{Ignore: []string{}, Shots: []Shot{}}, false
	old, err := s.Load(name)
	if _, none := errors.AsType[*NotFoundError](err); err != nil && !none {
		return nil, err
	}
	if err == nil {
		m, known = old, true
	}
	if set.Ignore != nil {
		known = known && slices.Equal(m.Ignore, set.Ignore)
		m.Ignore = set.Ignore
	}
	if set.Threshold != nil {
		m.Threshold = *set.Threshold
	}
	pictures := map[string][]byte{}
	var list []Taken
	for _, job := range jobs {
		t, p, err := s.one(ctx, take, job, m.Ignore)
		if err != nil {
			return nil, fmt.Errorf("%s at %s: %w", job.Page, job.Viewport.Text, err)
		}
		i := slices.IndexFunc(m.Shots, func(o Shot) bool { return o.Page == t.Page && o.Viewport == t.Viewport })
		var data []byte
		old := s.same(name, m.Shots, i, t.Shot, p)
		if !known || old == nil {
			t, p = s.agreed(ctx, take, job, m.Ignore, t, p)
			old = s.same(name, m.Shots, i, t.Shot, p)
		}
		switch {
		case known && old != nil:
			t.State, t.Shot, data = Unchanged, m.Shots[i], old // to the byte: rounding is no change to keep
		case i >= 0:
			t.State, m.Shots[i] = Replaced, t.Shot
		default:
			m.Shots = append(m.Shots, t.Shot)
		}
		if t.State != Unchanged {
			if data, err = p.PNG(); err != nil {
				return nil, err
			}
			pictures[t.File] = data
		}
		t.Bytes = len(data)
		list = append(list, t)
	}
	if err := s.Save(name, m, pictures); err != nil {
		return nil, err
	}
	return list, s.forget(name, list)
}

// forget drops the differences of pictures that were taken anew: they are of
// another past.
func (s Store) forget(name string, list []Taken) error {
	for _, t := range list {
		if err := s.SaveDiff(name, t.File, nil); err != nil {
			return err
		}
	}
	return nil
}

// agreed takes a picture again until two in a row look the same, at most twice:
// of a page with images, at two pixels per CSS pixel, about one picture in fifty
// was seen to differ though nothing in its layout did.
func (s Store) agreed(ctx context.Context, take Camera, job Job, ignore []string, t Taken, p *still.Picture) (Taken, *still.Picture) {
	for range 2 {
		again, q, err := s.one(ctx, take, job, ignore)
		if err != nil {
			break
		}
		a, err := p.Image()
		b, also := q.Image()
		if err != nil || also != nil {
			break
		}
		d, err := pixels.Compare(a, b, pixels.Ignored{Before: t.boxes(), After: again.boxes()})
		t, p = again, q
		if err == nil && d.Same() {
			break
		}
	}
	return t, p
}

// same is the kept picture i, when a comparison with it would pass, else nil.
func (s Store) same(name string, shots []Shot, i int, now Shot, p *still.Picture) []byte {
	if i < 0 || shots[i].File != now.File || shots[i].Scale != now.Scale || shots[i].Scheme != now.Scheme {
		return nil
	}
	data, err := s.Picture(name, shots[i])
	if err != nil || p.Is(data) {
		return data
	}
	before, err := still.Decode(data)
	if err != nil {
		return nil
	}
	img, err := p.Image()
	if err != nil {
		return nil
	}
	if d, err := pixels.Compare(before, img, pixels.Ignored{Before: shots[i].boxes(), After: now.boxes()}); err != nil || !d.Same() {
		return nil
	}
	return data
}

// one takes one picture. Its page is closed.
func (s Store) one(ctx context.Context, take Camera, job Job, ignore []string) (Taken, *still.Picture, error) {
	p, err := take(ctx, job.Address, job.Viewport.Look, ignore)
	if err != nil {
		return Taken{}, nil, err
	}
	defer p.Close(ctx)
	t := Taken{
		Shot: Shot{
			Page: job.Page, Viewport: job.Viewport.Text, Scale: job.Viewport.Look.Scale, Scheme: scheme(job.Viewport.Look),
			File: fileName(job.Page, job.Viewport.Text), Width: p.Size.X, Height: p.Size.Y, Covered: []string{},
		},
		State: Fresh, Unsteady: orEmpty(p.Unsteady), Doubts: orEmpty(p.Doubts), Missing: orEmpty(p.Missing),
	}
	for _, r := range p.Covered {
		t.Covered = append(t.Covered, fmt.Sprintf(boxForm, r.Min.X, r.Min.Y, r.Dx(), r.Dy()))
	}
	return t, p, nil
}

func scheme(l browser.Look) string {
	if l.ColorScheme == "dark" {
		return "dark"
	}
	return "light"
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// boxForm is how a box is kept: one line each, for those who read the changes.
const boxForm = "%d,%d %dx%d"

// boxes are what was painted over in a kept picture.
func (s Shot) boxes() []image.Rectangle {
	var list []image.Rectangle
	for _, c := range s.Covered {
		var x, y, w, h int
		if n, err := fmt.Sscanf(c, boxForm, &x, &y, &w, &h); err == nil && n == 4 {
			list = append(list, image.Rect(x, y, x+w, y+h))
		}
	}
	return list
}

// look is how the picture was taken.
func (s Shot) look() (browser.Look, error) {
	v, err := parseViewport(s.Viewport)
	if err != nil {
		return v.Look, err
	}
	v.Look.Scale, v.Look.ColorScheme = s.Scale, s.Scheme
	return v.Look, v.Look.Complete()
}
