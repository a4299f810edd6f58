// Package traffic is the tools of the proxies: proxy and proxylog.
package traffic

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"oriel/internal/engine"
	"oriel/internal/page"
	"oriel/internal/quote"
	"oriel/internal/tool"
	"oriel/internal/tools/session"
	"oriel/internal/tools/words"
)

// Proxy is the tool.
var Proxy = tool.Group("proxy", tool.Doc{
	Title: "Start a reverse proxy with automatic browser instrumentation",
	Text:  "Fronts a dev server, so that pages opened through the proxy's URL are seen. exec runs JavaScript in the page last focused (expression, return or promise; helpers: window.__devtool.help()). id may be left out when there is one.",
	Hints: tool.Hints{Destructive: true, OpenWorld: true},
},
	tool.Do("list", proxyList),
	tool.Do("start", proxyStart),
	tool.Do("status", proxyStatus),
	tool.Do("exec", proxyExec),
	tool.Do("navigate", proxyNavigate),
	tool.Do("restart", proxyRestart),
	tool.Do("stop", proxyStop),
)

type proxyNone struct{}

type proxyID struct {
	ID string `json:"id" alias:"proxy_id"`
}

type proxyInfo struct {
	ID        string    `json:"id"`
	URL       string    `json:"url"`
	Target    string    `json:"target_url"`
	Script    string    `json:"script,omitempty"`
	Port      int       `json:"port"`
	Started   time.Time `json:"started"`
	Requests  int64     `json:"requests"`
	Failed    int64     `json:"failed"`
	Documents int64     `json:"documents"` // that got the agent
	Pages     []tab     `json:"pages"`
	Moved     string    `json:"moved,omitempty"`
	Down      string    `json:"down,omitempty"` // why the target does not answer
}

// tab is one connected page, as tools show it. URL and title are its own words.
type tab struct {
	ID      string `json:"id"`
	Parent  string `json:"parent,omitempty"`
	URL     string `json:"url"`
	Title   string `json:"title"`
	Visible bool   `json:"visible"`
	Focused bool   `json:"focused"`
	Loaded  bool   `json:"loaded"`
}

func tabOf(i page.Info) tab {
	return tab{ID: i.ID, Parent: i.ParentID, URL: i.URL, Title: i.Title, Visible: i.Visible, Focused: i.Focused, Loaded: i.Loaded}
}

func (t tab) line() string {
	text := fmt.Sprintf("page %s %s %s", t.ID, quote.Text(t.URL, 120), quote.Quoted(t.Title, 60))
	switch {
	case t.Parent != "":
		text += ", a frame of " + t.Parent
	case t.Focused:
		text += ", focused"
	case !t.Visible:
		text += ", hidden"
	}
	return text
}

func proxyInfoOf(ctx context.Context, p *engine.Proxy, probe bool) proxyInfo {
	stats := p.Stats()
	info := proxyInfo{
		ID: p.Spec.ID, URL: p.URL(), Target: p.Spec.Target, Script: p.Spec.Script, Port: p.Port(), Started: p.Started,
		Requests: stats.Requests, Failed: stats.Failed, Documents: stats.Injected, Pages: []tab{}, Moved: p.Moved,
	}
	var last time.Time
	for _, pg := range p.Hub.Pages() { // the last focused first
		i, t := pg.Info(), tabOf(pg.Info())
		// A driven browser tells each of its pages that it has the focus.
		if t.Focused = t.Focused && !i.LastFocus.Before(last); t.Focused {
			last = i.LastFocus
		}
		info.Pages = append(info.Pages, t)
	}
	if probe {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if err := p.Up(ctx); err != nil {
			info.Down = err.Error()
		}
	}
	return info
}

func (o proxyInfo) line() string {
	return fmt.Sprintf("%s: %s → %s, %s, %s", o.ID, o.URL, o.Target, words.Plural(int(o.Requests), "request"), words.Plural(len(o.Pages), "open page"))
}

const maxTabs = 10

