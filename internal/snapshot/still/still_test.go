package still

import (
	"context"
	"fmt"
	"image/color"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"oriel/internal/browser"
	"oriel/internal/snapshot/pixels"
)

// open starts a browser for the tests of this room.
func open(t *testing.T) *browser.Browser {
	t.Helper()
	b, err := browser.Launch(t.Context(), browser.Options{Headless: true, Dir: t.TempDir(), Env: os.Environ()})
	if err != nil {
		t.Fatalf("the tests of this house need a browser: %v", err)
	}
	t.Cleanup(func() {
		if err := b.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return b
}

const page = `<!doctype html><meta charset="utf-8"><style>
html { scroll-behavior: smooth } body { margin: 0 }
div { width: 100px; height: 20px; background: #fff }
@keyframes go { from { background: #f00 } to { background: #00f } }
#ends { animation: go 600s forwards } #loops { animation: go 3s infinite alternate }
#held { animation: go 4s -2s paused linear both } #slides { transition: background 600s }
#tall { height: 3000px }
</style>
<div id="ends"></div><div id="loops"></div><div id="held"></div><div id="slides"></div><div id="web"></div><div id="chain"></div><div id="seen"></div><div id="deep"></div>
<div id="tall"></div><div id="low"></div><div class="covered" style="background:#123"></div><input autofocus style="position:absolute;top:300px;left:300px;border:0;outline:0">
<script>
slides.getBoundingClientRect(); slides.style.background = 'rgb(0,255,0)';
web.animate({ background: ['#f00', '#0f0'] }, { duration: 900, iterations: Infinity });
chain.animate({ background: ['#f00', '#00f'] }, 60000).onfinish = () => {
  chain.style.background = '#f00'; chain.animate({ background: ['#0f0', '#f0f'] }, { duration: 60000, fill: 'forwards' });
};
new IntersectionObserver((e) => { if (e[0].isIntersecting) { seen.style.background = '#0ff'; seen.style.transition = 'background 5s' } }).observe(low);
const root = deep.attachShadow({ mode: 'open' });
root.innerHTML = '<style>@keyframes in { from { background: #0f0 } to { background: #f00 } } b { display: block; height: 20px; animation: in 2s infinite }</style><b></b>';
</script>`

// TestStill: what ends is at its end, what goes on for ever is at its beginning,
// what the page holds still stays, what appears when it is scrolled to is there.
func TestStill(t *testing.T) {
	b := open(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'")
			fmt.Fprint(w, page)
		case "/busy":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<!doctype html><title>busy</title><script>fetch('/never')</script><p>Busy`)
		case "/never":
			w.WriteHeader(200)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(site.Close)
	begun := time.Now()
	p, err := Take(t.Context(), b, site.URL, browser.Look{Width: 600, Height: 400}, []string{".covered", ".none"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close(t.Context())
	t.Logf("a picture in %s", time.Since(begun).Round(time.Millisecond))
	img, err := p.Image()
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Unsteady) > 0 || strings.Join(p.Missing, " ") != ".none" || len(p.Covered) != 1 || img.Rect.Dy() != 3200 || p.Size != img.Rect.Max {
		t.Errorf("%v, missing %v, covered %v, %v, %v", p.Unsteady, p.Missing, p.Covered, img.Rect, p.Size)
	}
	for i, want := range []struct {
		id    string
		color color.RGBA
	}{
		{"ends", color.RGBA{0, 0, 255, 255}},
		{"loops", color.RGBA{255, 0, 0, 255}},
		{"held", color.RGBA{128, 0, 128, 255}},
		{"slides", color.RGBA{0, 255, 0, 255}},
		{"web", color.RGBA{255, 0, 0, 255}},
		{"chain", color.RGBA{255, 0, 255, 255}},
		{"seen", color.RGBA{0, 255, 255, 255}},
		{"deep", color.RGBA{0, 255, 0, 255}},
	} {
		got := img.RGBAAt(50, 20*i+10)
		near := func(a, b uint8) bool { return max(a, b)-min(a, b) < 3 }
		if !near(got.R, want.color.R) || !near(got.G, want.color.G) || !near(got.B, want.color.B) {
			t.Errorf("#%s is %v, want %v", want.id, got, want.color)
		}
	}
	if got := img.RGBAAt(10, 3190); got.R != 255 || got.B != 255 || got.G != 0 {
		t.Errorf("what is to be ignored is %v", got)
	}
	names, err := p.Name(t.Context(), []pixels.Region{{Box: p.Covered[0]}, {Box: img.Rect}})
	if err != nil || names[0].Selector != "div.covered" || names[1].Selector == "" {
		t.Errorf("%+v, %v", names, err)
	}
	busy, err := Take(t.Context(), b, site.URL+"/busy", browser.Look{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close(t.Context())
	if len(busy.Unsteady) != 1 || !strings.Contains(busy.Unsteady[0], "the network is not idle: 1 requests under way") {
		t.Errorf("a page that never rests: %v", busy.Unsteady)
	}
}

// TestDoubts: what is hardly the page that is meant is kept, but not silently.
func TestDoubts(t *testing.T) {
	b := open(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/blank":
			fmt.Fprint(w, `<!doctype html><title>x</title><style>body { background: #123456 }</style><div id="root"></div>`)
		case "/account":
			http.Redirect(w, r, "/login?then=/account", http.StatusFound)
		case "/broken":
			fmt.Fprint(w, `<!doctype html><vite-error-overlay style="position:fixed;inset:0">No</vite-error-overlay><p>Page`)
		default: // a dot in a corner makes a page
			fmt.Fprint(w, `<!doctype html><vite-error-overlay style="display:none"></vite-error-overlay><div style="position:fixed;right:0;bottom:0;width:1px;height:1px;background:red"></div>`)
		}
	}))
	t.Cleanup(site.Close)
	for path, want := range map[string]string{
		"/blank": "it is blank: every pixel is #123456", "/account": "it led to /login", "/broken": "an error that Vite reports is over it", "/login": "", "/login/?a=1#b": "",
	} {
		p, err := Take(t.Context(), b, site.URL+path, browser.Look{Width: 200, Height: 100}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.Doubts, ", "); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
		p.Close(t.Context())
	}
}

