// Package pages is the tools that look at open pages: currentpage.
package pages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"oriel/internal/engine"
	"oriel/internal/journal"
	"oriel/internal/page"
	"oriel/internal/quote"
	"oriel/internal/tool"
	"oriel/internal/tools/session"
	"oriel/internal/tools/words"
)

// Session is what the handlers here work on.
type Session = session.Session

// Currentpage is the tool.
var Currentpage = tool.Group("currentpage", tool.Doc{
	Title: "Track active browser sessions and page state",
	Text:  "Open pages: URL, load times, Web Vitals, visits, last errors, calls, user actions. page_id: default last focused.",
	Hints: tool.Hints{},
},
	tool.Do("list", currentList),
	tool.Do("get", currentGet),
	tool.Do("screenshot", screenshot),
	tool.Do("clear", currentClear),
)

type currentIn struct {
	ProxyID string `json:"proxy_id" alias:"id"`
}

type currentGetIn struct {
	currentIn
	PageID string `json:"page_id"`
}

// state is one page. URL and title are its own words.
type state struct {
	ID        string        `json:"id"`
	Proxy     string        `json:"proxy"`
	Parent    string        `json:"parent,omitempty"`
	URL       string        `json:"url"`
	Title     string        `json:"title"`
	Viewport  page.Viewport `json:"viewport"`
	Visible   bool          `json:"visible"`
	Focused   bool          `json:"focused"`
	Loaded    bool          `json:"loaded"`
	Opened    time.Time     `json:"opened"`
	UserAgent string        `json:"userAgent"`

	focus time.Time // when it last had the focus
}

func stateOf(p *engine.Proxy, i page.Info) state {
	return state{
		ID: i.ID, Proxy: p.Spec.ID, Parent: i.ParentID, URL: i.URL, Title: i.Title, Viewport: i.Viewport,
		Visible: i.Visible, Focused: i.Focused, Loaded: i.Loaded, Opened: i.Opened, UserAgent: i.UserAgent, focus: i.LastFocus,
	}
}

func (s state) line() string {
	text := fmt.Sprintf("%s on proxy %s: %s %s, %d×%d", s.ID, s.Proxy, quote.Text(s.URL, 160), quote.Quoted(s.Title, 80), s.Viewport.Width, s.Viewport.Height)
	for _, note := range []struct {
		when bool
		say  string
	}{
		{s.Parent != "", "a frame of " + s.Parent},
		{s.Focused, "focused"},
		{!s.Visible, "hidden"},
		{!s.Loaded, "still loading"},
	} {
		if note.when {
			text += ", " + note.say
		}
	}
	return text
}

type currentListOut struct {
	Pages []state `json:"pages"`
	hint  string
}

const maxPages = 15

func (o currentListOut) Text() string {
	if len(o.Pages) == 0 {
		return o.hint + "\n"
	}
	var b strings.Builder
	for i, p := range o.Pages {
		if i == maxPages {
			fmt.Fprintf(&b, "… and %d more (raw: true)\n", len(o.Pages)-i)
			break
		}
		fmt.Fprintln(&b, p.line())
	}
	return b.String()
}

func currentList(s Session, _ context.Context, in currentIn) (currentListOut, error) {
	proxies, err := wanted(s, in.ProxyID)
	if err != nil {
		return currentListOut{}, err
	}
	out := currentListOut{Pages: []state{}, hint: noPage(proxies)}
	for _, p := range proxies {
		for _, pg := range p.Hub.Pages() {
			out.Pages = append(out.Pages, stateOf(p, pg.Info()))
		}
	}
	oneFocus(out.Pages)
	return out, nil
}

// oneFocus leaves the focus to the page that got it last, and to the frames it
// is in: a driven browser tells each of its pages that it has it.
func oneFocus(pages []state) {
	var last time.Time
	for _, p := range pages {
		if p.Focused && p.focus.After(last) {
			last = p.focus
		}
	}
	for i := range pages {
		pages[i].Focused = pages[i].Focused && !pages[i].focus.Before(last)
	}
}

// wanted is the named proxy, or all of them.
func wanted(s Session, id string) ([]*engine.Proxy, error) {
	if id == "" {
		return s.Proxies(), nil
	}
	p, err := s.Proxy(id)
	if err == nil {
		return []*engine.Proxy{p}, nil
	}
	var known []string
	for _, p := range s.Proxies() {
		known = append(known, p.Spec.ID)
	}
	if len(known) == 0 {
		return nil, fmt.Errorf("%w (no proxy runs in this project)", err)
	}
	return nil, fmt.Errorf("%w (known: %s)", err, strings.Join(known, ", "))
}

