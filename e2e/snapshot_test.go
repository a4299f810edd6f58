package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"oriel/internal/demo"
	"oriel/internal/tool"
)

// gallery is a page whose look can be changed between two pictures.
type gallery struct {
	*httptest.Server
	sync.Mutex
	extra string // styles
	title string
	body  string // at the end
	grown string // before the footer
	fonts time.Duration
}

// look is what a case changes.
type look struct {
	style, title, body, grown string
	fonts                     time.Duration
}

func (g *gallery) set(l look) {
	g.Lock()
	defer g.Unlock()
	g.extra, g.title, g.body, g.grown, g.fonts = l.style, l.title, l.body, l.grown, l.fonts
	if g.title == "" {
		g.title = "Teapots and cups"
	}
}

func newGallery(t *testing.T) *gallery {
	t.Helper()
	g := &gallery{}
	g.set(look{})
	font := systemFont(t)
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.Lock()
		extra, title, body, grown, late := g.extra, g.title, g.body, g.grown, g.fonts
		g.Unlock()
		switch r.URL.Path {
		case "/", "/cups":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, galleryPage, extra, title, grown, body)
		case "/late.ttf":
			select { // a font that takes its time
			case <-time.After(late):
			case <-r.Context().Done():
			}
			w.Header().Set("Cache-Control", "no-store")
			_, _ = w.Write(font)
		case "/spin.gif":
			w.Header().Set("Content-Type", "image/gif")
			_, _ = w.Write(movingGIF)
		case "/lazy.svg":
			w.Header().Set("Content-Type", "image/svg+xml")
			fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="120" height="80"><rect width="120" height="80" fill="teal"/></svg>`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(g.Close)
	return g
}

// systemFont is a font of this machine that a page can ask for.
func systemFont(t *testing.T) []byte {
	t.Helper()
	for _, pattern := range []string{"/usr/share/fonts/truetype/*/*Mono*.ttf", "/usr/share/fonts/truetype/*/*.ttf", "/usr/share/fonts/*/*.ttf", "/System/Library/Fonts/*.ttf"} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			data, err := os.ReadFile(found[0])
			if err != nil {
				t.Fatal(err)
			}
			return data
		}
	}
	t.Fatal("this machine has no font")
	return nil
}

// movingGIF has two frames, red and blue, of 30 ms each, for ever.
var movingGIF, _ = base64.StdEncoding.DecodeString(
	"R0lGODlhAgACAPAAAP8AAAAA/yH/C05FVFNDQVBFMi4wAwEAAAAh+QQAAwAAACwAAAAAAgACAAACAoRRACH5BAADAAAALAAAAAACAAIAAAICjFkAOw==")

const galleryPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Gallery</title>
<style>
@font-face { font-family: Late; src: url(/late.ttf) }
html { scroll-behavior: smooth }
body { margin: 0; font: 16px/1.5 sans-serif; background: #fff; color: #222 }
header { padding: 16px 24px; background: #f4f4f8 }
main { padding: 24px }
.card { width: 240px; height: 120px; margin: 0 0 24px; padding: 12px; box-sizing: border-box; background: #e8eef8; border-radius: 8px }
#buy { display: inline-block; padding: 10px 24px; background: #2266cc; color: #fff; border: 0; font: inherit }
.late { font-family: Late, serif }
@keyframes spin { to { transform: rotate(360deg) } }
@keyframes rise { from { opacity: 0; transform: translateY(40px) } }
.spinner { width: 40px; height: 40px; background: conic-gradient(red, blue); animation: spin .7s linear infinite }
.rise { animation: rise 3s }
.glow { width: 40px; height: 40px; background: green; transition: background 4s }
%s
</style>
<header><h1 id="title">%s</h1></header>
<main>
<div class="card" id="one">First card<br><input id="name" value="Ada" autofocus></div>
<div class="card" id="two">Second card</div>
<p class="late">A line in a font that comes late.</p>
<button id="buy">Buy now</button>
<div class="spinner"></div><p class="rise">Rising</p><div class="glow"></div><div id="waapi" style="width:40px;height:20px;background:orange"></div>
<img src="/spin.gif" width="40" height="40" alt="spinning">
<svg width="60" height="20"><rect width="20" height="20"><animate attributeName="x" from="0" to="40" dur="0.6s" repeatCount="indefinite"/></rect></svg>
<p id="clock"></p>
<div style="height:100px"></div>
%s
<img id="lazy" src="/lazy.svg" loading="lazy" width="120" height="80" alt="lazy">
<footer id="foot">The end of the gallery<br>with several<br>lines of text</footer>
</main>
<script>
document.querySelector('.glow').style.background = 'purple';
document.getElementById('waapi').animate({ transform: ['none', 'translateX(300px)'] }, { duration: 900, iterations: Infinity });
clock.textContent = 'now ' + Math.random().toFixed(12);
</script>
%s</html>`

func (s *session) gallery(t *testing.T) *gallery {
	t.Helper()
	g := newGallery(t)
	s.call("proxy", `{"action":"start","id":"shop","target_url":"`+g.URL+`"}`)
	return g
}

// TestSnapshot: what changed is found and named, what moves or comes late is
// not told.
func TestSnapshot(t *testing.T) {
	root := t.TempDir()
	s := newSession(t, root)
	g := s.gallery(t)
	text := s.call("snapshot", `{"action":"baseline","name":"home","page":"/","ignore":"#clock","viewports":"400x300"}`)
	for _, want := range []string{"baseline home: 1 picture, 1 new in .oriel/snapshots/home", "/ 400x300: 400×"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
	if strings.Contains(text, "not steady") {
		t.Errorf("the page is not steady:\n%s", text)
	}
	for name, tt := range map[string]struct {
		look look
		want []string
		not  []string
	}{
		"nothing":         {look{}, []string{"home: pass, 1 picture as before", "pass / 400x300\n"}, []string{"fail"}},
		"late font":       {look{fonts: 1200 * time.Millisecond}, []string{"home: pass"}, []string{"fail"}},
		"one pixel":       {look{style: "#two { position: relative; left: 1px }"}, []string{"home: fail", `#two "Second card"`, "moved 1 px right", "1 region"}, []string{"#one"}},
		"colour":          {look{style: "#buy { background: #cc2266 }"}, []string{`#buy "Buy now"`, "colour #2266cc → #cc2266", "1 region", "diff: .oriel/snapshots/home/diff/index.400x300.png"}, []string{"moved"}},
		"pale colour":     {look{style: "header { background: #eceCF0 }"}, []string{"header", "colour #f4f4f8 → #ececf0"}, nil},
		"text":            {look{title: "Teapots and mugs"}, []string{`#title "Teapots and mugs"`, "1 region"}, []string{"moved", "colour"}},
		"it grew":         {look{grown: `<div id="banner" style="height:40px;background:gold">New here</div>`}, []string{"size 400×", "everything below y=", "moved down by 40 px", `#banner "New here"`, "came in"}, nil},
		"more room":       {look{style: "#two { margin-bottom: 84px }"}, []string{"moved down by 60 px", "size 400×1061 → 400×1121 px", "1 region"}, nil},
		"it is wider":     {look{style: "#one { width: 260px }"}, []string{`#one "First card"`, "1 region"}, []string{"colour", "moved"}},
		"other animation": {look{style: ".spinner { animation-duration: 1.3s }"}, []string{"home: pass"}, []string{"fail"}},
	} {
		t.Run(name, func(t *testing.T) {
			g.set(tt.look)
			begun := time.Now()
			got := s.call("snapshot", `{"action":"compare","name":"home"}`)
			t.Logf("%s\n%s", time.Since(begun).Round(time.Millisecond), got)
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q is not in:\n%s", want, got)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(got, not) {
					t.Errorf("%q is in:\n%s", not, got)
				}
			}
		})
	}
}

