package hands

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oriel/internal/browser"
	"oriel/internal/engine"
	"oriel/internal/page"
	"oriel/internal/tool"
	"oriel/internal/tools/session"
)

// house is a project with a shop and the tool.
type house struct {
	*testing.T
	engine *engine.Engine
	state  string
	dir    string
	shop   string // address of the dev server
	call   tool.Caller
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{T: t, state: t.TempDir(), dir: t.TempDir()}
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			_, _ = w.Write([]byte(`<!doctype html><title>Shop</title><form action="/thanks"><label>Name <input name="name"></label><button>Order now</button></form>
			<button onclick="alert('Out of stock')">Ask</button><button onclick="window.open('/thanks')">More</button>
			<button onclick="document.title = confirm('Really?')">Delete</button><button onclick="document.title = prompt('Who?', 'me')">Rename</button>`))
		case "/thanks":
			_, _ = w.Write([]byte(`<!doctype html><title>Thanks</title><h1>Thank you</h1>`))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(shop.Close)
	h.shop = shop.URL
	var err error
	if h.engine, err = engine.New(engine.Options{State: h.state, Linger: time.Hour}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.engine.Close(context.Background()) })
	h.call = tool.Table[session.Session]{Browser}.Bind(func(ctx context.Context, from tool.Origin) (session.Session, error) {
		w, err := h.engine.Enter(ctx, from.Dir)
		return session.Session{Workspace: w, From: from}, err
	})
	return h
}

func (h *house) workspace() *engine.Workspace {
	h.Helper()
	w, err := h.engine.Enter(h.Context(), h.dir)
	if err != nil {
		h.Fatal(err)
	}
	return w
}

func (h *house) raw(args string) tool.Result {
	h.Helper()
	ctx, cancel := context.WithTimeout(h.Context(), time.Minute)
	defer cancel()
	return h.call.Call(ctx, tool.Call{Tool: "browser", Args: json.RawMessage(args), From: tool.Origin{Dir: h.dir, Env: os.Environ()}})
}

// says calls the tool and expects words in its answer.
func (h *house) says(args string, want ...string) string {
	h.Helper()
	r := h.raw(args)
	if r.IsError {
		h.Fatalf("%s: %s", args, r.Text)
	}
	for _, text := range want {
		if !strings.Contains(r.Text, text) {
			h.Errorf("%s: %q does not say %q", args, r.Text, text)
		}
	}
	return r.Text
}

// fails calls the tool and expects words in its error.
func (h *house) fails(args string, want ...string) {
	h.Helper()
	r := h.raw(args)
	if !r.IsError {
		h.Errorf("%s: no error but %s", args, r.Text)
		return
	}
	for _, text := range want {
		if message := tool.ErrorMessage(r); !strings.Contains(message, text) {
			h.Errorf("%s: %q does not say %q", args, message, text)
		}
	}
}

