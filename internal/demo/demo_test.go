package demo_test

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"oriel/internal/demo"
)

// fast is a shop whose answers come nearly at once.
func fast(t *testing.T, fixed bool) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(demo.Handler(demo.Options{Fixed: fixed, Scale: 0.001}))
	t.Cleanup(s.Close)
	return s
}

func do(t *testing.T, s *httptest.Server, method, path, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

func TestAnswers(t *testing.T) {
	const broken, working = "faults", "fixed"
	page, asJSON, plain := "text/html; charset=utf-8", "application/json", "text/plain; charset=utf-8"
	for _, c := range []struct {
		shop, method, path, body string
		status                   int
		kind, holds              string
	}{
		{broken, "GET", "/", "", 200, page, `src="app.js"`},
		{working, "GET", "/", "", 200, page, `src="app.fixed.js"`},
		{broken, "GET", "/?from=mail", "", 200, page, `id="art-teapot"`},
		{working, "GET", "/", "", 200, page, `<meta name="description"`},
		{broken, "HEAD", "/", "", 200, page, ""},
		{broken, "GET", "/app.js", "", 200, "text/javascript; charset=utf-8", "sourceMappingURL=app.js.map"},
		{broken, "GET", "/app.js.map", "", 200, asJSON, `"src/session.ts"`},
		{working, "GET", "/app.fixed.js", "", 200, "text/javascript; charset=utf-8", "sourceMappingURL=app.fixed.js.map"},
		{working, "GET", "/app.fixed.js.map", "", 200, asJSON, `"src/session.fixed.ts"`},
		{broken, "GET", "/app.css", "", 200, "text/css; charset=utf-8", ".card"},
		{broken, "GET", "/workshop.png", "", 200, "image/png", "\x89PNG"},
		{working, "GET", "/workshop-small.png", "", 200, "image/png", "\x89PNG"},
		{working, "GET", "/workshop.png", "", 404, plain, "not found"},
		{broken, "GET", "/workshop.css", "", 200, "text/css; charset=utf-8", "#bdb3a4"},
		{working, "GET", "/workshop.fixed.css", "", 200, "text/css; charset=utf-8", ".workshop-note"},
		{broken, "GET", "/icon.svg", "", 200, "image/svg+xml", "<svg"},
		{broken, "GET", "/app.fixed.js", "", 404, plain, "not found"},
		{broken, "GET", "/img/autumn-lookbook.webp", "", 404, plain, "not found"},
		{broken, "GET", "/demo.go", "", 404, plain, "not found"},
		{broken, "GET", "/api/session", "", 200, asJSON, `"userId":"usr_4821"`},
		{broken, "GET", "/api/session?include=all", "", 200, asJSON, `"store":{"id":"str_17"`},
		{broken, "GET", "/api/users/usr_4821", "", 200, asJSON, `"storeId":"str_17"`},
		{broken, "GET", "/api/users/usr_1", "", 404, asJSON, `{"error":"no such user"}`},
		{broken, "GET", "/api/users/usr_4821/preferences", "", 200, asJSON, `"locale":"en_GB"`},
		{broken, "GET", "/api/users/usr_1/preferences", "", 404, asJSON, "no such user"},
		{broken, "GET", "/api/stores/str_17", "", 200, asJSON, "Bristol"},
		{broken, "GET", "/api/stores/str_1", "", 404, asJSON, "no such store"},
		{broken, "GET", "/api/products/108/stock", "", 200, asJSON, `{"productId":108,"available":0,"back":"back on 12 May"}`},
		{broken, "GET", "/api/products/999/stock", "", 404, asJSON, "no such product"},
		{broken, "GET", "/api/products/mug/stock", "", 404, asJSON, "no such product"},
		{broken, "GET", "/api/cart", "", 200, asJSON, `"count":3,"total":4600`},
		{broken, "GET", "/api/config", "", 200, asJSON, `"freeShippingFrom":6000`},
		{broken, "GET", "/api/reviews/latest", "", 200, asJSON, `"stars":5`},
		{broken, "GET", "/api/recommendations", "", 500, asJSON, `{"error":"ranking model not loaded"}`},
		{working, "GET", "/api/recommendations", "", 200, asJSON, `"productIds":[104`},
		{broken, "POST", "/api/events", `{"events":[{"name":"page_view","items":0}]}`, 204, "", ""},
		{broken, "POST", "/api/events", `{"events":[]}`, 400, asJSON, "must be JSON"},
		{broken, "POST", "/api/events", `not json`, 400, asJSON, "must be JSON"},
		{broken, "POST", "/api/cart/items", `{"productId":102}`, 201, asJSON, `"count":4,"total":10000`},
		{broken, "POST", "/api/cart/items", `{"productId":103}`, 500, asJSON, "reservation service"},
		{working, "POST", "/api/cart/items", `{"productId":103}`, 201, asJSON, `"name":"Dune Desk Lamp"`},
		{broken, "POST", "/api/cart/items", `{"productId":1}`, 404, asJSON, "no such product"},
		{broken, "POST", "/api/cart/items", `{"productId":` + strings.Repeat("1", 20<<10) + `}`, 400, asJSON, "must be JSON"},
		{broken, "GET", "/api/nothing", "", 404, asJSON, "no such endpoint"},
		{broken, "DELETE", "/api/cart", "", 404, asJSON, "no such endpoint"},
	} {
		name := strings.ReplaceAll(fmt.Sprintf("%s %s %.40s %.30s", c.shop, c.method, c.path, c.body), "/", "·")
		t.Run(name, func(t *testing.T) {
			resp, text := do(t, fast(t, c.shop == working), c.method, c.path, c.body)
			if resp.StatusCode != c.status || resp.Header.Get("Content-Type") != c.kind || !strings.Contains(text, c.holds) {
				t.Errorf("got %d %q %.200q\nwant %d %q with %q", resp.StatusCode, resp.Header.Get("Content-Type"), text, c.status, c.kind, c.holds)
			}
			if resp.Header.Get("ETag") != "" || resp.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("cacheable: %v", resp.Header)
			}
		})
	}
}

