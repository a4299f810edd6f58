package hands

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"oriel/internal/browser"
	"oriel/internal/engine"
	"oriel/internal/page"
	"oriel/internal/quote"
	"oriel/internal/tool"
	"oriel/internal/tools/words"
)

type browserOpenIn struct {
	URL      string     `json:"url"`
	ProxyID  string     `json:"proxy_id" alias:"id"`
	Headless *bool      `json:"headless"`
	Viewport string     `json:"viewport" doc:"1280x800"`
	Device   string     `json:"device"`
	Emulate  tool.Words `json:"emulate" doc:"dark, reduced-motion, slow-3g, 4g, offline, cpu=4"`
}

type browserOpenOut struct {
	Tab     tab             `json:"tab"`
	Through string          `json:"through,omitempty"` // the proxy a target's address was sent through
	Asked   string          `json:"asked,omitempty"`   // the address that was asked for, when another was opened
	Notes   browser.Outcome `json:"-"`
	silent  bool            // the page did not report to the proxy
	changed bool            // the tab was there; how it looks is what changed
}

// Text names the tab, and says what the other tools see of it.
func (o browserOpenOut) Text() string {
	var b strings.Builder
	fmt.Fprintln(&b, o.Tab.line())
	if o.Asked != "" {
		fmt.Fprintf(&b, "%s was opened through proxy %s, which fronts it\n", quote.Text(o.Asked, 120), o.Through)
	}
	if o.Tab.Offline {
		fmt.Fprintf(&b, "it was loaded first; now it is offline, and all that it asks for fails: %s to end that\n",
			words.Call("browser", words.Arg{Name: "action", Value: "open"}, words.Arg{Name: "id", Value: o.Tab.ID}, words.Arg{Name: "emulate", Value: online}))
	}
	notes(&b, o.Notes)
	switch {
	case o.changed:
	case o.Tab.PageID != "":
		fmt.Fprintf(&b, "next: use it with browser click, fill, press, wait; then %s\n", words.Call("proxylog", words.Arg{Name: "proxy_id", Value: o.Tab.ProxyID}))
	case o.silent:
		fmt.Fprintf(&b, "the page has not reported to proxy %s: is it HTML? see %s\n", o.Through, words.Call("proxylog", words.Arg{Name: "proxy_id", Value: o.Through}))
	default:
		fmt.Fprintln(&b, "no proxy of this project fronts it, so proxylog and audits see nothing of it: start one with proxy {\"action\":\"start\",\"id\":…,\"target_url\":…} and open it through that")
	}
	return b.String()
}

// browserOpen opens a page in a new tab. With the id of an open tab it changes
// that one: where it is, when a url is given, and how it looks.
func browserOpen(s Session, ctx context.Context, in browserOpenIn) (browserOpenOut, error) {
	b, t := tabNamed(s, in.ProxyID)
	if t != nil {
		in.ProxyID = ""
	}
	look, err := lookOf(in, t)
	if err != nil {
		return browserOpenOut{}, err
	}
	if t != nil && in.URL == "" {
		if err := t.Dress(ctx, look); err != nil {
			return browserOpenOut{}, failure(t, t.Notes(), err)
		}
		return browserOpenOut{Tab: tabOf(ctx, s, b, t), Notes: t.Notes(), changed: true}, nil
	}
	address, p, asked, err := Way(s, in.URL, in.ProxyID)
	if err != nil {
		return browserOpenOut{}, err
	}
	out := browserOpenOut{}
	// An offline browser shows no page. What is wanted is to see how one that
	// is there takes it.
	first := look
	if look.Offline() {
		first.Throttle = ""
	}
	known := pagesOf(p)
	if t == nil {
		if b, err = s.Browser(ctx, in.Headless == nil || *in.Headless, s.From.Env); err != nil {
			return out, Install(err)
		}
		t, err = b.Open(ctx, address, first)
	} else if err = t.Dress(ctx, first); err == nil {
		err = t.Navigate(ctx, address)
	}
	if err != nil {
		return out, unreachable(err, p)
	}
	if p != nil {
		out.Through, out.Asked = p.Spec.ID, asked
		out.silent = !reports(ctx, p, known)
	}
	if look.Offline() {
		if err := leave(ctx, t, look); err != nil {
			return out, failure(t, t.Notes(), err)
		}
	}
	out.Tab, out.Notes = tabOf(ctx, s, b, t), t.Notes()
	return out, nil
}