// layered are ways in which a box comes onto a layer of its own.
var layered = []string{"position: sticky; top: 0", "will-change: opacity", "transform: translateZ(0)", "animation: turn 9s infinite", "backdrop-filter: blur(1px)"}

// TestHistoryLeavesNoTrace: a page looks the same however it came to be what it
// is. Boxes on layers of their own are not painted again when what is above them
// grows by a part of a pixel.
func TestHistoryLeavesNoTrace(t *testing.T) {
	b := open(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><style>
		@keyframes turn { from { opacity: .9 } to { opacity: 1 } } body { margin: 0; font: 16px/1.55 sans-serif }
		header { display: flex; padding: 13.6px; border-bottom: 1px solid #888 } b { height: 20px; background: #a00; border-radius: 9px } main { height: 900px }</style>
		<div id="above" style="height: %spx"></div>`, r.URL.Query().Get("from"))
		for _, style := range layered {
			fmt.Fprintf(w, `<header style="%s"><span>Fennel and Oak</span><b>3</b></header>`, style)
		}
		fmt.Fprint(w, `<main></main><script>
		onscroll = () => above.style.height = '37.33px'</script>`)
	}))
	t.Cleanup(site.Close)
	want := ""
	for _, from := range []string{"37.33", "36.8", "30.1", "200"} {
		p, err := Take(t.Context(), b, site.URL+"/?from="+from, browser.Look{Width: 300, Height: 400}, nil)
		if err != nil {
			t.Fatal(err)
		}
		p.Close(t.Context())
		got, err := p.PNG()
		switch {
		case err != nil:
			t.Fatal(err)
		case want == "":
			want = string(got)
		case !p.Is([]byte(want)):
			t.Errorf("from %s px it looks different", from)
		}
	}
}
