// Package demo is a small shop to try Oriel on: one page, its API and their
// delays, all in the binary, nothing fetched from elsewhere.
//
// The shop is served twice from one set of sources. As it stands it has the
// faults below. With Options.Fixed the same page, with the same data, makes
// the calls it needs and no more; a file whose repair is a change of code has a
// twin, NAME.fixed.ts and the like, and the difference of the two is the repair.
//
//	fault                                 where it is made                  what a tool should say
//	4 serial calls where one would do      src/session.ts: loadSession       waterfall, critical
//	12 stock calls, one per product       src/ProductList.ts: loadStock     n-plus-one
//	the cart asked for 3 times at once    src/cart.ts: loadCart             duplicate-call
//	the settings asked for twice          src/config.ts: loadConfig         duplicate-call
//	26 calls in the first three seconds   src/app.ts: start                 chatty-load, info
//	four spinners, one after the other    src/delivery.ts: showDelivery     spinner-cascade
//	12 spinners at once in one grid       src/ProductCard.ts: waitForStock  spinner-fragmentation
//	a locale no formatter accepts         src/money.ts: setLocale           console error
//	a picture that does not exist         src/hero.ts: showLookbook         failed resource, 404
//	recommendations answer 500            api.go: recommendations           HTTP 500; the page copes
//	one product cannot be added           src/cart.ts: addToCart            unhandled rejection, HTTP 500
//	a picture without words               static/workshop.html              image-alt
//	a picture far larger than its frame   picture.go                        image-oversized
//	two elements of one id                static/workshop.html              duplicate-id
//	words too pale to read                static/workshop.css               color-contrast
//	words too small to read               static/workshop.css               text-tiny
//	the page does not describe itself     demo.go: site                     description-missing
//	scripts can read the sign-in          api.go: session                   cookie-readable
//
// The broken product shows on a click on "Add to basket" of the product BrokenProduct.
package demo

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"
)

//go:embed static dist
var embedded embed.FS

// BrokenProduct is the product that the shop with faults fails to put into the
// basket; BrokenProductSelector is its button in the page.
const (
	BrokenProduct         = 103
	BrokenProductSelector = `[data-product="103"] button`
)

// Options say which shop is served and how slow it is.
type Options struct {
	Fixed bool    // the repaired shop
	Scale float64 // multiplies every delay; 0 means 1
}

// Handler serves the shop. Its URLs are relative, so that it works below any
// path of any host. The basket lives in the handler: two handlers are two
// shops. It is safe for concurrent use.
func Handler(o Options) http.Handler {
	if o.Scale <= 0 {
		o.Scale = 1
	}
	mux := http.NewServeMux()
	s := &shop{fixed: o.Fixed, scale: o.Scale, basket: newBasket()}
	s.routes(mux)
	site(mux, o.Fixed)
	return headers(mux)
}

// Files are the shop's pages, styles and bundles with their source maps.
func Files() fs.FS { return embedded }

// headers sets what every answer carries.
func headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// description is what the page says of itself to search engines.
const description = `<meta name="description" content="Fennel &amp; Oak sells pottery, textiles and small furniture made by hand in eleven workshops.">
`

// site adds everything that is not the API.
func site(mux *http.ServeMux, fixed bool) {
	script, style, workshop, photo, about := "app.js", "workshop.css", "workshop.html", "workshop.png", ""
	if fixed {
		script, style, workshop, photo, about = "app.fixed.js", "workshop.fixed.css", "workshop.fixed.html", "workshop-small.png", description
	}
	fill := strings.NewReplacer("{{script}}", script, "{{style}}", style, "{{description}}", about,
		"{{workshop}}", strings.TrimSpace(string(file("static/"+workshop))), "{{art}}", string(file("static/art.svg")))
	index := []byte(fill.Replace(string(file("static/index.html"))))
	mux.HandleFunc("GET /{$}", serve("text/html; charset=utf-8", http.StatusOK, index))
	for _, f := range []struct{ name, kind string }{
		{"dist/" + script, "text/javascript; charset=utf-8"},
		{"dist/" + script + ".map", "application/json"},
		{"static/app.css", "text/css; charset=utf-8"},
		{"static/" + style, "text/css; charset=utf-8"},
		{"static/icon.svg", "image/svg+xml"},
	} {
		_, base, _ := strings.Cut(f.name, "/")
		mux.HandleFunc("GET /"+base, serve(f.kind, http.StatusOK, file(f.name)))
	}
	data := largePicture
	if fixed {
		data = smallPicture
	}
	// Drawn now: while the page loads, its calls should have the machine.
	mux.HandleFunc("GET /"+photo, serve("image/png", http.StatusOK, data()))
	mux.HandleFunc("/", notFound(file("static/404.html")))
}

// notFound answers a page with a page, and everything else with a line: a
// browser that asks for a picture has no use for a document.
func notFound(page []byte) http.HandlerFunc {
	asPage := serve("text/html; charset=utf-8", http.StatusNotFound, page)
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Accept"), "text/html") {
			asPage(w, r)
			return
		}
		http.Error(w, "not found", http.StatusNotFound)
	}
}

func serve(kind string, status int, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		if status == http.StatusOK {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
			return
		}
		w.WriteHeader(status)
		_, _ = w.Write(body) // the client has gone; there is nobody to tell
	}
}

// file reads an embedded file. The names are those of this package, so a
// missing one is a broken build.
func file(name string) []byte {
	body, err := embedded.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("demo: %v", err))
	}
	return body
}
