package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"oriel/internal/engine"
	"oriel/internal/tool"
	"oriel/internal/tools"
	"oriel/web"
)

// way is one way to the same page.
type way struct{ name, url string }

// world is the site, the ways to it, and the browser.
type world struct {
	ctx     context.Context
	ways    []way
	caller  tool.Caller
	root    string
	wall    bool // measure the clock's time
	closers []func()
}

const bodySize = 20 << 10

// ownScript is what a page of some life does: it finds elements, listens, draws.
const ownScript = `<script>document.querySelectorAll("p").forEach((p, i) => { p.dataset.n = i; if (i % 10 === 0) p.addEventListener("click", () => p.classList.toggle("on")) });
const list = document.createElement("ul"); for (let i = 0; i < 20; i++) { const li = document.createElement("li"); li.textContent = "entry " + i; list.append(li) } document.body.append(list)</script>`

func document(scripted bool) string {
	var b strings.Builder
	b.WriteString("<!doctype html><html><head><meta charset=\"utf-8\"><link rel=\"icon\" href=\"data:,\"><title>page</title></head><body>\n")
	for b.Len() < bodySize {
		fmt.Fprintf(&b, "<p class=\"row\">Row %d of a page of some length, as a small shop or a blog would have it.</p>\n", b.Len())
	}
	if scripted {
		b.WriteString(ownScript)
	}
	b.WriteString("</body></html>\n")
	return b.String()
}

func newWorld(ctx context.Context, browser, scripted bool) (*world, error) {
	w := &world{ctx: ctx}
	html := document(scripted)
	site := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(rw, html)
	}))
	w.closers = append(w.closers, site.Close)
	target, err := url.Parse(site.URL)
	if err != nil {
		return nil, err
	}
	bare := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }})
	w.closers = append(w.closers, bare.Close)
	ours, err := w.proxy(ctx, site.URL)
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	w.ways = []way{{"direct", site.URL}, {"bare proxy", bare.URL}, {"oriel", ours}}
	if !browser {
		return w, nil
	}
	return w, w.launch(ctx)
}

// proxy starts the product's own, with everything it records.
func (w *world) proxy(ctx context.Context, target string) (string, error) {
	root, err := os.MkdirTemp("", "oriel-bench")
	if err != nil {
		return "", err
	}
	w.root = root
	w.closers = append(w.closers, func() { os.RemoveAll(root) })
	e, err := engine.New(engine.Options{State: root + "/state", Linger: time.Hour})
	if err != nil {
		return "", err
	}
	w.closers = append(w.closers, func() { e.Close(context.Background()) })
	w.caller = tools.Caller(e)
	if _, err := w.call(ctx, "proxy", fmt.Sprintf(`{"action":"start","id":"page","target_url":%q}`, target)); err != nil {
		return "", err
	}
	raw, err := w.call(ctx, "proxy", `{"action":"status","raw":true}`)
	if err != nil {
		return "", err
	}
	var info struct {
		URL string `json:"url"`
	}
	return info.URL, errors.Join(json.Unmarshal([]byte(raw), &info), check(&info.URL))
}

func check(url *string) error {
	if *url == "" {
		return errors.New("the proxy has no address")
	}
	return nil
}

func (w *world) call(ctx context.Context, name, args string) (string, error) {
	res := w.caller.Call(ctx, tool.Call{Tool: name, Args: json.RawMessage(args), From: tool.Origin{Dir: w.root, Env: os.Environ()}})
	if res.IsError {
		return "", errors.New(tool.ErrorMessage(res))
	}
	return res.Text, nil
}

func (w *world) launch(ctx context.Context) error {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.DisableGPU, chromedp.NoSandbox,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	alloc, stop := chromedp.NewExecAllocator(ctx, options...)
	w.closers = append(w.closers, stop)
	browser, cancel := chromedp.NewContext(alloc)
	w.closers = append(w.closers, cancel)
	w.ctx = browser
	return chromedp.Do(browser)
}

func (w *world) close() error {
	for _, c := range slices.Backward(w.closers) {
		c()
	}
	return nil
}

// added is how much longer the document is through the proxy.
func (w *world) added() int {
	length := func(address string) int {
		req, err := http.NewRequest(http.MethodGet, address, nil)
		if err != nil {
			return 0
		}
		req.Header.Set("Sec-Fetch-Dest", "document")
		req.Header.Set("Accept", "text/html")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return len(body)
	}
	return length(w.ways[2].url) - length(w.ways[0].url)
}

func (w *world) agent() int { return len(web.Agent().Gzip) }