// TestSnapshotKept: what a snapshot is on disk, and who may change it.
func TestSnapshotKept(t *testing.T) {
	root := t.TempDir()
	s := newSession(t, root)
	g := s.gallery(t)
	// The page that was looked at last is the one that is meant.
	s.call("browser", `{"action":"open","url":"/cups"}`)
	if got := s.call("snapshot", `{"action":"baseline","name":"shop","viewports":"320x400@2 dark,400x300","ignore":"#clock, .nothing","threshold":0.5}`); !strings.Contains(got, "/cups 320x400@2 dark: 640×") || !strings.Contains(got, "/cups 400x300: 400×") {
		t.Fatalf("the baseline: %s", got)
	}
	if got := s.call("browser", `{}`); strings.Count(got, "tab-") != 1 {
		t.Errorf("the tabs of snapshots are in the list: %s", got)
	}
	first := tree(t, filepath.Join(root, ".oriel"))
	for _, want := range []string{"snapshots/.gitignore", "snapshots/shop/meta.json", "snapshots/shop/cups.400x300.png", "snapshots/shop/cups.320x400at2-dark.png"} {
		if first[want] == "" {
			t.Errorf("%s is not there: %v", want, len(first))
		}
	}
	if strings.Contains(first["snapshots/shop/meta.json"], "20") && strings.Contains(first["snapshots/shop/meta.json"], time.Now().Format("2006-01-02")) {
		t.Error("a date is kept")
	}
	if got := s.call("snapshot", `{"action":"baseline","name":"shop"}`); !strings.Contains(got, "2 pictures, 2 unchanged") {
		t.Errorf("taken again: %s", got)
	}
	if diff := changed(first, tree(t, filepath.Join(root, ".oriel"))); len(diff) > 0 {
		t.Errorf("nothing changed but %v", diff)
	}
	g.set(look{style: "body { background: #eee; color-scheme: dark }"})
	compared := s.caller.Call(t.Context(), call("snapshot", root, `{"action":"compare","name":"shop","image":true}`))
	if compared.IsError || compared.Image == nil || compared.Image.MIME != "image/png" || !strings.Contains(compared.Text, "shop: fail, 2 of 2 pictures differ") {
		t.Fatalf("compared: %s", compared.Text)
	}
	second := tree(t, filepath.Join(root, ".oriel"))
	for _, path := range changed(first, second) {
		if !strings.HasPrefix(path, "snapshots/shop/diff/") {
			t.Errorf("a comparison changed %s", path)
		}
	}
	if got := s.call("snapshot", `{"action":"get","name":"shop"}`); strings.Count(got, "differed when last compared") != 2 || !strings.Contains(got, `threshold 0.5 %, ignores "#clock, .nothing"`) {
		t.Errorf("get: %s", got)
	}
	// One viewport alone is accepted; the other still differs.
	if got := s.call("snapshot", `{"action":"baseline","name":"shop","viewports":"400x300"}`); !strings.Contains(got, "1 picture, 1 replaced") {
		t.Errorf("replaced: %s", got)
	}
	if got := s.call("snapshot", `{"action":"compare","name":"shop","threshold":100}`); !strings.Contains(got, "shop: pass, 1 of 2 pictures differ within the threshold") || !strings.Contains(got, "pass /cups 320x400@2 dark: ") {
		t.Errorf("with a threshold: %s", got)
	}
	if got := s.call("snapshot", `{}`); !strings.HasPrefix(got, "shop: 2 pictures (/cups 320x400@2 dark, /cups 400x300)") {
		t.Errorf("list: %s", got)
	}
	s.call("snapshot", `{"action":"delete","name":"shop"}`)
	if left := tree(t, filepath.Join(root, ".oriel")); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
}

