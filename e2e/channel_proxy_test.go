package e2e

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/chromedp"

	"oriel/internal/journal"
	"oriel/internal/page"
	"oriel/internal/proxy"
)

// proxied puts the real proxy and a hub before a site.
func proxied(t *testing.T, site http.Handler) *channelSite {
	t.Helper()
	upstream := httptest.NewServer(site)
	t.Cleanup(upstream.Close)
	target, err := url.Parse(upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	s := &channelSite{journal: journal.New(nil)}
	s.start()
	p, err := proxy.Start(t.Context(), proxy.Config{
		ID: "web", Target: target, Devtool: s.hub,
		Record: func(e journal.Entry) { s.journal.Append(e) },
		Tag: func(r *http.Request) proxy.Tag {
			tag := s.hub.Issue(r)
			return proxy.Tag{NoInline: page.FilesAttr, Src: tag.Src(), Attrs: []proxy.Attr{{Name: page.KeyAttr, Value: tag.Key()}}}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Server = &httptest.Server{URL: p.URL()}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.hub.Close(); err != nil {
			t.Error(err)
		}
		if err := p.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Policies that real sites send, and how exec does on them.
var sitePolicies = map[string]string{
	"none":           "",
	"self":           "default-src 'self'",
	"nonce":          "default-src 'none'; script-src 'nonce-abc123'",
	"nonce dynamic":  "script-src 'nonce-abc123' 'strict-dynamic'; object-src 'none'; base-uri 'none'",
	"hash":           "default-src 'none'; script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
	"hash dynamic":   "script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'strict-dynamic'",
	"nothing":        "default-src 'none'",
	"script none":    "script-src 'none'",
	"unsafe inline":  "script-src 'self' 'unsafe-inline'",
	"types":          "require-trusted-types-for 'script'",
	"types named":    "require-trusted-types-for 'script'; trusted-types mine",
	"types none":     "require-trusted-types-for 'script'; trusted-types 'none'",
	"types nonce":    "default-src 'none'; script-src 'nonce-abc123'; require-trusted-types-for 'script'; trusted-types 'none'",
	"connect none":   "connect-src 'none'",
	"two":            "script-src 'nonce-abc123', default-src 'self'",
	"elem and attr":  "script-src 'none'; script-src-elem 'self'; script-src-attr 'none'",
	"sandboxed":      "sandbox allow-scripts",
	"sandboxed self": "sandbox allow-scripts allow-same-origin; default-src 'self'",
}

func TestExecUnderAnyPolicy(t *testing.T) {
	b := browser(t)
	s := proxied(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		meta := ""
		if policy := sitePolicies[r.URL.Query().Get("policy")]; r.URL.Query().Has("meta") {
			meta = fmt.Sprintf(`<meta http-equiv="Content-Security-Policy" content="%s">`, policy)
		} else if policy != "" {
			w.Header().Set("Content-Security-Policy", policy)
		}
		_, _ = fmt.Fprintf(w, `<!doctype html><html><head>%s<title>t</title></head><body><p id="x">text</p></body></html>`, meta)
	}))
	for name := range sitePolicies {
		for _, where := range []string{"", "&meta"} {
			if where != "" && strings.HasPrefix(name, "sandboxed") {
				continue // a meta element cannot sandbox
			}
			t.Run(name+where, func(t *testing.T) {
				path := "/?policy=" + url.QueryEscape(name) + where
				ctx := tab(t, b, s.URL+path)
				p := s.at(t, path)
				for _, code := range []string{"await Promise.resolve(document.querySelector('#x').textContent)", "const x = document.querySelector('#x'); x.textContent"} {
					if v := run(t, p, code); string(v.JSON) != `"text"` {
						t.Errorf("%q = %s", code, v.JSON)
					}
				}
				if _, err := p.Exec(t.Context(), "throw new Error('x')", page.ExecOptions{}); err == nil || !strings.Contains(err.Error(), "Error: x") {
					t.Errorf("throw: %v", err)
				}
				if err := chromedp.Cancel(ctx); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// What pages do arrives in the journal under the page that did it, the
// document's own exchange included in what the tag foretold.
func TestEventsReachTheJournal(t *testing.T) {
	b := browser(t)
	s := proxied(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<!doctype html><title>t</title><script>
			console.warn("careful", {a: 1});
			setTimeout(() => { throw new Error("late") });
			Promise.reject(new Error("unhandled"));
			history.pushState(null, "", "/pushed");
		</script><img src="/missing.png">`)
	}))
	tab(t, b, s.URL+"/start")
	p := s.at(t, "/pushed")
	run(t, p, "console.error('from exec'); 0")
	deadline, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	missing := map[string]func(journal.Entry) bool{
		"warning": func(e journal.Entry) bool {
			return e.Console != nil && e.Console.Level == "warn" && strings.Contains(e.Console.Text, "careful")
		},
		"exec's log": func(e journal.Entry) bool { return e.Console != nil && strings.Contains(e.Console.Text, "from exec") },
		"error":      func(e journal.Entry) bool { return e.Error != nil && strings.Contains(e.Error.Message, "late") },
		"rejection": func(e journal.Entry) bool {
			return e.Error != nil && e.Error.Source == "rejection" && strings.Contains(e.Error.Message, "unhandled")
		},
		"push": func(e journal.Entry) bool {
			return e.Navigation != nil && e.Navigation.Type == "push" && strings.HasSuffix(e.Navigation.To, "/pushed")
		},
	}
	for batch := range s.journal.Follow(deadline, 0, journal.Query{}) {
		for _, e := range batch.Entries {
			for name, is := range missing {
				if is(e) {
					delete(missing, name)
					if e.Page != p.ID() || e.Proxy != "web" || time.Since(e.Time) > time.Minute || time.Since(e.Time) < 0 {
						t.Errorf("%s: page %s, proxy %s, %v", name, e.Page, e.Proxy, e.Time)
					}
				}
			}
		}
		if len(missing) == 0 {
			return
		}
	}
	for name := range missing {
		t.Errorf("%s did not arrive", name)
	}
}

// Neither the tag, nor the socket, nor exec makes the browser complain.
func TestNoComplaintsInTheConsole(t *testing.T) {
	b := browser(t)
	s := proxied(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/favicon.ico" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Security-Policy", sitePolicies[r.URL.Query().Get("policy")])
		_, _ = fmt.Fprint(w, `<!doctype html><html><head><title>t</title></head><body></body></html>`)
	}))
	for _, name := range []string{"none", "self", "nonce", "types", "types none", "nonce dynamic", "unsafe inline"} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := chromedp.NewContext(b)
			defer cancel()
			if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
				t.Fatal(err)
			}
			entries := chromedp.Events(ctx, log.EntryAdded)
			path := "/?policy=" + url.QueryEscape(name)
			if err := chromedp.Do(ctx, chromedp.Navigate(s.URL+path)); err != nil {
				t.Fatal(err)
			}
			p := s.at(t, path)
			run(t, p, "1+1")
			if _, err := p.Exec(t.Context(), "syntax error here", page.ExecOptions{}); err == nil {
				t.Error("no error")
			}
			// A last entry of our own closes the list.
			if err := chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void]("new Image().src = 'http://127.0.0.1:1/the-end'; 0")); err != nil {
				t.Fatal(err)
			}
			for e, err := range entries {
				if err != nil {
					t.Fatal(err)
				}
				if strings.Contains(e.Entry.Text+e.Entry.URL, "the-end") {
					break
				}
				t.Errorf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL)
			}
		})
	}
}
