package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"oriel/internal/engine"
	"oriel/internal/tool"
	"oriel/internal/tools"
)

// world is the site behind the product's proxy, and the browser.
type world struct {
	ctx     context.Context
	url     string
	closers []func()
}

// script is the page's own code: twenty features, each with chains, fan-outs,
// repeated and single calls, through one wrapper, until a thousand are made.
func script() string {
	var b strings.Builder
	b.WriteString("let left = 1000;\nasync function request(path) {\n  if (left-- > 0) await (await fetch(path)).text();\n}\n")
	for i := range 20 {
		fmt.Fprintf(&b, `async function feature%[1]d(turn) {
  await request("/api/part%[1]d/head");
  await request("/api/part%[1]d/body?turn=" + turn);
  await Promise.all([1, 2, 3, 4, 5, 6].map((n) => request("/api/part%[1]d/rows/" + (turn * 10 + n))));
  await request("/api/session");
  await request("/api/part%[1]d/tail");
}
`, i)
	}
	b.WriteString("(async () => {\n  for (let turn = 0; left > 0; turn++) await Promise.all([\n")
	for i := range 20 {
		fmt.Fprintf(&b, "    feature%d(turn),\n", i)
	}
	b.WriteString("  ]);\n  window.made = true;\n})();\n")
	return b.String()
}

func newWorld(ctx context.Context) (*world, error) {
	w := &world{}
	code, cards := script(), wholePage()
	site := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/api/"):
			time.Sleep(time.Duration(5+rand.IntN(25)) * time.Millisecond)
			rw.Header().Set("Content-Type", "application/json")
			io.WriteString(rw, "{}")
		case r.URL.Path == "/cards":
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(rw, cards)
		case r.URL.Path == "/app.js":
			rw.Header().Set("Content-Type", "text/javascript")
			io.WriteString(rw, code)
		default:
			rw.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(rw, `<!doctype html><link rel="icon" href="data:,"><title>calls</title><script type="module" src="/app.js"></script>`)
		}
	}))
	w.closers = append(w.closers, site.Close)
	if err := w.proxy(ctx, site.URL); err != nil {
		w.close()
		return nil, err
	}
	if err := w.launch(ctx); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// proxy starts the product's own.
func (w *world) proxy(ctx context.Context, target string) error {
	root, err := os.MkdirTemp("", "oriel-bench")
	if err != nil {
		return err
	}
	w.closers = append(w.closers, func() { os.RemoveAll(root) })
	e, err := engine.New(engine.Options{State: root + "/state", Linger: time.Hour})
	if err != nil {
		return err
	}
	w.closers = append(w.closers, func() { e.Close(context.Background()) })
	caller := tools.Caller(e)
	call := func(args string) (string, error) {
		res := caller.Call(ctx, tool.Call{Tool: "proxy", Args: json.RawMessage(args), From: tool.Origin{Dir: root, Env: os.Environ()}})
		if res.IsError {
			return "", errors.New(tool.ErrorMessage(res))
		}
		return res.Text, nil
	}
	if _, err := call(fmt.Sprintf(`{"action":"start","id":"page","target_url":%q}`, target)); err != nil {
		return err
	}
	raw, err := call(`{"action":"status","raw":true}`)
	if err != nil {
		return err
	}
	var info struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal([]byte(raw), &info); err != nil || info.URL == "" {
		return errors.Join(errors.New("the proxy has no address"), err)
	}
	w.url = info.URL
	return nil
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

func (w *world) close() {
	for _, c := range slices.Backward(w.closers) {
		c()
	}
}