func TestAMissingPageIsAPage(t *testing.T) {
	req := httptest.NewRequest("GET", "/nowhere", nil)
	req.Header.Set("Accept", "text/html,*/*")
	w := httptest.NewRecorder()
	demo.Handler(demo.Options{Scale: 0.001}).ServeHTTP(w, req)
	if w.Code != 404 || !strings.Contains(w.Body.String(), "Not on our shelves") {
		t.Errorf("got %d %.80q", w.Code, w.Body)
	}
}

func TestProductsComeWithStockWhenAsked(t *testing.T) {
	type list struct {
		Products []struct {
			ID    int
			Price int
			Stock *struct{ Available int }
		}
	}
	for path, stocked := range map[string]bool{"/api/products": false, "/api/products?include=stock": true, "/api/products?include=price": false} {
		_, text := do(t, fast(t, false), "GET", path, "")
		var got list
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Products) != 12 {
			t.Errorf("%s: %d products", path, len(got.Products))
		}
		for _, p := range got.Products {
			if (p.Stock != nil) != stocked || p.Price <= 0 {
				t.Errorf("%s: product %d: stock %v, price %d", path, p.ID, p.Stock, p.Price)
			}
		}
	}
}

// TestTwoShopsShareNothing also loads one of them from many sides at once.
func TestTwoShopsShareNothing(t *testing.T) {
	one, other := fast(t, true), fast(t, true)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { do(t, one, "POST", "/api/cart/items", `{"productId":112}`) })
	}
	wg.Wait()
	if _, text := do(t, one, "GET", "/api/cart", ""); !strings.Contains(text, `"count":12`) {
		t.Errorf("nine of one product at most: %s", text)
	}
	if _, text := do(t, other, "GET", "/api/cart", ""); !strings.Contains(text, `"count":3`) {
		t.Errorf("the other shop: %s", text)
	}
}

// TestTheSignIn: scripts can read it in one shop, not in the other.
func TestTheSignIn(t *testing.T) {
	for _, fixed := range []bool{false, true} {
		resp, _ := do(t, fast(t, fixed), "GET", "/api/session", "")
		if list := resp.Cookies(); len(list) != 1 || list[0].HttpOnly != fixed {
			t.Errorf("fixed %v: %v", fixed, list)
		}
	}
}

func TestScaleMakesItSlower(t *testing.T) {
	took := func(scale float64) time.Duration {
		h := demo.Handler(demo.Options{Scale: scale})
		start := time.Now()
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/api/session", nil))
		return time.Since(start)
	}
	if d := took(0); d < 180*time.Millisecond {
		t.Errorf("the default took %v", d)
	}
	if d := took(2); d < 360*time.Millisecond {
		t.Errorf("twice as slow took %v", d)
	}
}

// TestNothingFromElsewhere: the shop needs no network and works below a path.
func TestNothingFromElsewhere(t *testing.T) {
	address := regexp.MustCompile(`(?:https?:)?//[a-z0-9.-]+\.[a-z]+[^"' )]*`)
	rooted := regexp.MustCompile(`(?:href|src)="/|fetch\(["` + "`" + `]/|url\(/`)
	err := fs.WalkDir(demo.Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(demo.Files(), path)
		if err != nil {
			return err
		}
		for _, found := range address.FindAllString(string(text), -1) {
			if !strings.Contains(found, "www.w3.org/") {
				t.Errorf("%s speaks of %s", path, found)
			}
		}
		if found := rooted.FindString(string(text)); found != "" {
			t.Errorf("%s has an absolute path: %s", path, found)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestMapsHoldTheSources fails when a source was changed and not bundled.
func TestMapsHoldTheSources(t *testing.T) {
	for _, name := range []string{"app.js", "app.fixed.js"} {
		code, err := fs.ReadFile(demo.Files(), "dist/"+name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(code), "/* Code generated by ") {
			t.Errorf("%s does not say that it is generated", name)
		}
		text, err := fs.ReadFile(demo.Files(), "dist/"+name+".map")
		if err != nil {
			t.Fatal(err)
		}
		var m struct {
			Version        int
			Sources        []string
			SourcesContent []string
		}
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		if m.Version != 3 || len(m.Sources) < 15 || len(m.Sources) != len(m.SourcesContent) {
			t.Fatalf("%s.map: version %d, %d sources, %d contents", name, m.Version, len(m.Sources), len(m.SourcesContent))
		}
		for i, source := range m.Sources {
			want, err := os.ReadFile(source)
			if err != nil {
				t.Errorf("%s.map: %v", name, err)
			} else if string(want) != m.SourcesContent[i] {
				t.Errorf("%s.map: %s has changed since: run go run -modfile=tools.mod -tags bundle ./internal/demo/bundle", name, source)
			}
		}
	}
}
