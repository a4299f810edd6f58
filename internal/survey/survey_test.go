package survey

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"oriel/internal/browser"
	"oriel/internal/engine"
	"oriel/internal/report"
	"oriel/internal/tool"
	"oriel/internal/tools"
)

const bootJS = `async function boot() {
  await fetch('/api/session');
  await fetch('/api/region');
  await fetch('/api/offers');
  document.title = 'Ready';
}
boot();
`

func site(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/src/boot.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, bootJS)
		case strings.HasPrefix(r.URL.Path, "/api/"):
			select { // the answer takes its time
			case <-time.After(250 * time.Millisecond):
			case <-r.Context().Done():
			}
			fmt.Fprint(w, "{}")
		case r.URL.Path == "/gone":
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, "<title>gone</title>")
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><title>Shop</title><script src=/src/boot.js></script>")
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// desk is an engine of its own, in a project that has the page's source.
func desk(t *testing.T) Desk {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{".oriel.kdl": "", "src/boot.js": bootJS} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e, err := engine.New(engine.Options{State: t.TempDir(), Linger: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close(context.Background()) })
	return Desk{Caller: tools.Caller(e), From: tool.Origin{Dir: root, Env: os.Environ()}}
}

// open opens an address in a browser of its own; the end of the test closes it,
// if nobody did before.
func open(t *testing.T, address string) (end func()) {
	t.Helper()
	b, err := browser.Launch(t.Context(), browser.Options{Headless: true, Dir: t.TempDir(), Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	end = sync.OnceFunc(func() { b.Close(context.Background()) })
	t.Cleanup(end)
	if _, err := b.Open(t.Context(), address, browser.Look{}); err != nil {
		t.Fatal(err)
	}
	return end
}

// visit opens the target and audits it: again when the machine was so busy that
// the page's calls did not follow each other at once, as its code says.
func visit(t *testing.T, d Desk, target Target) report.Data {
	t.Helper()
	for try := 1; ; try++ {
		end := open(t, target.Through)
		data, err := d.Audit(t.Context(), target, []string{"api"}, 500*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		if prompt(data.Calls) || try == 5 {
			return data
		}
		end()
	}
}

func prompt(calls []report.Call) bool {
	for i := 1; i < len(calls); i++ {
		if before := calls[i-1]; before.End == nil || calls[i].Start-*before.End > 50 {
			return false
		}
	}
	return true
}

func TestPage(t *testing.T) {
	d, address := desk(t), site(t)
	target, err := d.Front(t.Context(), "audit-1", address+"/shop?lang=en#top")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(target.Through, "/shop?lang=en#top") || strings.HasPrefix(target.Through, address) {
		t.Fatalf("through %s", target.Through)
	}
	data := visit(t, d, target)
	if data.Title != "Ready" || data.Page != address+"/shop?lang=en#top" || len(data.Notes) != 0 || len(data.Calls) != 3 {
		t.Errorf("title %q, page %s, notes %v, %d calls", data.Title, data.Page, data.Notes, len(data.Calls))
	}
	ids := map[string]bool{}
	for _, c := range data.Calls {
		ids[c.ID] = true
		if !strings.HasPrefix(c.URL, address+"/api/") || c.End == nil || *c.End-c.Start < 100 || c.Status != 200 {
			t.Errorf("call %+v", c)
		}
	}
	f := data.Audits[0].Findings[0]
	if f.Type != "waterfall" || f.Initiator == nil || f.Initiator.String() != "src/boot.js:2 in boot" {
		t.Errorf("finding %+v at %v", f, f.Initiator)
	}
	for _, id := range f.Calls {
		if !ids[id] {
			t.Errorf("call %s of the finding is not among %v", id, ids)
		}
	}
	image(t, d)
}

// image asks for the chart: the text stays what it is without.
func image(t *testing.T, d Desk) {
	t.Helper()
	call := func(args string) tool.Result {
		res := d.Caller.Call(t.Context(), tool.Call{Tool: "api_audit", Args: json.RawMessage(args), From: d.From})
		if res.IsError {
			t.Fatal(res.Text)
		}
		return res
	}
	call(`{"proxy_id":"audit-1"}`) // so that both below compare with the same
	plain, drawn, raw := call(`{"proxy_id":"audit-1"}`), call(`{"proxy_id":"audit-1","image":true}`), call(`{"id":"audit-1","raw":true}`)
	if plain.Image != nil || drawn.Image == nil || drawn.Image.MIME != "image/png" {
		t.Fatalf("images %v and %v", plain.Image, drawn.Image)
	}
	if plain.Text != drawn.Text {
		t.Errorf("the text differs:\n%s\n%s", plain.Text, drawn.Text)
	}
	if img, err := png.Decode(bytes.NewReader(drawn.Image.Data)); err != nil || img.Bounds().Dx() != 1000 || len(drawn.Image.Data) > 60<<10 {
		t.Errorf("%d bytes: %v", len(drawn.Image.Data), err)
	}
	if strings.Contains(raw.Text, "timeline") {
		t.Error("a timeline that nobody asked for")
	}
}

func TestNoPage(t *testing.T) {
	d, address := desk(t), site(t)
	if _, err := d.Front(t.Context(), "x", "shop.example"); err == nil || !strings.Contains(err.Error(), "must begin with http:// or https://") {
		t.Errorf("error %v", err)
	}
	target, err := d.Front(t.Context(), "audit-2", address+"/gone")
	if err != nil {
		t.Fatal(err)
	}
	open(t, target.Through)
	if _, err := d.Audit(t.Context(), target, []string{"api"}, 100*time.Millisecond); err == nil || !strings.Contains(err.Error(), "/gone answered 404") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Audit(ctx, Behind("audit-3", address, target.Through), []string{"api"}, time.Second); err == nil {
		t.Error("an audit after its end")
	}
}

func TestArchive(t *testing.T) {
	f, err := os.Open("../har/testdata/chrome.har")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := Archive(t.Context(), "chrome.har", f, "")
	if err != nil || len(all) != 2 {
		t.Fatalf("%d reports, %v", len(all), err)
	}
	d := all[0]
	if d.Page != "https://shop.example/products" || d.Source != "chrome.har" || d.When.IsZero() || len(d.Calls) != 16 || d.Audits[0].Score != 72 {
		t.Errorf("%+v", d)
	}
	if i := d.Audits[0].Findings[0].Initiator; i == nil || i.String() != "/src/boot.js:2:25 in boot" {
		t.Errorf("initiator %v", i)
	}
}

// TestArchiveWithSources: a recording that holds the scripts leads to their
// sources by the maps inside.
func TestArchiveWithSources(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "src", "list.ts"), []byte("export const a = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	// Line 1 of the bundle is line 5 of src/list.ts.
	script := "function load(){return fetch('/api/x')}\n//# sourceMappingURL=app.js.map"
	smap := `{"version":3,"sources":["../src/list.ts"],"sourcesContent":["export const a = 1\n"],"names":[],"mappings":"AAIA"}`
	var entries []string
	add := func(at int, url, kind, mime, text, frames string) {
		content, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, fmt.Sprintf(`{"startedDateTime":"2026-11-15T12:00:00.%03dZ","time":40,"_resourceType":%q,"_initiator":{"type":"script","stack":{"callFrames":[%s]}},"request":{"method":"GET","url":%q},"response":{"status":200,"content":{"mimeType":%q,"text":%s}}}`, at, kind, frames, url, mime, content))
	}
	add(0, "https://a.test/assets/app.js", "script", "text/javascript", script, "")
	add(1, "https://a.test/assets/app.js.map", "other", "application/json", smap, "")
	for i := range 6 {
		add(100+i, fmt.Sprintf("https://a.test/api/items/%d", 40+i), "fetch", "application/json", "{}", `{"functionName":"load","url":"https://a.test/assets/app.js","lineNumber":0,"columnNumber":23}`)
	}
	all, err := Archive(t.Context(), "a.har", strings.NewReader(`{"log":{"entries":[`+strings.Join(entries, ",")+`]}}`), root)
	if err != nil {
		t.Fatal(err)
	}
	if f := all[0].Audits[0].Findings[0]; f.Type != "n-plus-one" || f.Initiator == nil || f.Initiator.File != "src/list.ts" || f.Initiator.Line != 5 || f.Initiator.Compiled {
		t.Errorf("%s at %+v", f.Type, f.Initiator)
	}
}

func TestArchiveSaysWhatIsMissing(t *testing.T) {
	all, err := Archive(t.Context(), "x.har", strings.NewReader(`{"log":{"entries":[{},{"startedDateTime":"2026-11-15T12:00:00Z","_resourceType":"image","request":{"url":"http://a/i.png"}}]}}`), "")
	if err != nil || len(all) != 1 {
		t.Fatalf("%d reports, %v", len(all), err)
	}
	if notes := strings.Join(all[0].Notes, "\n"); notes != "none of the archive's 2 entries is a fetch or XHR call\n1 of the archive's 2 entries cannot be understood (entry 1: no request.url)" || !all[0].Audits[0].Empty() {
		t.Errorf("notes %s", notes)
	}
	if _, err := Archive(t.Context(), "y.har", strings.NewReader("{}"), ""); err == nil || !strings.HasPrefix(err.Error(), "y.har: read HAR: no \"log\"") {
		t.Errorf("error %v", err)
	}
}
