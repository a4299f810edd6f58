package har

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Bounds of what is read from an archive.
const (
	maxArchive = 1 << 30
	maxEntries = 200_000
	// maxCalls is what one visit is judged by; the oldest go first, as from the
	// buffer in a page, and are counted.
	maxCalls   = 20_000
	maxSources = 64 << 20 // of all scripts and maps together
)

// Recording is what an archive says about fetch and XHR calls.
type Recording struct {
	Visits []Visit
	// Entries is how many the archive has, calls or not.
	Entries int
	// Skipped entries could not be understood; Why is what is wrong with the
	// first of them.
	Skipped int
	Why     string

	sources map[string]source
	kept    int // bytes of sources
}

// Visit is one page of an archive and the calls it made, in order.
type Visit struct {
	URL     string
	Started time.Time
	Calls   []Call
	// Dropped counts older calls beyond the bound.
	Dropped int

	ref string
}

// Read takes an archive apart. It accepts what browsers and proxies write,
// which is HAR 1.2 with fields of their own, fields left out and nulls; also
// compressed with gzip. An archive without calls is no error, one in which
// nothing can be understood is.
func Read(r io.Reader) (*Recording, error) {
	rec := &Recording{sources: map[string]source{}}
	a := &assembly{rec: rec, byRef: map[string]int{}}
	body, err := open(r)
	if err == nil {
		err = a.read(body)
	}
	if err != nil {
		return nil, fmt.Errorf("read HAR: %w", err)
	}
	a.finish()
	if rec.Skipped > 0 && rec.Skipped == rec.Entries {
		return nil, fmt.Errorf("read HAR: none of its %d entries can be understood: %s", rec.Entries, rec.Why)
	}
	return rec, nil
}

// open looks past compression and a byte order mark.
func open(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 64<<10)
	if head, err := b.Peek(2); err == nil && head[0] == 0x1f && head[1] == 0x8b {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("not a gzip file after all: %w", err)
		}
		b = bufio.NewReaderSize(z, 64<<10)
	}
	if head, err := b.Peek(3); err == nil && bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		if _, err := b.Discard(3); err != nil {
			return nil, err
		}
	}
	if _, err := b.Peek(1); errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty")
	}
	return &limited{r: b, left: maxArchive}, nil
}