// idlePatience is how long a page that shall go offline may take to ask for all
// that it needs.
const idlePatience = 5 * time.Second

// leave takes a page offline, once it has what it asked for.
func leave(ctx context.Context, t *browser.Tab, look browser.Look) error {
	_, err := t.Wait(ctx, browser.Want{Idle: true, Patience: idlePatience})
	if _, busy := errors.AsType[*browser.ActError](err); err != nil && !busy {
		return err
	}
	return t.Dress(ctx, look)
}

// Install adds to the error of a missing browser how to get one.
func Install(err error) error {
	if _, ok := errors.AsType[*browser.NotFoundError](err); ok {
		return fmt.Errorf("%w; install one (Debian: apt install chromium; macOS: brew install --cask chromium; Windows: winget install Chromium), or attach to one that runs elsewhere with %s", err, browser.URLEnv)
	}
	return err
}

func unreachable(err error, p *engine.Proxy) error {
	if p == nil && strings.Contains(err.Error(), "ERR_CONNECTION_REFUSED") {
		return fmt.Errorf("%w: nothing listens there; start the dev server with run, then see proc {\"action\":\"list\"}", err)
	}
	return err
}

// lookOf is how a tab shall look: as it does, when it is open, but for what is
// asked for.
func lookOf(in browserOpenIn, t *browser.Tab) (browser.Look, error) {
	look := browser.Look{}
	if t != nil {
		look = t.Look()
	}
	if in.Device != "" {
		look = browser.Look{Device: in.Device, ColorScheme: look.ColorScheme, ReducedMotion: look.ReducedMotion, Throttle: look.Throttle, CPU: look.CPU}
	}
	for _, word := range in.Emulate {
		if err := emulate(&look, strings.ToLower(strings.TrimSpace(word))); err != nil {
			return look, err
		}
	}
	if in.Viewport == "" {
		return look, nil
	}
	width, height, ok := strings.Cut(strings.ToLower(in.Viewport), "x")
	var wrong, also error
	look.Width, wrong = strconv.Atoi(strings.TrimSpace(width))
	look.Height, also = strconv.Atoi(strings.TrimSpace(height))
	if !ok || wrong != nil || also != nil {
		return look, fmt.Errorf("viewport: expected width and height such as \"1280x800\", got %q", words.Clip(in.Viewport, 40))
	}
	return look, nil
}

// online ends what slows the network down.
const online = "online"

// emulate adds one circumstance to a look.
func emulate(l *browser.Look, word string) error {
	factor, slower := strings.CutPrefix(word, "cpu=")
	switch {
	case word == "dark" || word == "light":
		l.ColorScheme = word
	case word == "reduced-motion":
		l.ReducedMotion = true
	case word == online:
		l.Throttle = ""
	case slices.Contains(browser.Throttles(), word):
		l.Throttle = word
	case slower:
		n, err := strconv.ParseFloat(strings.TrimSuffix(factor, "x"), 64)
		if err != nil || n < 1 {
			return fmt.Errorf("emulate: expected how many times slower, such as cpu=4, got %q", words.Clip(word, 40))
		}
		l.CPU = n
	default:
		return fmt.Errorf("emulate: unknown %q (valid: dark, light, reduced-motion, online, %s, cpu=4)", words.Clip(word, 40), strings.Join(browser.Throttles(), ", "))
	}
	return nil
}

