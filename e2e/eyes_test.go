package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg" // for image.Decode
	_ "image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/orisano/pixelmatch"

	"oriel/internal/demo"
	"oriel/internal/tool"
)

// look is a page with a few things to look at: text, a box with a known colour
// and place, a picture of its own server, and more than one screen of it.
const lookPage = `<!doctype html><meta charset="utf-8"><title>Look</title><link rel="stylesheet" href="/look.css">
<h1>A page to look at</h1><div id="box"></div><img id="dot" src="/dot.svg" width="100" height="100"><div id="tall"></div>
<script>fetch("/data").then((r) => r.text())</script>`

const lookStyle = `body{margin:0;font:16px/1.5 sans-serif;background:#f4f1ea;color:#222} h1{padding:0 40px}
#box{position:absolute;left:40px;top:60px;width:200px;height:100px;background:#c0392b;border-radius:8px}
#dot{position:absolute;left:300px;top:60px} #tall{height:2400px}`

func lookSite(t *testing.T, policy string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/dot.svg":
			w.Header().Set("Content-Type", "image/svg+xml")
			fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><circle cx="5" cy="5" r="5" fill="#2980b9"/></svg>`)
		case "/data":
			fmt.Fprint(w, "data")
		case "/look.css":
			w.Header().Set("Content-Type", "text/css")
			fmt.Fprint(w, lookStyle)
		default:
			if policy != "" {
				w.Header().Set("Content-Security-Policy", policy)
			}
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, lookPage)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// shot is the raw answer of currentpage screenshot.
type shot struct {
	Path   string  `json:"path"`
	Width  int     `json:"width"`
	Height int     `json:"height"`
	Bytes  int     `json:"bytes"`
	Scale  float64 `json:"scale"`
	Mode   string  `json:"mode"`
	MIME   string  `json:"mime"`
	ID     uint64  `json:"id"`
	Page   string  `json:"page"`
}

// shoot takes a screenshot and decodes it. The picture in the answer, the file
// and the log are one.
func (s *session) shoot(args string) (shot, image.Image) {
	s.t.Helper()
	var out shot
	for _, raw := range []string{"", `,"raw":true`} {
		res := s.caller.Call(s.t.Context(), tool.Call{
			Tool: "currentpage", Args: json.RawMessage(`{"action":"screenshot"` + args + raw + `}`), From: tool.Origin{Dir: s.root, Env: os.Environ()},
		})
		if res.IsError || res.Image == nil {
			s.t.Fatalf("screenshot%s: %s", args, res.Text)
		}
		if len(res.Text) > 800 {
			s.t.Errorf("the text takes %d bytes: %.300s", len(res.Text), res.Text)
		}
		if raw == "" {
			if !strings.Contains(res.Text, ".png") && !strings.Contains(res.Text, ".jpeg") && !strings.Contains(res.Text, ".webp") {
				s.t.Errorf("the text names no file: %s", res.Text)
			}
			continue
		}
		if err := json.Unmarshal([]byte(res.Text), &out); err != nil {
			s.t.Fatal(err)
		}
		file, err := os.ReadFile(out.Path)
		if err != nil || !bytes.Equal(file, res.Image.Data) || res.Image.MIME != out.MIME || len(file) != out.Bytes {
			s.t.Fatalf("the file is not the picture: %v", err)
		}
		if log := s.call("proxylog", fmt.Sprintf(`{"ids":["%d"]}`, out.ID)); !strings.Contains(log, out.Path) || !strings.Contains(log, out.Mode) {
			s.t.Errorf("proxylog: %s", log)
		}
		if out.MIME == "image/webp" {
			return out, nil
		}
		img, _, err := image.Decode(bytes.NewReader(file))
		if err != nil {
			s.t.Fatal(err)
		}
		if img.Bounds().Dx() != out.Width || img.Bounds().Dy() != out.Height {
			s.t.Errorf("%v, said to be %d×%d", img.Bounds(), out.Width, out.Height)
		}
		return out, img
	}
	return out, nil
}

// isColour compares a pixel, given in CSS pixels.
func isColour(t *testing.T, img image.Image, scale float64, x, y int, red, green, blue int) {
	t.Helper()
	r, g, b, _ := img.At(int(float64(x)*scale), int(float64(y)*scale)).RGBA()
	far := func(a uint32, b int) bool { return max(int(a>>8)-b, b-int(a>>8)) > 6 }
	if far(r, red) || far(g, green) || far(b, blue) {
		t.Errorf("at %d,%d: %d %d %d, want %d %d %d", x, y, r>>8, g>>8, b>>8, red, green, blue)
	}
}

func checkLook(t *testing.T, img image.Image, scale float64) {
	t.Helper()
	isColour(t, img, scale, 10, 300, 0xf4, 0xf1, 0xea)
	isColour(t, img, scale, 140, 110, 0xc0, 0x39, 0x2b)
	isColour(t, img, scale, 350, 110, 0x29, 0x80, 0xb9)
}

// eyes is a session with a proxy before the site.
func eyes(t *testing.T, target string) (*session, string) {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, ".oriel.kdl"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := newSession(t, root)
	s.call("proxy", `{"action":"start","id":"look","target_url":"`+target+`"}`)
	return s, s.field("proxy", `{"action":"status"}`, "url")
}

func awaitPage(t *testing.T, s *session) {
	t.Helper()
	awaitCondition(t, func() bool {
		text := s.call("currentpage", `{}`)
		return strings.Contains(text, "on proxy look") && !strings.Contains(text, "still loading")
	})
}

// TestScreenshotExact: a tab that Oriel drives is looked at by its browser.
func TestScreenshotExact(t *testing.T) {
	s, _ := eyes(t, lookSite(t, "default-src 'none'; img-src 'self'; style-src 'self'").URL)
	s.call("browser", `{"action":"open","proxy_id":"look","viewport":"1280x800"}`)
	t.Cleanup(func() {
		s.caller.Call(context.Background(), tool.Call{Tool: "browser", Args: json.RawMessage(`{"action":"close"}`), From: tool.Origin{Dir: s.root}})
	})
	got, img := s.shoot("")
	if got.Mode != "exact" || got.Width != 1024 || got.Height != 640 || got.Scale != 0.8 || got.Page == "" {
		t.Errorf("%+v", got)
	}
	checkLook(t, img, got.Scale)
	if got, img := s.shoot(`,"selector":"#box","max_width":-1`); got.Width != 200 || got.Height != 100 {
		t.Errorf("an element: %+v", got)
	} else {
		isColour(t, img, 1, 100, 50, 0xc0, 0x39, 0x2b)
	}
	if got, _ := s.shoot(`,"full_page":true,"format":"webp","max_width":320`); got.MIME != "image/webp" || got.Width != 320 || got.Height < 600 {
		t.Errorf("the full page: %+v", got)
	}
	if got, _ := s.shoot(`,"page_id":"tab-1","format":"jpeg"`); got.MIME != "image/jpeg" || got.Mode != "exact" {
		t.Errorf("by tab: %+v", got)
	}
	for args, want := range map[string]string{
		`,"selector":"#bocks"`:                "#bocks",
		`,"format":"gif"`:                     "valid: png, jpeg, webp",
		`,"selector":"#box","full_page":true`: "not both",
		`,"page_id":"pnonexistent"`:           "page not found",
		`,"max_width":100000`:                 "max_width",
	} {
		if got := s.fail("currentpage", `{"action":"screenshot"`+args+`}`); !strings.Contains(got, want) {
			t.Errorf("%s: %s", args, got)
		}
	}
}

// TestScreenshotInAPersonsOwnTab: nobody drives the browser; the page draws
// itself, under any policy that lets it, and leaves no trace in the page's
// calls, errors or elements.
func TestScreenshotInAPersonsOwnTab(t *testing.T) {
	b := browser(t)
	for name, policy := range map[string]string{
		"no policy": "", "self": "default-src 'self'; script-src 'self' 'unsafe-inline'",
		"trusted types": "require-trusted-types-for 'script'",
	} {
		t.Run(name, func(t *testing.T) {
			s, url := eyes(t, lookSite(t, policy).URL)
			page := tab(t, b, url+"/")
			awaitPage(t, s)
			before := eval[string](t, page, "document.documentElement.outerHTML")
			got, img := s.shoot("")
			if got.Mode != "approximate" || got.Page == "" {
				t.Errorf("%+v", got)
			}
			checkLook(t, img, got.Scale)
			if text := s.call("currentpage", `{"action":"screenshot"}`); !strings.Contains(text, "approximate: drawn again") {
				t.Error(text)
			}
			if got, img := s.shoot(`,"selector":"#box"`); got.Width != 200 || got.Height != 100 {
				t.Errorf("an element: %+v", got)
			} else {
				isColour(t, img, 1, 100, 50, 0xc0, 0x39, 0x2b)
			}
			if got, _ := s.shoot(`,"full_page":true,"max_width":320,"format":"webp"`); got.MIME != "image/webp" || got.Width != 320 || got.Height < 600 {
				t.Errorf("the full page: %+v", got)
			}
			if got := s.fail("currentpage", `{"action":"screenshot","selector":"#boxx"}`); !strings.Contains(got, "nearest: #box") {
				t.Error(got)
			}
			if after := eval[string](t, page, "document.documentElement.outerHTML"); after != before {
				t.Errorf("the page is another:\n%s\n%s", before, after)
			}
			if n := eval[int](t, page, "__devtool_api.getCalls().length"); n != 1 {
				t.Errorf("%d calls are recorded, of which one is the page's", n)
			}
			if text := s.call("proxylog", `{"types":["error","console"]}`); !strings.HasPrefix(text, "nothing matches") {
				t.Error(text)
			}
			// A person at the console does the same.
			path := eval[string](t, page, `__devtool.screenshot("my view").then((s) => s.path)`)
			if _, err := os.Stat(path); err != nil || !strings.HasSuffix(path, "-my-view.png") {
				t.Errorf("%s: %v", path, err)
			}
			if text := s.call("proxylog", `{"types":["screenshot"],"limit":1}`); !strings.Contains(text, `"my view"`) {
				t.Error(text)
			}
		})
	}
}

// TestScreenshotOfAPageThatForbidsIt: the policy allows neither the image nor
// the frame; the answer says what to do.
func TestScreenshotOfAPageThatForbidsIt(t *testing.T) {
	s, url := eyes(t, lookSite(t, "default-src 'none'; style-src 'self'; script-src 'unsafe-inline'").URL)
	tab(t, browser(t), url+"/")
	awaitPage(t, s)
	if got := s.fail("currentpage", `{"action":"screenshot"}`); !strings.Contains(got, "content security policy") || !strings.Contains(got, "browser") {
		t.Error(got)
	}
	// What Oriel tried, pictures in data: addresses and an empty frame, is not the page's fault.
	if got := s.call("get_errors", `{}`); strings.Contains(got, `blocked data"`) || strings.Contains(got, "blank.html") {
		t.Error(got)
	}
}