// TestSnapshotRefuses: every wrong question has an answer that helps.
func TestSnapshotRefuses(t *testing.T) {
	s := newSession(t, t.TempDir())
	g := s.gallery(t)
	for args, want := range map[string]string{
		`{"action":"compare"}`:                                                "name required for compare",
		`{"action":"compare","name":"home"}`:                                  "snapshot not found: home (none was taken in this project): take it first",
		`{"action":"delete","name":"home"}`:                                   "snapshot not found: home",
		`{"action":"baseline","name":"../x","page":"/"}`:                      "letters, digits, dot, dash and underscore only",
		`{"action":"baseline","name":"a","page":"/","viewports":"wide open"}`: "unknown \\\"open\\\"",
		`{"action":"baseline","name":"a","page":"/","viewports":"12x"}`:       "expected a size such as",
		`{"action":"baseline","name":"a","page":"/","threshold":101}`:         "from 0 to 100",
		`{"action":"baseline","name":"a","page":"/none"}`:                     "HTTP 404",
		`{"action":"baseline","name":"a","page":"/","ignore":"##"}`:           "is no CSS selector",
		`{"action":"baseline","name":"a","page":"file:///etc/passwd"}`:        "expected a path or an http address",
		`{"action":"baseline","name":"a","page":"other:/x"}`:                  "proxy not found: other",
		`{"action":"get","name":"a"}`:                                         "snapshot not found: a",
	} {
		if got := s.fail("snapshot", args); !strings.Contains(got, want) {
			t.Errorf("%s: %s does not say %q", args, got, want)
		}
	}
	if left, err := os.ReadDir(filepath.Join(s.root, ".oriel")); err == nil {
		t.Errorf("left: %v", left)
	}
	s.call("snapshot", `{"action":"baseline","name":"Home","page":"/"}`)
	if got := s.fail("snapshot", `{"action":"baseline","name":"home","page":"/"}`); !strings.Contains(got, "only by case") {
		t.Errorf("another case: %s", got)
	}
	if got := s.fail("snapshot", `{"action":"compare","name":"Home","viewports":"100x100"}`); !strings.Contains(got, "it has: / 1280x800") {
		t.Errorf("no such viewport: %s", got)
	}
	// What never rests is said, with what moves.
	g.set(look{body: `<script>const el = document.getElementById('two'); (function run(t) { el.style.opacity = (t % 500) / 500; requestAnimationFrame(run) })(0)</script>`})
	if got := s.call("snapshot", `{"action":"baseline","name":"restless","page":"/","viewports":"300x200"}`); !strings.Contains(got, "not steady: it did not come to rest: #two moves") {
		t.Errorf("restless: %s", got)
	}
	g.Close()
	if got := s.call("snapshot", `{"action":"compare","name":"Home"}`); !strings.Contains(got, "fail / 1280x800: load ") || !strings.Contains(got, "HTTP 502") {
		t.Errorf("a server that is down: %s", got)
	}
}