func TestBrowser(t *testing.T) {
	h := newHouse(t)
	h.says(`{}`, "no tab is open")
	h.fails(`{"action":"click","selector":"#x"}`, "no tab is open: open one")
	h.fails(`{"action":"open"}`, "url or proxy_id required for open")
	h.fails(`{"action":"open","proxy_id":"dev"}`, "proxy not found: dev")
	w := h.workspace()
	p, err := w.StartProxy(t.Context(), engine.ProxySpec{ID: "dev", Target: h.shop})
	if err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		`{"action":"open","url":"/","viewport":"wide"}`:                      `expected width and height such as "1280x800"`,
		`{"action":"open","url":"/","device":"nokia"}`:                       "valid: desktop",
		`{"action":"open","url":"/","emulate":"2g"}`:                         "valid: dark, light, reduced-motion, online, slow-3g",
		`{"action":"open","url":"/","emulate":["cpu=fast"]}`:                 "such as cpu=4",
		`{"action":"open","url":"http://"}`:                                  "expected an address such as http://localhost:3000",
		`{"action":"open","url":"https://example.com","proxy_id":"dev"}`:     "is not what proxy dev fronts",
		`{"action":"open","url":"http://127.0.0.1:2/"}`:                      "nothing listens there",
		`{"action":"open","url":"http://127.0.0.1:1/","headless":"perhaps"}`: `expected true or false`,
	} {
		h.fails(args, want)
	}
	// An address of the dev server goes through the proxy, and the page is known.
	address := strings.Replace(h.shop, "127.0.0.1", "localhost", 1) + "/?a=1"
	text := h.says(`{"action":"open","url":"`+address+`"}`, p.URL()+"/?a=1 \"Shop\", page ", " on proxy dev", address+" was opened through proxy dev", `proxylog {"proxy_id":"dev"}`)
	if pages := p.Hub.Pages(); len(pages) != 1 || !strings.Contains(text, "page "+pages[0].ID()) {
		t.Errorf("%s does not name the page of %v", text, pages)
	}
	h.says(`{}`, "Shop", "on proxy dev")
	h.says(`{"action":"click","selector":"text=Ask"}`, `clicked button "Ask"`, `alert "Out of stock" was answered with OK`)
	h.says(`{"action":"click","selector":"text=Delete"}`, `confirm "Really?" was answered with OK ("value":"dismiss" for Cancel)`, `"true"`)
	h.says(`{"action":"click","selector":"text=Delete","value":"dismiss"}`, `confirm "Really?" was answered with Cancel`, `"false"`)
	h.says(`{"action":"press","selector":"text=Delete","keys":"Enter"}`, `answered with OK`, `"true"`)
	h.says(`{"action":"click","selector":"text=Rename"}`, `prompt "Who?" was answered with "me" ("value" for another answer`, `"me"`)
	h.says(`{"action":"click","selector":"text=Rename","value":"Ada"}`, `answered with "Ada"`, `"Ada"`)
	h.says(`{"action":"click","selector":"text=Rename","value":"dismiss"}`, `answered with Cancel`, `"null"`)
	h.fails(`{"action":"click","selector":"text=Oder now","timeout":"300ms"}`, "no element matches text=Oder now", `button "Order now"`)
	h.says(`{"action":"fill","selector":"text=Name","value":"Ada \"L\""}`, `filled textbox "Name"`, `which now holds "Ada \"L\""`)
	h.says(`{"action":"press","keys":"Control+A"}`, "pressed Control+A")
	h.says(`{"action":"fill","selector":"[name=name]","value":"Grace"}`, "Grace")
	h.says(`{"action":"click","selector":"role=button[name=\"Order now\"]"}`, `now tab-`, "/thanks?name=Grace \"Thanks\", page ", " on proxy dev")
	h.says(`{"action":"wait","selector":"text=Thank you"}`, `found heading "Thank you"`)
	h.says(`{"action":"wait","url":"/thanks","until":"idle"}`, "waited")
	h.says(`{"action":"wait","selector":"text=Order now","gone":true}`, "gone: text=Order now")
	h.says(`{"action":"wait","timeout":"10ms"}`, "waited")
	h.fails(`{"action":"wait"}`, "selector, url, until or timeout required for wait")
	h.fails(`{"action":"press","keys":"Entre"}`, `unknown key "Entre"`)
	h.fails(`{"action":"click","selector":"a","id":"tab-99"}`, "tab not found: tab-99 (open: tab-")
	h.says(`{"action":"open","proxy_id":"dev","device":"iphone","emulate":["dark","4g"]}`, `"Shop"`)
	h.says(`{"action":"click","selector":"text=More"}`, "it opened tab-")
	var list browserListOut
	if err := json.Unmarshal(h.raw(`{"raw":true}`).Data, &list); err != nil || len(list.Tabs) != 3 || list.Tabs[2].Opener != list.Tabs[1].ID || list.Tabs[0].PageID == "" {
		t.Errorf("%+v, %v", list, err)
	}
	h.says(`{"action":"open","url":"data:text/html,<title>Elsewhere</title>"}`, "Elsewhere", "no proxy of this project fronts it")
	b := w.Browsers()
	h.says(`{"action":"close","id":"`+list.Tabs[0].ID+`"}`, "closed "+list.Tabs[0].ID+"; 3 tabs open")
	h.says(`{"action":"close"}`, "; 0 tabs open")
	if len(b) != 1 || len(w.Browsers()) != 0 {
		t.Errorf("browsers before %v and after %v", b, w.Browsers())
	}
	<-b[0].Done()
	h.says(`{"action":"close"}`, "no tab was open")
}