func noPage(proxies []*engine.Proxy) string {
	if len(proxies) == 0 {
		return "no proxy runs in this project, so no page can be seen: proxy {\"action\":\"start\",\"id\":…,\"target_url\":…}"
	}
	var urls []string
	for _, p := range proxies {
		urls = append(urls, p.URL())
	}
	return "no page is open: open " + strings.Join(urls, " or ") + " in a browser, or let browser {\"action\":\"open\"} do it"
}

type currentClearOut struct {
	Cleared int `json:"cleared"`
}

func (o currentClearOut) Text() string {
	return fmt.Sprintf("%d facts about pages cleared; the call buffers of open pages are empty\n", o.Cleared)
}

// currentClear forgets what pages did, so that what comes next stands alone.
func currentClear(s Session, ctx context.Context, in currentIn) (currentClearOut, error) {
	proxies, err := wanted(s, in.ProxyID)
	if err != nil {
		return currentClearOut{}, err
	}
	n := s.Journal.Clear(in.ProxyID, journal.KindError, journal.KindConsole, journal.KindNavigation, journal.KindPerformance, journal.KindAction)
	for _, p := range proxies {
		for _, pg := range p.Hub.Pages() {
			if _, err := pg.Exec(ctx, "__devtool_api.clear()", page.ExecOptions{Timeout: time.Second}); err != nil && ctx.Err() != nil {
				return currentClearOut{}, ctx.Err()
			}
		}
	}
	return currentClearOut{n}, nil
}

func currentGet(s Session, ctx context.Context, in currentGetIn) (currentGetOut, error) {
	proxies, err := wanted(s, in.ProxyID)
	if err != nil {
		return currentGetOut{}, err
	}
	p, pg, err := pick(proxies, in.PageID)
	if err != nil {
		return currentGetOut{}, err
	}
	out := currentGetOut{state: stateOf(p, pg.Info()), Vitals: []vital{}, Frames: []string{}}
	for _, other := range p.Hub.Pages() {
		if other.Info().ParentID == pg.ID() {
			out.Frames = append(out.Frames, other.ID())
		}
	}
	entries := s.Journal.Select(journal.Query{Page: pg.ID()}).Entries
	out.read(entries)
	calls := out.ask(ctx, pg)
	if out.unasked == "" {
		out.measure(ctx, pg)
	}
	slices.SortStableFunc(out.Vitals, inOrder)
	out.Visits = visitsOf(entries, calls)
	acts := out.Actions
	if len(acts) == 0 {
		acts = leading(s, p, pg)
	}
	out.After = afterLast(acts, entries, calls, time.Now())
	return out, nil
}

// leading is what the user did on the page before this one, when that led here:
// a form that was sent, a link that was followed.
func leading(s Session, p *engine.Proxy, pg *page.Page) []journal.Entry {
	opened := pg.Info().Opened
	acts := s.Journal.Select(journal.Query{
		Kinds: []journal.Kind{journal.KindAction}, Proxy: p.Spec.ID, Since: opened.Add(-afterSpan), Until: opened, Limit: keptEach,
	}).Entries
	if len(acts) == 0 {
		return nil
	}
	former := acts[0].Page
	if now, err := p.Hub.Pick(former); err == nil && now.Info().Connected {
		return nil // that page is still open: it did not become this one
	}
	return slices.DeleteFunc(acts, func(e journal.Entry) bool { return e.Page != former })
}

// pick finds the page by id, or the one last focused on any of the proxies.
func pick(proxies []*engine.Proxy, id string) (*engine.Proxy, *page.Page, error) {
	type found struct {
		proxy *engine.Proxy
		page  *page.Page
	}
	var all []found
	for _, p := range proxies {
		pg, err := p.Hub.Pick(id)
		if err == nil {
			all = append(all, found{p, pg})
		} else if errors.Is(err, page.ErrAway) {
			return nil, nil, err
		}
	}
	switch {
	case len(all) == 0 && id != "":
		return nil, nil, fmt.Errorf("page not found: %s (see currentpage {\"action\":\"list\"})", words.Clip(id, 40))
	case len(all) == 0:
		return nil, nil, errors.New(noPage(proxies))
	}
	best := slices.MaxFunc(all, func(a, b found) int { return a.page.Info().LastFocus.Compare(b.page.Info().LastFocus) })
	return best.proxy, best.page, nil
}