// Text says where the proxy is and what to do next.
func (o proxyInfo) Text() string {
	var b strings.Builder
	fmt.Fprintln(&b, o.line())
	if o.Moved != "" {
		fmt.Fprintf(&b, "%s, so port %d was taken\n", o.Moved, o.Port)
	}
	if o.Down != "" {
		fmt.Fprintf(&b, "the target does not answer: %s (the proxy shows a waiting page that reloads when it does)\n", quote.Text(o.Down, 200))
	}
	for i, t := range o.Pages {
		if i == maxTabs {
			fmt.Fprintf(&b, "… and %d more pages (raw: true)\n", len(o.Pages)-i)
			break
		}
		fmt.Fprintln(&b, t.line())
	}
	if len(o.Pages) == 0 && o.Down == "" {
		fmt.Fprintf(&b, "next: open %s in a browser, then %s\n", o.URL, words.Call("proxylog", words.Arg{Name: "proxy_id", Value: o.ID}))
	}
	return b.String()
}

type proxyListOut struct {
	Proxies []proxyInfo `json:"proxies"`
	root    string
}

func (o proxyListOut) Text() string {
	if len(o.Proxies) == 0 {
		return fmt.Sprintf("no proxy runs in %s; start one with proxy {\"action\":\"start\",\"id\":\"dev\",\"target_url\":\"http://localhost:3000\"}\n", o.root)
	}
	var b strings.Builder
	for _, p := range o.Proxies {
		fmt.Fprintln(&b, p.line())
	}
	return b.String()
}

func proxyList(s Session, ctx context.Context, _ proxyNone) (proxyListOut, error) {
	out := proxyListOut{Proxies: []proxyInfo{}, root: s.Root}
	for _, p := range s.Proxies() {
		out.Proxies = append(out.Proxies, proxyInfoOf(ctx, p, false))
	}
	return out, nil
}

type proxyStartIn struct {
	ID        string `json:"id" alias:"proxy_id"`
	TargetURL string `json:"target_url" doc:"optional for a proxy of .oriel.kdl"`
	Port      int    `json:"port"`
}

func proxyStart(s Session, ctx context.Context, in proxyStartIn) (proxyInfo, error) {
	if in.ID == "" {
		return proxyInfo{}, errors.New("id required for start")
	}
	if err := session.CheckID(in.ID); err != nil {
		return proxyInfo{}, err
	}
	if in.Port < 0 || in.Port > 65535 {
		return proxyInfo{}, fmt.Errorf("port: expected a number from 1 to 65535, got %d", in.Port)
	}
	spec, known := s.ConfiguredProxy(in.ID)
	spec.ID = in.ID
	if in.TargetURL != "" {
		spec.Target, spec.Script = in.TargetURL, ""
	} else if !known {
		return proxyInfo{}, errors.New("target_url required for start (such as http://localhost:3000)")
	}
	if in.Port != 0 {
		spec.Port = in.Port
	}
	spec, err := s.Resolve(ctx, spec)
	if err != nil {
		return proxyInfo{}, err
	}
	p, err := s.StartProxy(ctx, spec)
	if err != nil {
		return proxyInfo{}, err
	}
	return proxyInfoOf(ctx, p, true), nil
}

func proxyStatus(s Session, ctx context.Context, in proxyID) (proxyInfo, error) {
	p, err := s.Proxy(in.ID)
	if err != nil {
		return proxyInfo{}, err
	}
	return proxyInfoOf(ctx, p, true), nil
}

func proxyRestart(s Session, ctx context.Context, in proxyID) (proxyInfo, error) {
	p, err := s.Proxy(in.ID)
	if err != nil {
		return proxyInfo{}, err
	}
	spec := p.Spec
	if err := s.StopProxy(ctx, spec.ID); err != nil {
		return proxyInfo{}, err
	}
	if p, err = s.StartProxy(ctx, spec); err != nil {
		return proxyInfo{}, err
	}
	return proxyInfoOf(ctx, p, true), nil
}

type proxyStopOut struct {
	ID string `json:"id"`
}

func (o proxyStopOut) Text() string { return o.ID + ": stopped\n" }

func proxyStop(s Session, ctx context.Context, in proxyID) (proxyStopOut, error) {
	p, err := s.Proxy(in.ID)
	if err != nil {
		return proxyStopOut{}, err
	}
	return proxyStopOut{p.Spec.ID}, s.StopProxy(ctx, p.Spec.ID)
}