// TestOffline: a page that shall be offline is loaded first, stays known, and
// comes back online in the same tab.
func TestOffline(t *testing.T) {
	h := newHouse(t)
	p, err := h.workspace().StartProxy(t.Context(), engine.ProxySpec{ID: "dev", Target: h.shop})
	if err != nil {
		t.Fatal(err)
	}
	h.says(`{"action":"open","proxy_id":"dev","emulate":["offline","dark"]}`, `"Shop", offline, page `, "it was loaded first; now it is offline", `"id":"tab-1","emulate":"online"`)
	h.says(`{}`, "offline")
	h.says(`{"action":"click","selector":"text=Order now"}`, "/thanks?name= ", ", could not be reached, offline")
	h.says(`{"action":"open","id":"tab-1","url":"/","emulate":"offline"}`, `tab-1: `+p.URL()+`/ "Shop", offline, page `)
	pages := p.Hub.Pages()
	if len(pages) != 1 {
		t.Fatalf("pages: %v", pages)
	}
	seen := func(want string) {
		t.Helper()
		v, err := pages[0].Exec(t.Context(), `[await fetch("/thanks").then(() => "reached", () => "failed"), navigator.onLine, matchMedia("(prefers-color-scheme: dark)").matches, innerWidth].join()`, page.ExecOptions{Timeout: 5 * time.Second})
		if err != nil || string(v.JSON) != want {
			t.Errorf("the page sees %s, %v, want %s", v.JSON, err, want)
		}
	}
	seen(`"failed,false,true,1280"`)
	if text := h.says(`{"action":"open","id":"tab-1","emulate":"online","viewport":"800x600"}`, `tab-1: `); strings.Contains(text, "offline") {
		t.Error(text)
	}
	seen(`"reached,true,true,800"`)
	h.fails(`{"action":"open","id":"tab-1","emulate":"2g"}`, "valid: dark, light, reduced-motion, online")
	h.fails(`{"action":"open","id":"tab-9"}`, "proxy not found: tab-9")
}

// TestTabsAtOneAddress: tabs that show the same address are different pages.
func TestTabsAtOneAddress(t *testing.T) {
	h := newHouse(t)
	if _, err := h.workspace().StartProxy(t.Context(), engine.ProxySpec{ID: "dev", Target: h.shop}); err != nil {
		t.Fatal(err)
	}
	opened := map[string]string{}
	for range 2 {
		var out browserOpenOut
		if err := json.Unmarshal(h.raw(`{"action":"open","proxy_id":"dev","raw":true}`).Data, &out); err != nil || out.Tab.PageID == "" {
			t.Fatalf("%+v, %v", out, err)
		}
		opened[out.Tab.ID] = out.Tab.PageID
	}
	var list browserListOut
	if err := json.Unmarshal(h.raw(`{"raw":true}`).Data, &list); err != nil || len(list.Tabs) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, tab := range list.Tabs {
		if tab.PageID != opened[tab.ID] {
			t.Errorf("%s is listed with page %s, it was opened with %s", tab.ID, tab.PageID, opened[tab.ID])
		}
	}
}

func TestBrowserEndsWithTheProject(t *testing.T) {
	h := newHouse(t)
	h.says(`{"action":"open","url":"` + h.shop + `"}`)
	b := h.workspace().Browsers()
	if len(b) != 1 {
		t.Fatalf("browsers: %v", b)
	}
	h.engine.Close(context.Background())
	select {
	case <-b[0].Done():
	default:
		t.Error("the browser is still there")
	}
	if left, err := os.ReadDir(filepath.Join(h.state, "browsers")); err != nil || len(left) != 0 {
		t.Errorf("profiles left: %v, %v", left, err)
	}
	h.fails(`{"action":"open","url":"`+h.shop+`"}`, "shutting down")
}

// TestBrowserAgain: a browser that dies is replaced by the next call.
func TestBrowserAgain(t *testing.T) {
	h := newHouse(t)
	h.says(`{"action":"open","url":"` + h.shop + `"}`)
	first := h.workspace().Browsers()[0]
	process, err := os.FindProcess(first.PID())
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-first.Done()
	h.fails(`{"action":"click","selector":"text=Ask"}`, "no tab is open")
	h.says(`{"action":"open","url":"`+h.shop+`"}`, "tab-1")
	if again := h.workspace().Browsers(); len(again) != 1 || again[0] == first {
		t.Errorf("browsers: %v", again)
	}
}

func TestMissingBrowserSaysHowToGetOne(t *testing.T) {
	err := Install(&browser.NotFoundError{Names: []string{"chromium"}, Paths: []string{"/usr/bin/chromium"}})
	for _, want := range []string{"no Chromium, Chrome or Edge found", "apt install chromium", browser.URLEnv, browser.PathEnv} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %s", err, want)
		}
	}
}

func TestWordsAreFew(t *testing.T) {
	const most = 900
	n := len(Browser.Doc.Text) + len(Browser.Schema)
	if n > most {
		t.Errorf("%d bytes, at most %d:\n%s\n%s", n, most, Browser.Doc.Text, Browser.Schema)
	}
	t.Logf("%d bytes", n)
}