// TestSnapshotOfAShop: a page with loaders, calls and pictures looks the same
// every time, on a phone too.
func TestSnapshotOfAShop(t *testing.T) {
	shop := httptest.NewServer(demo.Handler(demo.Options{}))
	defer shop.Close()
	s := newSession(t, t.TempDir())
	s.call("proxy", `{"action":"start","id":"shop","target_url":"`+shop.URL+`"}`)
	if got := s.call("snapshot", `{"action":"baseline","name":"shop","page":"/","viewports":"1280x720,iphone@1 dark"}`); !strings.Contains(got, "2 pictures, 2 new") {
		t.Fatal(got)
	}
	for range 2 {
		if got := s.call("snapshot", `{"action":"compare","name":"shop"}`); !strings.HasPrefix(got, "shop: pass, 2 pictures as before") {
			t.Errorf("nothing changed, but:\n%s", got)
		}
	}
}

func call(name, root, args string) tool.Call {
	return tool.Call{Tool: name, Args: json.RawMessage(args), From: tool.Origin{Dir: root, Env: os.Environ()}}
}

// tree is the files below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// changed are the files that differ, came or went.
func changed(a, b map[string]string) []string {
	var list []string
	for name, text := range a {
		if b[name] != text {
			list = append(list, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			list = append(list, name)
		}
	}
	return list
}