// routesPage is a small app of two routes, in one document.
const routesPage = `<!doctype html><title>Routes</title><nav><button id="orders">Orders</button><button id="save">Save</button></nav><form action="/sent"><button id="send">Send</button></form>
<script>
const get = (path) => fetch(path).then((r) => r.text(), () => {});
get("/api/home");
orders.onclick = () => { history.pushState({}, "", "/orders"); get("/api/orders"); get("/api/broken"); setTimeout(() => { throw new Error("orders are wrong") }, 10) };
save.onclick = async () => { await get("/api/save?token=s3cret"); history.replaceState({}, "", "/orders?saved") };
</script>`

// TestVisits: route changes are visits of their own, and what the user set off
// is told.
func TestVisits(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/api/broken":
			http.Error(w, "no", http.StatusInternalServerError)
		case strings.HasPrefix(r.URL.Path, "/api/"):
			fmt.Fprint(w, "{}")
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, routesPage)
		}
	}))
	defer site.Close()
	s, _ := eyes(t, site.URL)
	s.call("browser", `{"action":"open","proxy_id":"look"}`)
	t.Cleanup(func() {
		s.caller.Call(context.Background(), tool.Call{Tool: "browser", Args: json.RawMessage(`{"action":"close"}`), From: tool.Origin{Dir: s.root}})
	})
	awaitPage(t, s)
	s.call("browser", `{"action":"click","selector":"#orders"}`)
	get := func(want ...string) func() bool {
		return func() bool {
			text := s.call("currentpage", `{"action":"get"}`)
			for _, part := range want {
				if !strings.Contains(text, part) {
					return false
				}
			}
			return true
		}
	}
	awaitCondition(t, get("visits, of 2:", "/orders: 2 calls, 1 failed, 1 error\n", "load → ", "/: 1 call\n", "after the last action, click on ", ": 2 calls, 1 failed, 1 error, push → ", "GET ", "/api/broken 500", "measured: TTFB "))
	if t.Failed() {
		t.Fatal(s.call("currentpage", `{"action":"get"}`))
	}
	s.call("browser", `{"action":"click","selector":"#save"}`)
	awaitCondition(t, get("visits, of 3:", "replace → ", "/orders?saved: 0 calls\n", "/orders: 3 calls, 1 failed, 1 error\n", "button#save", ": 1 call, replace → "))
	text := s.call("currentpage", `{"action":"get"}`)
	if t.Failed() || strings.Contains(text, "s3cret") || len(text) > 4<<10 {
		t.Fatal(text)
	}
	// A form that is sent leads to another document, whose page is another.
	s.call("browser", `{"action":"click","selector":"#send"}`)
	awaitCondition(t, get("/sent?: 1 call\n", "after the last action, ", "button#send", "load → "))
	if t.Failed() {
		t.Fatal(s.call("currentpage", `{"action":"get"}`))
	}
	var raw struct {
		Visits []struct {
			How      string
			CallList []struct{ URL string }
		}
		After struct{ SpanMs float64 }
	}
	if err := json.Unmarshal([]byte(s.call("currentpage", `{"action":"get","raw":true}`)), &raw); err != nil || len(raw.Visits) != 1 || raw.Visits[0].How != "load" || len(raw.Visits[0].CallList) != 1 {
		t.Errorf("%v %+v", err, raw)
	}
}

