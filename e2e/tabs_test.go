package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/shirou/gopsutil/v4/process"

	"oriel/internal/journal"
)

const tabCount = 10

// tabSite is a page that makes as many calls as its number says, throws, and
// logs, all in its own name.
func tabSite(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/tab/") {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"ok":true}`)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	n := strings.TrimPrefix(r.URL.Path, "/tab/")
	fmt.Fprintf(w, `<!doctype html><html><head><title>tab %[1]s</title></head><body><p id=own>%[1]s</p><script>
Promise.all(Array.from({length: %[1]s + 1}, (_, i) => fetch("/api/tab%[1]s/call" + i))).then(() => { document.body.dataset.ready = "yes" });
setTimeout(() => { throw new Error("fault of tab %[1]s.") });
console.error("line of tab %[1]s.");
</script></body></html>`, n)
}

// listed is what currentpage says of a tab.
type listed struct {
	ID     string
	URL    string
	Title  string
	Loaded bool
	Errors []journal.Entry
	Calls  []struct{ URL string }
}

// TestTenTabs has ten tabs of one browser on one proxy at once.
func TestTenTabs(t *testing.T) {
	s := newSession(t, t.TempDir())
	target := httptest.NewServer(http.HandlerFunc(tabSite))
	t.Cleanup(target.Close)
	s.call("proxy", fmt.Sprintf(`{"action":"start","id":"ten","target_url":%q}`, target.URL))
	url := s.field("proxy", `{"action":"status","id":"ten"}`, "url")
	b := browser(t)
	var tabs [tabCount]context.Context
	for i := range tabs {
		tabs[i] = tab(t, b, fmt.Sprintf("%s/tab/%d", url, i))
	}
	pages := awaitTabs(t, s, tabCount)
	ids := [tabCount]string{}
	for _, p := range pages {
		n := tabNumber(t, p)
		if ids[n] != "" || p.Title != fmt.Sprintf("tab %d", n) {
			t.Fatalf("listed twice or as another: %+v", p)
		}
		ids[n] = p.ID
	}
	for i, id := range ids {
		awaitTrue(t, tabs[i], `document.body.dataset.ready === "yes"`)
		if got := execIn(t, s, id, `document.querySelector("#own").textContent`); got != fmt.Sprintf("%q", fmt.Sprint(i)) {
			t.Errorf("exec in tab %d was answered by tab %s", i, got)
		}
	}
	t.Run("nothing of another tab", func(t *testing.T) { ownTrafficOnly(t, s, ids) })
	t.Run("last focused", func(t *testing.T) { lastFocusedOfTen(t, s, tabs) })
	if own, err := process.NewProcess(int32(os.Getpid())); err == nil {
		if m, err := own.MemoryInfo(); err == nil {
			t.Logf("%d tabs: the process with the daemon's engine, the target and the test holds %.0f MB", tabCount, float64(m.RSS)/(1<<20))
		}
	}
	for i := tabCount - 1; i > 2; i-- {
		if err := chromedp.Cancel(tabs[i]); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range awaitTabs(t, s, 3) {
		if n := tabNumber(t, p); n > 2 || p.ID != ids[n] {
			t.Errorf("left over: %+v", p)
		}
	}
	if text := s.fail("proxy", fmt.Sprintf(`{"action":"exec","id":"ten","code":"1","page_id":%q}`, ids[9])); !strings.Contains(text, ids[9]) {
		t.Errorf("exec in a closed tab: %s", text)
	}
}

func tabNumber(t *testing.T, p listed) int {
	t.Helper()
	var n int
	if _, err := fmt.Sscanf(p.URL[strings.LastIndex(p.URL, "/")+1:], "%d", &n); err != nil || n < 0 || n >= tabCount {
		t.Fatalf("an unknown page: %+v", p)
	}
	return n
}

// awaitTabs waits until that many tabs are listed, all of them loaded.
func awaitTabs(t *testing.T, s *session, n int) []listed {
	t.Helper()
	var out struct{ Pages []listed }
	for end := time.Now().Add(time.Minute); ; {
		out.Pages = nil
		if err := json.Unmarshal([]byte(s.call("currentpage", `{"action":"list","proxy_id":"ten","raw":true}`)), &out); err != nil {
			t.Fatal(err)
		}
		loaded := 0
		for _, p := range out.Pages {
			if p.Loaded {
				loaded++
			}
		}
		if len(out.Pages) == n && loaded == n {
			return out.Pages
		}
		if time.Now().After(end) {
			t.Fatalf("%d tabs are listed, %d loaded, want %d: %+v", len(out.Pages), loaded, n, out.Pages)
		}
	}
}

func execIn(t *testing.T, s *session, id, code string) string {
	t.Helper()
	args, _ := json.Marshal(map[string]string{"action": "exec", "id": "ten", "code": code, "page_id": id})
	var out struct {
		Page  struct{ ID string }
		Value json.RawMessage
	}
	raw := s.call("proxy", strings.TrimSuffix(string(args), "}")+`,"raw":true}`)
	if err := json.Unmarshal([]byte(raw), &out); err != nil {
		t.Fatal(err)
	}
	if id != "" && out.Page.ID != id {
		t.Errorf("the answer names page %s, asked was %s", out.Page.ID, id)
	}
	return string(out.Value)
}

// ownTrafficOnly looks at every tab's calls and errors and at the log's.
func ownTrafficOnly(t *testing.T, s *session, ids [tabCount]string) {
	for i, id := range ids {
		var p listed
		for end := time.Now().Add(30 * time.Second); ; {
			p = listed{}
			if err := json.Unmarshal([]byte(s.call("currentpage", fmt.Sprintf(`{"action":"get","proxy_id":"ten","page_id":%q,"raw":true}`, id))), &p); err != nil {
				t.Fatal(err)
			}
			if len(p.Errors) >= 2 || time.Now().After(end) {
				break
			}
		}
		if len(p.Calls) != i+1 {
			t.Errorf("tab %d: %d calls", i, len(p.Calls))
		}
		for _, c := range p.Calls {
			if !strings.Contains(c.URL, fmt.Sprintf("/api/tab%d/", i)) {
				t.Errorf("tab %d has the call %s", i, c.URL)
			}
		}
		if len(p.Errors) != 2 {
			t.Errorf("tab %d: %d errors", i, len(p.Errors))
		}
		for _, e := range p.Errors {
			if text, _ := json.Marshal(e); e.Page != id || !strings.Contains(string(text), fmt.Sprintf("of tab %d.", i)) {
				t.Errorf("tab %d has %s", i, text)
			}
		}
	}
	var log struct{ Entries []journal.Entry }
	if err := json.Unmarshal([]byte(s.call("proxylog", `{"proxy_id":"ten","types":["error"],"limit":100,"raw":true}`)), &log); err != nil {
		t.Fatal(err)
	}
	if len(log.Entries) != tabCount {
		t.Errorf("%d errors in the log", len(log.Entries))
	}
	for _, e := range log.Entries {
		var n int
		if _, err := fmt.Sscanf(e.Error.Message[strings.Index(e.Error.Message, "fault"):], "fault of tab %d.", &n); err != nil || e.Page != ids[n] {
			t.Errorf("page %s logged %q", e.Page, e.Error.Message)
		}
	}
}

// lastFocusedOfTen clicks into tabs and asks without naming one.
func lastFocusedOfTen(t *testing.T, s *session, tabs [tabCount]context.Context) {
	for _, i := range []int{7, 2, 9, 0} {
		want := fmt.Sprintf("%q", fmt.Sprint(i))
		got := ""
		// A click: a headless browser thinks that all its tabs have the focus.
		for end := time.Now().Add(30 * time.Second); got != want && time.Now().Before(end); {
			if err := chromedp.Do(tabs[i], chromedp.MouseClickXY(20, 20)); err != nil {
				t.Fatal(err)
			}
			for range 10 {
				if got = execIn(t, s, "", `document.querySelector("#own").textContent`); got == want {
					break
				}
			}
		}
		if got != want {
			t.Errorf("the tab clicked is %s, asked was %s", want, got)
		}
	}
}