// limited fails where io.LimitReader would make a broken file of a long one.
type limited struct {
	r    io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("more than %d MB", maxArchive>>20)
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// assembly puts entries into visits while the file streams by.
type assembly struct {
	rec     *Recording
	pages   []wirePage
	entries []taken
	byRef   map[string]int
	seen    struct{ log, entries bool }
}

// taken is an entry that was understood.
type taken struct {
	ref      string
	at       time.Time
	document bool
	url      string
	call     *Call // nil when it is none
	redirect string
}

func (a *assembly) read(r io.Reader) error {
	d := json.NewDecoder(r)
	err := eachField(d, "the file", func(name string) error {
		if name != "log" || a.seen.log {
			return skip(d)
		}
		a.seen.log = true
		return eachField(d, "log", func(name string) error { return a.field(d, name) })
	})
	switch {
	case err != nil:
		return err
	case !a.seen.log:
		return errors.New(`no "log" at the top: this is JSON, but no HTTP Archive`)
	case !a.seen.entries:
		return errors.New(`no "entries" in "log"`)
	}
	return nil
}

func (a *assembly) field(d *json.Decoder, name string) error {
	switch name {
	case "pages":
		return eachItem(d, "log.pages", func(int) error {
			var p wirePage
			if err := decode(d, &p); err != nil {
				return err
			}
			if _, ok := p.Started.time(); ok && len(a.pages) < maxEntries {
				a.pages = append(a.pages, p)
			}
			return nil
		})
	case "entries":
		a.seen.entries = true
		return eachItem(d, "log.entries", func(i int) error {
			if i >= maxEntries {
				return fmt.Errorf("more than %d entries", maxEntries)
			}
			var e wireEntry
			if err := decode(d, &e); err != nil {
				return err
			}
			a.take(i, &e)
			return nil
		})
	}
	return skip(d)
}

func (a *assembly) take(i int, e *wireEntry) {
	a.rec.Entries++
	at, ok := e.Started.time()
	if why := e.broken(ok); why != "" {
		a.rec.Skipped++
		if a.rec.Why == "" {
			a.rec.Why = fmt.Sprintf("entry %d: %s", i+1, why)
		}
		return
	}
	a.rec.keepSource(e)
	t := taken{ref: e.PageRef, at: at, url: e.Request.URL, document: e.isDocument()}
	if kind := e.kind(); kind != "" {
		c := e.call(kind, at)
		t.call = &c
		if e.Response.Status/100 == 3 {
			t.redirect = e.redirect()
		}
	}
	a.entries = append(a.entries, t)
}

// finish sorts what was read into visits.
func (a *assembly) finish() {
	slices.SortStableFunc(a.pages, func(x, y wirePage) int { return x.at().Compare(y.at()) })
	slices.SortStableFunc(a.entries, func(x, y taken) int { return x.at.Compare(y.at) })
	for _, p := range a.pages {
		if _, twice := a.byRef[p.ID]; !twice {
			a.visit(p.ID, p.at()).URL = pageAddress(p.Title)
		}
	}
	for i := range a.entries {
		e := &a.entries[i]
		if e.ref == "" {
			e.ref = a.pageAt(e.at)
		}
		v := a.visit(e.ref, e.at)
		if v.URL == "" && e.document {
			v.URL = e.url
		}
	}
	a.calls()
	for i := range a.rec.Visits {
		a.rec.Visits[i].settle()
	}
}

// calls adds each call to its visit. A redirect is one call to the page,
// however many exchanges it took.
func (a *assembly) calls() {
	type hop struct{ ref, url string }
	type place struct{ visit, call int }
	awaited := map[hop]place{}
	for _, e := range a.entries {
		if e.call == nil {
			continue
		}
		vi := a.byRef[e.ref]
		v := &a.rec.Visits[vi]
		c := *e.call
		c.Start = float64(e.at.Sub(v.Started).Microseconds()) / 1000
		c.End += c.Start
		at, hops := awaited[hop{e.ref, e.url}]
		if hops {
			delete(awaited, hop{e.ref, e.url})
			first := &v.Calls[at.call]
			if gap := c.Start - first.End; gap > -10 && gap < 1000 {
				first.End, first.Done, first.Status, first.Error, first.Aborted = c.End, c.Done, c.Status, c.Error, c.Aborted
			} else {
				hops = false
			}
		}
		if !hops {
			v.Calls = append(v.Calls, c)
			at = place{vi, len(v.Calls) - 1}
		}
		if e.redirect != "" {
			awaited[hop{e.ref, e.redirect}] = at
		}
	}
}

func (a *assembly) visit(ref string, started time.Time) *Visit {
	i, ok := a.byRef[ref]
	if !ok {
		i = len(a.rec.Visits)
		a.byRef[ref] = i
		a.rec.Visits = append(a.rec.Visits, Visit{Started: started, ref: ref})
	}
	return &a.rec.Visits[i]
}

// pageAt is the page that was there at a time, for entries that do not say.
func (a *assembly) pageAt(at time.Time) string {
	i, found := slices.BinarySearchFunc(a.pages, at, func(p wirePage, t time.Time) int { return p.at().Compare(t) })
	switch {
	case len(a.pages) == 0:
		return ""
	case found:
		return a.pages[i].ID
	}
	return a.pages[max(i-1, 0)].ID
}

func (v *Visit) settle() {
	if over := len(v.Calls) - maxCalls; over > 0 {
		v.Dropped = over
		v.Calls = slices.Delete(v.Calls, 0, over)
	}
	for i := range v.Calls {
		v.Calls[i].ID = fmt.Sprintf("c%d", v.Dropped+i+1)
	}
	if v.URL == "" && len(v.Calls) > 0 {
		if u, err := url.Parse(v.Calls[0].URL); err == nil {
			v.URL = u.Scheme + "://" + u.Host + "/"
		}
	}
}

// pageAddress is the page's title where that is its address, as browsers
// write it.
func pageAddress(title string) string {
	if strings.HasPrefix(title, "http://") || strings.HasPrefix(title, "https://") {
		if u, err := url.Parse(title); err == nil && u.Host != "" {
			return title
		}
	}
	return ""
}

// wirePage and wireEntry are the parts of an archive that are looked at.
type wirePage struct {
	Started stamp  `json:"startedDateTime"`
	ID      string `json:"id"`
	Title   string `json:"title"`
}

func (p wirePage) at() time.Time {
	t, _ := p.Started.time()
	return t
}

// stamp is a time as the archive has it.
type stamp string

func (s stamp) time() (time.Time, bool) {
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999"} {
		if t, err := time.Parse(form, string(s)); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
