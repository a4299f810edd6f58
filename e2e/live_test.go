package e2e

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel/internal/mcpserver"
	"oriel/internal/tool"
	"oriel/internal/tools"
)

// TestLivePatterns judges pages whose calls are made by real code: fetch, XHR,
// axios, ky, TanStack Query, GraphQL posts. An MCP client asks.
func TestLivePatterns(t *testing.T) {
	root := app{name: "live"}.install(t)
	s := newSession(t, root)
	s.call("run", `{"script_name":"dev","timeout":"2m"}`)
	s.call("proxy", fmt.Sprintf(`{"action":"start","id":"live","target_url":%q}`, s.field("proc", `{"action":"status"}`, "url")))
	url := s.field("proxy", `{"action":"status"}`, "url")
	ask := client(t, s)
	b := browser(t)
	for _, c := range []struct {
		name string
		want []string // in the answer
		none []string // not in it
	}{
		{"await-chain", []string{"waterfall (1)", "/api/me — 4 calls run serially", "↳ src/cases/await-chain.js:2 in loadDashboard"}, []string{"n-plus-one", "duplicate-call"}},
		{"xhr-fan-out", []string{"7× /api/items/{id} → batch", "src/cases/xhr-fan-out.js:"}, []string{"waterfall", "duplicate-call"}},
		{"axios-fan-out", []string{"6× /api/users/{id} → batch", "↳ src/cases/axios-fan-out.js:5 in loadUsers"}, []string{"waterfall", "duplicate-call"}},
		{"ky-duplicates", []string{"GET /api/cart fetched 3×", "src/cases/ky-duplicates.js:"}, []string{"waterfall", "n-plus-one"}},
		{"query-fan-out", []string{"5× /api/orders/{id} → batch", "src/cases/query-fan-out.js:"}, []string{"waterfall", "duplicate-call"}},
		{"graphql-duplicates", []string{"POST /graphql fetched 2×", "src/cases/graphql-duplicates.js:"}, []string{"waterfall", "n-plus-one"}},
		{"graphql", []string{"A (100)", "(6 calls analyzed)"}, []string{"waterfall", "n-plus-one", "duplicate-call"}},
		{"promise-all", []string{"A (100)", "(4 calls analyzed)"}, []string{"waterfall", "n-plus-one", "duplicate-call"}},
		{"chatty", []string{"22 calls in the first 3s of load → combine or defer"}, []string{"n-plus-one", "duplicate-call"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			page, cancel := chromedp.NewContext(b)
			defer cancel()
			// A machine that pauses between two calls shows another page than this
			// one: the case is shown again then.
			var got string
			for try := range 5 {
				if err := chromedp.Do(page, chromedp.Navigate(fmt.Sprintf("%s/?case=%s&try=%d", url, c.name, try))); err != nil {
					t.Fatal(err)
				}
				awaitTrue(t, page, fmt.Sprintf("document.documentElement.dataset.ready === %q && __devtool_api.getStats().inFlight === 0", c.name))
				awaitTab(t, s, c.name, try)
				if got = ask("api_audit", `{"proxy_id":"live"}`); fits(got, c.want, c.none) {
					return
				}
			}
			t.Errorf("wanted %q, none of %q:\n%s", c.want, c.none, got)
		})
	}
}

// TestFixTargets finds the lines that made a chain and a fan-out in what webpack
// and, where it is wanted, Next.js made of the source; TestLivePatterns does so
// for Vite.
func TestFixTargets(t *testing.T) {
	b := browser(t)
	for _, c := range []struct {
		app, path, source string
		chain, fan        int // lines
	}{
		{"webpack", "/calls.html", "src/calls.js", 2, 12},
		{"next", "/calls", "app/calls/users.js", 6, 16},
	} {
		if !isWanted(c.app) {
			continue
		}
		t.Run(c.app, func(t *testing.T) {
			s := newSession(t, app{name: c.app}.install(t))
			s.call("run", `{"script_name":"dev","timeout":"2m"}`)
			s.call("proxy", fmt.Sprintf(`{"action":"start","id":"live","target_url":%q}`, s.field("proc", `{"action":"status"}`, "url")))
			url, api := s.field("proxy", `{"action":"status"}`, "url"), slowAPI(t)
			ask := client(t, s)
			page, cancel := chromedp.NewContext(b)
			defer cancel()
			want := []string{
				"waterfall (1)", "/session — 3 calls run serially", fmt.Sprintf("↳ %s:%d in loadStart", c.source, c.chain),
				"n-plus-one (1)", "6× " + api + "/users/{id} → batch", fmt.Sprintf("↳ %s:%d in loadUsers", c.source, c.fan),
			}
			var got string
			for try := range 5 {
				query := fmt.Sprintf("?api=%s&case=targets&try=%d", api, try)
				if err := chromedp.Do(page, chromedp.Navigate(url+c.path+query)); err != nil {
					t.Fatal(err)
				}
				awaitTrue(t, page, "document.documentElement.dataset.ready === 'calls' && __devtool_api.getStats().inFlight === 0")
				awaitTab(t, s, "targets", try)
				if got = ask("api_audit", `{"proxy_id":"live"}`); fits(got, want, []string{"duplicate-call"}) {
					return
				}
			}
			t.Errorf("wanted %q:\n%s", want, got)
		})
	}
}

func isWanted(name string) bool {
	return strings.Contains(" "+cmp.Or(os.Getenv("ORIEL_E2E_APPS"), defaultApps)+" ", " "+name+" ")
}

// slowAPI is the origin of an API that takes its time.
func slowAPI(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(90 * time.Millisecond):
		}
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, "{}")
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func fits(got string, want, none []string) bool {
	for _, part := range want {
		if !strings.Contains(got, part) {
			return false
		}
	}
	for _, part := range none {
		if strings.Contains(got, part) {
			return false
		}
	}
	return true
}

// awaitTab waits until the page just opened is the one that audits look at.
func awaitTab(t *testing.T, s *session, name string, try int) {
	t.Helper()
	want := fmt.Sprintf("case=%s&try=%d", name, try)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		list := strings.Split(s.call("currentpage", `{}`), "\n")
		if strings.Contains(list[0], want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the page never connected: %s", list)
		}
	}
}

// client is an MCP client of the session, over stdio's own transport.
func client(t *testing.T, s *session) func(name, args string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- mcpserver.Stdio(ctx, mcpserver.Options{
			Version: "test", Tools: tools.Table().List(), Caller: s.caller,
			From: tool.Origin{Dir: s.root, Env: os.Environ()},
		}, toServer, fromServer)
	}()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil).Connect(ctx, &mcp.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		cancel()
		<-done
	})
	return func(name, args string) string {
		t.Helper()
		res, err := c.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
		if err != nil {
			t.Fatal(err)
		}
		text, ok := res.Content[0].(*mcp.TextContent)
		if !ok || res.IsError {
			t.Fatalf("%s %s: %+v", name, args, res)
		}
		return text.Text
	}
}
