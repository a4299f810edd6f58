package proxy

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Pages that come by way of a service worker are pages too, whether it passes
// the navigation on, asks by itself, or kept the page when it was installed;
// what it fetches for a page is not.
func TestServiceWorkerInChromium(t *testing.T) {
	found := make(chan finding, 10)
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/sw.js":
			w.Header().Set("Content-Type", "text/javascript")
			io.WriteString(w, `
self.addEventListener("install", e => { self.skipWaiting(); e.waitUntil(caches.open("a").then(c => c.addAll(["/shell"]))) });
self.addEventListener("activate", e => e.waitUntil(clients.claim()));
self.addEventListener("fetch", e => {
	const path = new URL(e.request.url).pathname;
	if (path === "/passed") e.respondWith(fetch(e.request));
	if (path === "/asked") e.respondWith(fetch(e.request.url));
	if (path === "/kept") e.respondWith(caches.match("/shell"));
	if (path === "/fragment") e.respondWith(fetch("/part"));
});`)
		case "/part":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<p><head>part</p>")
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, `<!doctype html><html><head><title>%s</title></head><body><script>
navigator.serviceWorker.register("/sw.js").then(() => navigator.serviceWorker.ready).then(() => document.body.id = "ready")</script></body></html>`, r.URL.Path)
		}
	}, func(c *Config) { c.Devtool = probing(found) })
	ctx := browser(t)
	if err := chromedp.Do(ctx, chromedp.Navigate(r.URL()+"/"), chromedp.WaitReady(chromedp.CSS("#ready"))); err != nil {
		t.Fatal(err)
	}
	<-found
	for path, title := range map[string]string{"/passed": "/passed", "/asked": "/asked", "/kept": "/shell"} {
		if err := chromedp.Do(ctx, chromedp.Navigate(r.URL()+path)); err != nil {
			t.Fatal(err)
		}
		select {
		case f := <-found:
			if !f.First || f.Title != title {
				t.Errorf("%s: %+v", path, f)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%s: the agent was not heard of", path)
		}
	}
	fragment := `fetch("/fragment").then(r => r.text())`
	got, err := chromedp.Run(ctx, chromedp.Evaluate[string](fragment, chromedp.EvalAwaitPromise))
	if err != nil || got != "<p><head>part</p>" {
		t.Errorf("fragment %q, %v", got, err)
	}
}

func TestWorkersAreRemembered(t *testing.T) {
	var w workers
	ask := func(path, referer string) bool {
		r, _ := http.NewRequest("GET", "http://localhost:1"+path, nil)
		r.Header.Set("Sec-Fetch-Dest", "empty")
		r.Header.Set("Referer", referer)
		return w.asks(r)
	}
	if ask("/x", "http://localhost:1/sw.js") {
		t.Error("a script nobody registered")
	}
	r, _ := http.NewRequest("GET", "http://localhost:1/sw.js", nil)
	r.Header.Set("Service-Worker", "script")
	if w.asks(r) || !ask("/x", "http://localhost:1/sw.js?v=1") || ask("/x", "http://localhost:2/sw.js") || ask("/x", "http://localhost:1/page") || ask("/x", "") {
		t.Error("wrong about who asks")
	}
	for i := range 1000 {
		r.URL.Path = strings.Repeat("/", i+1)
		w.asks(r)
	}
	if len(w.paths) > maxWorkers {
		t.Errorf("%d scripts are remembered", len(w.paths))
	}
}
