package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestDialogsWindowsDownloads(t *testing.T) {
	ctx, b := limited(t), shared(t)
	url := site(t, map[string]string{"/": `<!doctype html><title>Main</title>
	<button onclick="alert('Hello'); document.title = 'after ' + confirm('Sure?') + ' ' + prompt('Name?', 'Ada')">Ask</button>
	<button onclick="window.open('/next')">Open</button><button onclick="location = '/next'">Leave</button>
	<a href="/next" target="_blank">Aside</a><a href="/next">Onward</a>
	<a href="/data.bin" download="data.bin">Fetch</a><form action="/next"><button>Send</button></form>
	<button onclick="onbeforeunload = (e) => e.preventDefault()">Guard</button>`,
		"/next": "<title>Next</title><button onclick='window.close()'>Shut</button>", "/data.bin": "data"})
	home, err := b.Open(ctx, url+"/", Look{})
	if err != nil {
		t.Fatal(err)
	}
	click := func(tab *Tab, selector string) Outcome {
		t.Helper()
		o, err := tab.Click(ctx, selector, 0)
		if err != nil {
			t.Fatalf("click %s: %v", selector, err)
		}
		return o
	}
	o := click(home, "text=Ask")
	if len(o.Dialogs) != 3 || o.Dialogs[0] != (Dialog{Type: "alert", Message: "Hello"}) || o.Dialogs[1].Message != "Sure?" || o.Dialogs[2].Type != "prompt" {
		t.Errorf("dialogs: %+v", o.Dialogs)
	}
	if title := evaluate[string](t, home, "document.title"); title != "after true Ada" {
		t.Errorf("title %q", title)
	}
	for _, selector := range []string{"text=Open", "text=Aside"} {
		o = click(home, selector)
		if len(o.Opened) != 1 {
			t.Fatalf("%s: opened %v", selector, o.Opened)
		}
		popup, err := b.Tab(o.Opened[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := popup.Wait(ctx, Want{URL: "/next", Load: true}); err != nil {
			t.Errorf("%s: %v", selector, err)
		}
		if info, err := popup.Info(ctx); err != nil || info.Opener != home.ID() && selector == "text=Open" {
			t.Errorf("%s: %+v, %v", selector, info, err)
		}
		if selector == "text=Open" {
			if o := click(popup, "text=Shut"); !o.Closed {
				t.Errorf("the popup did not close: %+v", o)
			}
			if _, err := popup.Click(ctx, "text=Shut", 0); !errors.Is(err, ErrTabClosed) {
				t.Errorf("a closed tab: %v", err)
			}
		}
	}
	// A slow machine tells of the download after the click has been answered.
	o = click(home, "text=Fetch")
	for deadline := time.Now().Add(20 * time.Second); len(o.Downloads) == 0; o = home.Notes() {
		if time.Now().After(deadline) {
			t.Fatal("no download was denied")
		}
		if _, err := home.Wait(ctx, Want{For: 10 * time.Millisecond}); err != nil {
			t.Fatal(err)
		}
	}
	click(home, "text=Guard")
	for i, selector := range []string{"text=Leave", "text=Onward", "text=Send"} {
		o = click(home, selector)
		info, err := home.Info(ctx)
		if err != nil || !o.Navigated || info.Title != "Next" || !info.Loaded {
			t.Errorf("%s: %+v, %+v, %v", selector, o, info, err)
		}
		if i == 0 && (len(o.Dialogs) != 1 || o.Dialogs[0].Type != "beforeunload") {
			t.Errorf("leaving: %+v", o.Dialogs)
		}
		if err := home.Navigate(ctx, url+"/"); err != nil {
			t.Fatal(err)
		}
	}
	evaluate[bool](t, home, "window.mark = true")
	if err := home.Reload(ctx); err != nil || evaluate[bool](t, home, "window.mark === true") {
		t.Errorf("reload: %v", err)
	}
	if err := home.Navigate(ctx, url+"/data.bin"); err == nil {
		t.Error("a download is no page")
	}
}

func TestLook(t *testing.T) {
	ctx, b := limited(t), shared(t)
	document := `<!doctype html><meta name="viewport" content="width=device-width"><title>Look</title>
	<button ontouchstart="document.title = 'touched'" onclick="document.title += ' clicked'">Tap</button>`
	const seen = `[innerWidth, innerHeight, devicePixelRatio, matchMedia("(prefers-color-scheme: dark)").matches,
	  matchMedia("(prefers-reduced-motion: reduce)").matches, navigator.maxTouchPoints > 0, /iPhone/.test(navigator.userAgent), navigator.onLine].join()`
	for _, tt := range []struct {
		look Look
		want string
	}{
		{Look{}, "1280,800,1,false,false,false,false,true"},
		{Look{Width: 900, Height: 500, Scale: 2, ColorScheme: "dark", ReducedMotion: true}, "900,500,2,true,true,false,false,true"},
		{Look{Device: "iPhone", CPU: 2, Throttle: "4g"}, "393,852,3,false,false,true,true,true"},
	} {
		tab := openIn(t, b, document, tt.look)
		if got := evaluate[string](t, tab, seen); got != tt.want {
			t.Errorf("%+v: the page sees %s, want %s", tt.look, got, tt.want)
		}
		if tt.look.Device != "" {
			if _, err := tab.Click(ctx, "text=Tap", 0); err != nil {
				t.Error(err)
			}
			if got := evaluate[string](t, tab, "document.title"); got != "touched clicked" {
				t.Errorf("a tap: %q", got)
			}
			// A network of 165 ms is never faster than that.
			const slow = `(async () => { const begun = performance.now(); await fetch("/slow"); return performance.now() - begun })()`
			if got := evaluate[float64](t, tab, slow); got < 150 {
				t.Errorf("a call took %g ms", got)
			}
		}
	}
	tab := openIn(t, b, document, Look{})
	if err := tab.Dress(ctx, Look{Throttle: "offline", ColorScheme: "dark"}); err != nil {
		t.Fatal(err)
	}
	if got := evaluate[string](t, tab, `fetch("/next").then(() => "reached", () => "offline " + navigator.onLine)`); got != "offline false" {
		t.Errorf("offline: %s", got)
	}
	if err := tab.Navigate(ctx, "http://127.0.0.1:9/"); err == nil || !strings.Contains(err.Error(), "ERR_INTERNET_DISCONNECTED") {
		t.Errorf("offline: %v", err)
	}
	for _, wrong := range []Look{{Device: "nokia"}, {Width: 3, Height: 3}, {ColorScheme: "red"}, {Throttle: "2g"}, {CPU: -1}, {Scale: 99}} {
		if _, err := b.Open(ctx, "about:blank", wrong); err == nil {
			t.Errorf("%+v is no look", wrong)
		}
	}
}

// TestPrivate: a tab that somebody opened for himself is in no list, and what
// is asked aside neither sees nor is seen by the page's scripts.
func TestPrivate(t *testing.T) {
	ctx, b := limited(t), shared(t)
	before := len(b.Tabs())
	tab := openIn(t, b, `<!doctype html><title>Mine</title><script>window.secret = 1; document.querySelector = () => { throw 1 }</script>`, Look{Private: true})
	if n := len(b.Tabs()); n != before {
		t.Errorf("%d tabs, want %d", n, before)
	}
	got, err := tab.Aside(ctx, `async (a, b) => { window.mine = 2; return [a + b.c, typeof secret, document.querySelector("title").text] }`, json.RawMessage(`1`), json.RawMessage(`{"c":2}`))
	if err != nil || string(got) != `[3,"undefined","Mine"]` {
		t.Errorf("aside: %s, %v", got, err)
	}
	if seen := evaluate[string](t, tab, "typeof mine"); seen != "undefined" {
		t.Errorf("the page sees %s", seen)
	}
	// What it opens, nobody would close.
	evaluate[bool](t, tab, `!!(window.popup = open("about:blank"))`)
	for deadline := time.Now().Add(10 * time.Second); !evaluate[bool](t, tab, "popup.closed"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a window of a private tab is left")
		}
	}
	if _, err := tab.Aside(ctx, `() => { throw new Error("no") }`); err == nil || !strings.Contains(err.Error(), "no") {
		t.Errorf("thrown: %v", err)
	}
}

func TestScreenshot(t *testing.T) {
	ctx, b := limited(t), shared(t)
	document := `<!doctype html><body style="margin:0;background:#fff"><div style="height:3000px"></div>
	<div id="red" style="width:40px;height:30px;background:#f00;margin:10px"></div>`
	tab := openIn(t, b, document, Look{})
	for _, tt := range []struct {
		shot          Shot
		width, height int
		mime          string
	}{
		{Shot{}, 1024, 640, "image/png"},
		{Shot{MaxWidth: -1}, 1280, 800, "image/png"},
		{Shot{MaxWidth: 320, Format: "jpeg"}, 320, 200, "image/jpeg"},
		{Shot{Selector: "#red"}, 40, 30, "image/png"},
		{Shot{FullPage: true, MaxWidth: 640}, 640, 1525, "image/png"},
		{Shot{Format: "webp"}, 1024, 640, "image/webp"},
	} {
		img, err := tab.Screenshot(ctx, tt.shot)
		if err != nil {
			t.Errorf("%+v: %v", tt.shot, err)
			continue
		}
		if img.MIME != tt.mime || img.Width != tt.width || img.Height != tt.height || img.Cut != 0 {
			t.Errorf("%+v: %s %dx%d, want %dx%d", tt.shot, img.MIME, img.Width, img.Height, tt.width, tt.height)
		}
		if tt.mime == "image/webp" {
			if !bytes.HasPrefix(img.Data, []byte("RIFF")) {
				t.Errorf("no webp: %.20q", img.Data)
			}
			continue
		}
		decoded, _, err := image.Decode(bytes.NewReader(img.Data))
		if err != nil {
			t.Errorf("%+v: %v", tt.shot, err)
			continue
		}
		if size := decoded.Bounds().Size(); size.X != tt.width || size.Y != tt.height {
			t.Errorf("%+v: the picture is %v", tt.shot, size)
		}
		if tt.shot.Selector != "" {
			for _, p := range []image.Point{{0, 0}, {39, 29}} {
				if got := color.RGBAModel.Convert(decoded.At(p.X, p.Y)); got != (color.RGBA{255, 0, 0, 255}) {
					t.Errorf("the pixel at %v is %v", p, got)
				}
			}
		}
	}
	if _, err := tab.Screenshot(ctx, Shot{Format: "gif"}); err == nil {
		t.Error("gif is no format")
	}
	if _, err := tab.Screenshot(ctx, Shot{Selector: "#blue", Patience: 100 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), "no element matches #blue") {
		t.Errorf("missing element: %v", err)
	}
	// However narrow it is: neither side is longer than asked for, nor nothing.
	thin := openIn(t, b, `<!doctype html><body style="margin:0"><div id="thin" style="width:1px;height:9000px;background:#00f"></div>`, Look{})
	for side, want := range map[int]image.Point{0: {1, 9000}, 2000: {1, 2000}} {
		img, err := thin.Screenshot(ctx, Shot{Selector: "#thin", MaxSide: side})
		if err != nil {
			t.Fatal(err)
		}
		decoded, _, err := image.Decode(bytes.NewReader(img.Data))
		if err != nil || decoded.Bounds().Size() != want || img.Width != want.X || img.Height != want.Y {
			t.Errorf("at most %d: %v, said to be %dx%d, %v", side, decoded.Bounds(), img.Width, img.Height, err)
		}
	}
	phone := openIn(t, b, document, Look{Device: "pixel"})
	if img, err := phone.Screenshot(ctx, Shot{MaxWidth: -1}); err != nil || img.Width != 1082 {
		t.Errorf("on a phone: %d, %v", img.Width, err)
	}
}

func TestCrashIsAnError(t *testing.T) {
	t.Parallel()
	ctx, b := limited(t), launch(t)
	tab := openIn(t, b, "<p>fine", Look{})
	ended := make(chan error, 1)
	go func() {
		_, err := tab.Wait(ctx, Want{Selector: "text=never", Patience: 30 * time.Second})
		ended <- err
	}()
	if err := tab.Navigate(ctx, "chrome://crash"); err == nil {
		t.Error("a crash is no page")
	}
	if err := <-ended; !errors.Is(err, ErrCrashed) {
		t.Errorf("waiting in a page that crashes: %v", err)
	}
	if _, err := tab.Eval(ctx, "1"); !errors.Is(err, ErrCrashed) {
		t.Errorf("a crashed page: %v", err)
	}
	// The browser goes on.
	other := openIn(t, b, "<p>fine", Look{})
	go func() {
		_, err := other.Wait(ctx, Want{Selector: "text=never", Patience: 30 * time.Second})
		ended <- err
	}()
	b.chrome.Process().Kill()
	if err := <-ended; !errors.Is(err, ErrGone) {
		t.Errorf("waiting in a browser that is killed: %v", err)
	}
	<-b.Done()
	if _, err := b.Open(ctx, "about:blank", Look{}); !errors.Is(err, ErrGone) {
		t.Errorf("a killed browser: %v", err)
	}
}

// slow answers nothing until the test is over.
func slow(t *testing.T) string {
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(over) })
	return server.URL
}

func TestCallsHonourTheirContext(t *testing.T) {
	b, never := shared(t), slow(t)
	before := len(b.Tabs())
	tab := openIn(t, b, "<p>fine", Look{})
	for name, do := range map[string]func(context.Context) error{
		"open":     func(ctx context.Context) error { _, err := b.Open(ctx, never, Look{}); return err },
		"navigate": func(ctx context.Context) error { return tab.Navigate(ctx, never) },
		"eval":     func(ctx context.Context) error { _, err := tab.Eval(ctx, "new Promise(() => {})"); return err },
		"click":    func(ctx context.Context) error { _, err := tab.Click(ctx, "#none", time.Minute); return err },
		"launch": func(ctx context.Context) error {
			_, err := Launch(ctx, Options{Headless: true, Dir: t.TempDir()})
			return err
		},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 150*time.Millisecond)
		begun := time.Now()
		if err := do(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%s took %s", name, took)
		}
		cancel()
	}
	if n := len(b.Tabs()); n != before+1 {
		t.Errorf("%d tabs, want %d", n, before+1)
	}
}
