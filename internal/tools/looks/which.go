package looks

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"oriel/internal/engine"
	"oriel/internal/page"
	"oriel/internal/quote"
	"oriel/internal/snapshot"
	"oriel/internal/tools/hands"
	"oriel/internal/tools/words"
)

// where is a page: what it is kept under, and where it is now.
type where struct{ key, address string }

// pagesOf splits a list of pages. Addresses may hold commas, so only one before
// another address or path divides.
func pagesOf(text string) []string {
	for _, begin := range []string{"/", "http://", "https://"} {
		text = strings.ReplaceAll(text, ","+begin, " "+begin)
	}
	var list []string
	for _, part := range strings.Fields(text) {
		part = strings.Trim(part, ",")
		if part != "" && !slices.Contains(list, part) {
			list = append(list, part)
		}
	}
	return list
}

// resolve finds a page: an address, a path on the only proxy, or id:/path on
// one of several. A page of the project is kept without host and port, which
// are others on the next machine.
func resolve(s Session, text string) (where, error) {
	id, path, named := strings.Cut(text, ":/")
	if named && !strings.HasPrefix(path, "/") {
		p, err := s.Proxy(id)
		if err != nil {
			return where{}, fmt.Errorf("page %s: %w", quote.Text(text, 100), err)
		}
		address, _, _, err := hands.Way(s, "/"+path, p.Spec.ID)
		return where{text, address}, err
	}
	address, p, _, err := hands.Way(s, text, "")
	if err != nil {
		return where{}, fmt.Errorf("page %s: %w", quote.Text(text, 100), err)
	}
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return where{}, fmt.Errorf("page: expected a path or an http address, got %s", quote.Quoted(text, 100))
	}
	u, err := url.Parse(address)
	if err != nil {
		return where{}, fmt.Errorf("page %s: %w", quote.Text(text, 100), err)
	}
	u.Fragment = ""
	key := u.String()
	if p != nil {
		key = u.RequestURI()
		if len(s.Proxies()) > 1 {
			key = p.Spec.ID + ":" + key
		}
	}
	return where{key, address}, nil
}

// current is the page that was looked at last.
func current(s Session) (where, error) {
	type seen struct {
		proxy *engine.Proxy
		info  page.Info
	}
	var all []seen
	for _, p := range s.Proxies() {
		if pg, err := p.Hub.Pick(""); err == nil {
			all = append(all, seen{p, pg.Info()})
		}
	}
	if len(all) == 0 {
		if len(s.Proxies()) == 1 {
			return resolve(s, "/")
		}
		return where{}, errors.New("page required for baseline, since none is open: a path such as / on a proxy, or an address")
	}
	last := slices.MaxFunc(all, func(a, b seen) int { return a.info.LastFocus.Compare(b.info.LastFocus) })
	if strings.Contains(last.info.URL, "redacted") {
		return where{}, fmt.Errorf("page required for baseline: the address of the current one holds a secret that is not kept (%s)", quote.Text(last.info.URL, 120))
	}
	return resolve(s, last.info.URL)
}

// plan is what a baseline takes: what is asked for, else what it has already,
// else the current page in the default viewport.
func plan(s Session, in snapshotWhich, known []snapshot.Shot) ([]snapshot.Job, error) {
	views, err := snapshot.ParseViewports(in.Viewports)
	if err != nil {
		return nil, err
	}
	if len(views) == 0 {
		views = viewsOf(known)
	}
	var pages []where
	for _, text := range pagesOf(in.Page) {
		w, err := resolve(s, text)
		if err != nil {
			return nil, err
		}
		pages = append(pages, w)
	}
	if len(pages) == 0 {
		for _, shot := range known {
			if slices.ContainsFunc(pages, func(w where) bool { return w.key == shot.Page }) {
				continue
			}
			w, err := resolve(s, shot.Page)
			if err != nil {
				return nil, err
			}
			w.key = shot.Page
			pages = append(pages, w)
		}
	}
	if len(pages) == 0 {
		w, err := current(s)
		if err != nil {
			return nil, err
		}
		pages = append(pages, w)
	}
	var jobs []snapshot.Job
	for _, w := range pages {
		for _, v := range views {
			jobs = append(jobs, snapshot.Job{Page: w.key, Address: w.address, Viewport: v})
		}
	}
	if len(jobs) > mostShots {
		return nil, fmt.Errorf("%d pages in %d viewports are %d pictures, at most %d at once: use several calls", len(pages), len(views), len(jobs), mostShots)
	}
	return jobs, nil
}

// viewsOf are the viewports that pictures were taken in.
func viewsOf(known []snapshot.Shot) []snapshot.Viewport {
	texts := []string{}
	for _, shot := range known {
		texts = append(texts, shot.Viewport)
	}
	views, err := snapshot.ParseViewports(strings.Join(texts, ","))
	if err != nil || len(views) == 0 {
		views, _ = snapshot.ParseViewports(snapshot.DefaultViewport) // it is right
	}
	return views
}

// choose picks among the pictures there are.
func choose(s Session, in snapshotWhich, known []snapshot.Shot) ([]snapshot.Shot, error) {
	views, err := snapshot.ParseViewports(in.Viewports)
	if err != nil {
		return nil, err
	}
	pages := pagesOf(in.Page)
	wanted := func(shot snapshot.Shot) bool {
		if len(views) > 0 && !slices.ContainsFunc(views, func(v snapshot.Viewport) bool { return v.Text == shot.Viewport }) {
			return false
		}
		return len(pages) == 0 || slices.ContainsFunc(pages, func(text string) bool {
			if text == shot.Page {
				return true
			}
			w, err := resolve(s, text)
			return err == nil && w.key == shot.Page
		})
	}
	var list []snapshot.Shot
	var have []string
	for _, shot := range known {
		have = append(have, quote.Text(shot.Page, 60)+" "+shot.Viewport)
		if wanted(shot) {
			list = append(list, shot)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("the snapshot has no such page and viewport (it has: %s)", words.Clip(strings.Join(have, ", "), 400))
	}
	if len(list) > mostShots {
		return nil, fmt.Errorf("%d pictures, at most %d at once: choose with page or viewports", len(list), mostShots)
	}
	return list, nil
}