// Way finds out where to go and through which proxy: to an address, to a path
// on a proxy, or to the root of one. An address of a server that a running
// proxy fronts is sent through the proxy, since only then is the page seen;
// asked is what it was.
func Way(s Session, to, proxyID string) (address string, p *engine.Proxy, asked string, err error) {
	if to == "" || proxyID != "" || strings.HasPrefix(to, "/") {
		if to == "" && proxyID == "" && len(s.Proxies()) != 1 {
			return "", nil, "", errors.New("url or proxy_id required for open")
		}
		if p, err = s.Proxy(proxyID); err != nil {
			return "", nil, "", err
		}
		if to == "" || strings.HasPrefix(to, "/") {
			return strings.TrimSuffix(p.URL(), "/") + "/" + strings.TrimPrefix(to, "/"), p, "", nil
		}
	}
	text := to
	if !strings.Contains(text, "://") && !strings.HasPrefix(text, "about:") && !strings.HasPrefix(text, "data:") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || strings.HasPrefix(u.Scheme, "http") && u.Hostname() == "" {
		return "", nil, "", fmt.Errorf("url: expected an address such as http://localhost:3000, or a path with proxy_id, got %q", words.Clip(to, 80))
	}
	for _, one := range s.Proxies() {
		if p != nil && one != p {
			continue
		}
		if own, err := url.Parse(one.URL()); err == nil && same(u, own) {
			return u.String(), one, "", nil
		}
		if target, err := url.Parse(one.Spec.Target); err == nil && same(u, target) {
			own, err := url.Parse(one.URL())
			if err != nil {
				return "", nil, "", fmt.Errorf("address of proxy %s: %w", one.Spec.ID, err)
			}
			moved := *u
			moved.Scheme, moved.Host = own.Scheme, own.Host
			return moved.String(), one, u.String(), nil
		}
	}
	if p != nil {
		return "", nil, "", fmt.Errorf("url: %s is not what proxy %s fronts (%s): leave out proxy_id or give a path", quote.Text(to, 80), p.Spec.ID, p.Spec.Target)
	}
	return u.String(), nil, "", nil
}

// same says that two addresses are of one server. The names of this machine
// are one.
func same(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && port(a) == port(b) && (strings.EqualFold(a.Hostname(), b.Hostname()) || local(a) && local(b))
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

func local(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || strings.HasSuffix(u.Hostname(), ".localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// pagesOf are the ids of the pages that a proxy knows.
func pagesOf(p *engine.Proxy) map[string]bool {
	ids := map[string]bool{}
	if p != nil {
		for _, pg := range p.Hub.Pages() {
			ids[pg.ID()] = true
		}
	}
	return ids
}

// agentPatience is how long a page may take to report to its proxy.
const agentPatience = 10 * time.Second

// reports waits until a new page has reported to the proxy, so that the next
// call finds it.
func reports(ctx context.Context, p *engine.Proxy, known map[string]bool) bool {
	limited, cancel := context.WithTimeout(ctx, agentPatience)
	defer cancel()
	_, err := p.Hub.Wait(limited, func(i page.Info) bool { return !known[i.ID] && !i.Frame })
	return err == nil
}

// pageAt finds the newest page at an address on one of the proxies.
func pageAt(s Session, address string) (*engine.Proxy, *page.Page) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, nil
	}
	for _, p := range s.Proxies() {
		own, err := url.Parse(p.URL())
		if err != nil || !same(u, own) {
			continue
		}
		var newest *page.Page
		for _, pg := range p.Hub.Pages() {
			info := pg.Info()
			at, err := url.Parse(info.URL)
			if err != nil || info.Frame || at.EscapedPath() != u.EscapedPath() {
				continue
			}
			if newest == nil || info.Opened.After(newest.Info().Opened) {
				newest = pg
			}
		}
		if newest != nil {
			return p, newest
		}
	}
	return nil, nil
}
