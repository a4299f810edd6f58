// Package hands is the tool with which an assistant uses a page itself:
// browser.
package hands

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"oriel/internal/browser"
	"oriel/internal/engine"
	"oriel/internal/quote"
	"oriel/internal/tool"
	"oriel/internal/tools/session"
	"oriel/internal/tools/words"
)

// Session is what the handlers here work on.
type Session = session.Session

// Browser is the tool.
var Browser = tool.Group("browser", tool.Doc{
	Title: "Use a page in a real browser",
	Text:  `Drives Chromium. selector: CSS, role=button[name="Buy"] or text=Buy. id: a tab, default last used.`,
	Hints: tool.Hints{Destructive: true, OpenWorld: true},
},
	tool.Do("list", browserList),
	tool.Do("open", browserOpen),
	tool.Do("click", browserClick),
	tool.Do("fill", browserFill),
	tool.Do("press", browserPress),
	tool.Do("wait", browserWait),
	tool.Do("close", browserClose),
)

// tab is an open tab as tools show it. URL and title are the page's words.
type tab struct {
	ID       string `json:"id"`
	URL      string `json:"url"`
	Title    string `json:"title"`
	Status   int    `json:"status,omitempty"`
	Loaded   bool   `json:"loaded"`
	Offline  bool   `json:"offline,omitempty"` // by emulation
	Failed   bool   `json:"failed,omitempty"`  // the browser could not reach it
	Headless bool   `json:"headless"`
	Opener   string `json:"opener,omitempty"`
	ProxyID  string `json:"proxy_id,omitempty"`
	PageID   string `json:"page_id,omitempty"` // with which the other tools know it
	Error    string `json:"error,omitempty"`
}

func (t tab) line() string {
	if t.Error != "" {
		return t.ID + ": " + t.Error
	}
	text := fmt.Sprintf("%s: %s %s", t.ID, quote.Text(t.URL, 120), quote.Quoted(t.Title, 60))
	if t.Status >= 400 {
		text += fmt.Sprintf(", HTTP %d", t.Status)
	}
	if !t.Loaded {
		text += ", still loading"
	}
	if t.Failed {
		text += ", could not be reached"
	}
	if t.Offline {
		text += ", offline"
	}
	if t.PageID != "" {
		text += fmt.Sprintf(", page %s on proxy %s", t.PageID, t.ProxyID)
	}
	return text
}

// infoPatience is how long a tab may take to tell about itself.
const infoPatience = 2 * time.Second

// tabOf describes a tab, and finds the page that it is to the proxies.
func tabOf(ctx context.Context, s Session, b *browser.Browser, t *browser.Tab) tab {
	limited, cancel := context.WithTimeout(ctx, infoPatience)
	defer cancel()
	info, err := t.Info(limited)
	out := tab{ID: t.ID(), Headless: b.Headless(), Opener: info.Opener, Offline: t.Look().Offline()}
	if err != nil {
		out.Error = err.Error()
		return out
	}
	out.URL, out.Title, out.Status, out.Loaded, out.Failed = info.URL, info.Title, info.Status, info.Loaded, info.Failed
	if p, pg := pageAt(s, info.URL); pg != nil {
		out.ProxyID, out.PageID = p.Spec.ID, pg.ID()
		// Others may be at the same address, in a person's browser too: the tab
		// itself is asked. One that cannot say is taken for the newest there.
		if id := session.PageIn(limited, t); id != "" && pagesOf(p)[id] {
			out.PageID = id
		}
	}
	return out
}

type browserNone struct{}

type browserListOut struct {
	Tabs []tab `json:"tabs"`
}

// Text lists the tabs, in the order in which they were opened.
func (o browserListOut) Text() string {
	if len(o.Tabs) == 0 {
		return "no tab is open; open one with browser {\"action\":\"open\",\"url\":\"http://localhost:3000\"}\n"
	}
	var b strings.Builder
	for i, t := range o.Tabs {
		if i == maxTabs {
			fmt.Fprintf(&b, "… and %d more tabs (raw: true)\n", len(o.Tabs)-i)
			break
		}
		fmt.Fprintln(&b, t.line())
	}
	return b.String()
}

const maxTabs = 15

func browserList(s Session, ctx context.Context, _ browserNone) (browserListOut, error) {
	out := browserListOut{Tabs: []tab{}}
	for _, b := range s.Browsers() {
		for _, t := range b.Tabs() {
			out.Tabs = append(out.Tabs, tabOf(ctx, s, b, t))
		}
	}
	return out, nil
}

// tabNamed finds a tab by its id, which no proxy has.
func tabNamed(s Session, id string) (*browser.Browser, *browser.Tab) {
	if id == "" || slices.ContainsFunc(s.Proxies(), func(p *engine.Proxy) bool { return p.Spec.ID == id }) {
		return nil, nil
	}
	for _, b := range s.Browsers() {
		for _, t := range b.Tabs() {
			if t.ID() == id {
				return b, t
			}
		}
	}
	return nil, nil
}

// pick finds a tab by id, or without one the tab that was used last.
func pick(s Session, id string) (*browser.Browser, *browser.Tab, error) {
	var of *browser.Browser
	var found *browser.Tab
	var ids []string
	for _, b := range s.Browsers() {
		for _, t := range b.Tabs() {
			ids = append(ids, t.ID())
			if id == t.ID() || id == "" && (found == nil || t.Used().After(found.Used())) {
				of, found = b, t
			}
		}
	}
	switch {
	case found != nil:
		return of, found, nil
	case len(ids) == 0:
		return nil, nil, errors.New("no tab is open: open one with browser {\"action\":\"open\",\"url\":…}")
	}
	return nil, nil, fmt.Errorf("tab not found: %s (open: %s)", quote.Text(id, 60), strings.Join(ids, ", "))
}

type browserID struct {
	ID string `json:"id"`
}

type browserCloseOut struct {
	Closed []string `json:"closed"`
	Left   int      `json:"left"` // tabs still open
}

func (o browserCloseOut) Text() string {
	if len(o.Closed) == 0 {
		return "no tab was open\n"
	}
	return fmt.Sprintf("closed %s; %s open\n", strings.Join(o.Closed, ", "), words.Plural(o.Left, "tab"))
}

// browserClose closes one tab, or without an id all. A browser without tabs
// ends.
func browserClose(s Session, ctx context.Context, in browserID) (browserCloseOut, error) {
	out := browserCloseOut{Closed: []string{}}
	if in.ID != "" {
		_, t, err := pick(s, in.ID)
		if err != nil {
			return out, err
		}
		if err := t.Close(ctx); err != nil {
			return out, err
		}
		out.Closed = append(out.Closed, t.ID())
	}
	for _, b := range s.Browsers() {
		left := b.Tabs()
		if in.ID != "" && len(left) > 0 {
			out.Left += len(left)
			continue
		}
		for _, t := range left {
			out.Closed = append(out.Closed, t.ID())
		}
		if err := s.CloseBrowser(ctx, b); err != nil {
			return out, err
		}
	}
	return out, nil
}