// rasterDifference takes the viewport of a tab twice, by its browser and by the
// page itself, and gives the share of pixels that differ, in per cent, as the
// comparison of snapshots counts them.
func rasterDifference(t *testing.T, s *session, page context.Context) float64 {
	t.Helper()
	got, drawn := s.shoot(`,"max_width":-1,"format":"png"`)
	if got.Mode != "approximate" {
		t.Fatalf("%+v", got)
	}
	limited, cancel := context.WithCancel(page)
	defer cancel()
	file, err := chromedp.Run(limited, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	seen, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if dir := os.Getenv("ORIEL_E2E_KEEP"); dir != "" { // to look at
		name := strings.NewReplacer("/", "-").Replace(t.Name())
		data, err := os.ReadFile(got.Path)
		if err != nil || os.WriteFile(filepath.Join(dir, name+"-page.png"), data, 0o644) != nil || os.WriteFile(filepath.Join(dir, name+"-browser.png"), file, 0o644) != nil {
			t.Fatal("keep the pictures")
		}
	}
	if seen.Bounds().Dx() != drawn.Bounds().Dx() || seen.Bounds().Dy() != drawn.Bounds().Dy() {
		t.Fatalf("%v and %v", seen.Bounds(), drawn.Bounds())
	}
	different, err := pixelmatch.MatchPixel(seen, drawn, pixelmatch.Threshold(0.1))
	if err != nil {
		t.Fatal(err)
	}
	share := 100 * float64(different) / float64(seen.Bounds().Dx()*seen.Bounds().Dy())
	t.Logf("%d of %d×%d pixels differ, %.2f %%", different, seen.Bounds().Dx(), seen.Bounds().Dy(), share)
	return share
}

// article is a page of nothing but text, in columns, with a table, code and a
// quotation.
func article() string {
	var b strings.Builder
	b.WriteString(`<!doctype html><meta charset="utf-8"><title>Article</title><style>body{font:17px/1.6 Georgia,serif;max-width:62em;margin:2em auto;color:#222}
h1,h2{font-family:sans-serif} .c{columns:2;column-gap:2em;text-align:justify} pre{background:#f3f3f3;padding:1em;border-radius:6px} td,th{border:1px solid #bbb;padding:.3em .8em} blockquote{border-left:4px solid #bbb;padding-left:1em;font-style:italic}
p::first-letter{font-weight:bold}</style><h1>On looking out of windows</h1><div class="c">`)
	for i := range 6 {
		fmt.Fprintf(&b, "<p>%d. A window built out from the wall lets those inside see along the street, in both directions, without opening it; it is warm in winter, bright in summer, and <em>always</em> a good place to sit with a book. <a href=#>More of it</a>.</p>", i)
	}
	b.WriteString(`</div><blockquote>What is seen from a window is never the whole street.</blockquote><pre>const oriel = (wall) =&gt; wall.map((stone) =&gt; stone.glass());</pre>
<table><tr><th>Window</th><th>Angle</th></tr><tr><td>Oriel</td><td>180°</td></tr><tr><td>Sash</td><td>120°</td></tr></table><ul><li>first</li><li>second</li></ul>`)
	return b.String()
}

// TestRasterAgainstTheBrowser: how far the page's own picture is from the
// browser's, on real pages. The third is in TestHelpersWithReact.
func TestRasterAgainstTheBrowser(t *testing.T) {
	text := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, article())
	})
	plain := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><style>body{margin:0}</style><h1 style="margin:40px">Nothing but the browser's own style</h1><pre>code</pre><form><input value="text"> <button>Send</button> <select><option>one</select> <input type="checkbox" checked> <progress value=".4"></progress></form><hr><ol><li>first<li>second</ol>`)
	})
	b := browser(t)
	for name, handler := range map[string]http.Handler{"shop": demo.Handler(demo.Options{}), "article": text, "plain": plain} {
		t.Run(name, func(t *testing.T) {
			site := httptest.NewServer(handler)
			defer site.Close()
			s, url := eyes(t, site.URL)
			page := tab(t, b, url+"/")
			awaitPage(t, s)
			awaitTrue(t, page, "document.fonts.status === 'loaded' && __devtool_api.getStats().inFlight === 0 && [...document.images].every((i) => i.complete)")
			if diff := rasterDifference(t, s, page); diff > 5 {
				t.Errorf("%.2f %% of the pixels differ", diff)
			}
		})
	}
}
