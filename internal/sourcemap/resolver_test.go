package sourcemap

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// site serves scripts over HTTP, whatever the host in the address.
type site struct {
	mu     sync.Mutex
	files  map[string]string // by path and query
	header http.Header
	asked  map[string]int
	server *httptest.Server
}

func newSite(t *testing.T, files map[string]string) *site {
	s := &site{files: files, header: http.Header{}, asked: map[string]int{}}
	s.server = httptest.NewServer(s)
	t.Cleanup(s.server.Close)
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[r.URL.RequestURI()]++
	body, ok := s.files[r.URL.RequestURI()]
	if !ok {
		http.NotFound(w, r)
		return
	}
	for name, v := range s.header {
		w.Header()[name] = v
	}
	_, _ = io.WriteString(w, body)
}

func (s *site) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

func (s *site) fetch(ctx context.Context, address string) ([]byte, http.Header, error) {
	_, path, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(address, "http://"), "https://"), "/")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.server.URL+"/"+path, nil)
	if err != nil {
		return nil, nil, err
	}
	resp, err := s.server.Client().Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, nil, errors.New(resp.Status)
	}
	body, err := io.ReadAll(resp.Body)
	return body, resp.Header, err
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func recorded(t *testing.T, folder string) []string {
	t.Helper()
	var stacks []string
	if err := json.Unmarshal([]byte(read(t, folder+"/stacks.json")), &stacks); err != nil {
		t.Fatal(err)
	}
	if len(stacks) != 5 {
		t.Fatalf("%s: %d stacks", folder, len(stacks))
	}
	return stacks
}

// TestRealBundles leads recorded stacks of one application, built in four ways,
// to the same lines.
func TestRealBundles(t *testing.T) {
	for _, folder := range []string{"minified", "minified-without-content", "inline", "webpack-eval"} {
		t.Run(folder, func(t *testing.T) {
			files := map[string]string{"/assets/app.js": read(t, folder+"/app.js")}
			if strings.HasPrefix(folder, "minified") {
				files["/assets/app.js.map"] = read(t, folder+"/app.js.map")
			}
			s := newSite(t, files)
			r := New(s.fetch, filepath.Join("testdata", "app")).WithScripts(func() []string { return []string{"http://app.test/assets/app.js"} })
			stacks := recorded(t, folder)
			frames := r.Frames(t.Context(), stacks[0])
			var got []string
			for _, f := range frames {
				if f.Mapped {
					got = append(got, f.String())
				}
			}
			want := []string{
				"src/api/http.ts:3 in request", "src/api/users.ts:8 in getUser", "src/UserList.tsx:10 in UserList", "src/UserList.tsx:10 in UserList", "src/main.ts:4 in boot", "src/main.ts:8",
			}
			if strings.Join(got[:min(len(got), len(want))], "\n") != strings.Join(want, "\n") {
				t.Errorf("frames\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			for name, tc := range map[string]struct {
				stacks []string
				want   string
			}{
				"rows":  {stacks[:3], "src/UserList.tsx:10 in UserList"},
				"chain": {stacks[3:], "src/UserList.tsx:16 in Session.start"},
			} {
				f, ok := r.CommonCulprit(t.Context(), tc.stacks)
				if !ok || f.String() != tc.want || !f.InProject {
					t.Errorf("%s: %s, want %s", name, f, tc.want)
				}
			}
			if n := s.count("/assets/app.js"); n != 1 {
				t.Errorf("the bundle was fetched %d times", n)
			}
		})
	}
}

// TestTurbopackUpdate: a module that came with an update is evaluated under the
// address of its chunk, and its lines are counted from its own first one.
func TestTurbopackUpdate(t *testing.T) {
	const chunk = "/_next/static/chunks/chunk.js"
	update := func(module string) string {
		return chunk + "?id=%255Bproject%255D/" + module + "+%255Bapp-client%255D+(ecmascript)"
	}
	root, err := filepath.Abs(filepath.Join("testdata", "turbopack"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		chunk:          read(t, "turbopack/chunk.js"),
		chunk + ".map": strings.ReplaceAll(read(t, "turbopack/chunk.js.map"), "file:///shop/", "file:///"+strings.TrimPrefix(filepath.ToSlash(root), "/")+"/"),
	}
	for _, module := range []string{"app/part.js", "app/greeting.js", "app/new.js"} {
		files[update(module)] = files[chunk] // the server does not look at the query
	}
	r := New(newSite(t, files).fetch, root)
	for place, want := range map[string]string{
		update("app/part.js") + ":13:23":     "app/part.js:3 in Part",
		update("app/greeting.js") + ":13:20": "app/greeting.js:4 in Greeting",
		chunk + ":41:23":                     "app/part.js:3 in Part",
		update("app/new.js") + ":13:23":      "app/new.js in Part",  // not in the chunk: the file, and no line rather than a wrong one
		update("app/part.js") + ":900:1":     "app/part.js in Part", // nor one of another module
	} {
		frames := r.Frames(t.Context(), "TypeError: no\n    at Part (http://app.test"+place+")")
		if len(frames) != 1 || frames[0].String() != want {
			t.Errorf("%s is %v, want %s", place, frames, want)
		}
	}
}

func TestViteModule(t *testing.T) {
	s := newSite(t, map[string]string{"/src/UserList.tsx?t=1731679": read(t, "vite/UserList.tsx.js"), "/src/api/http.ts": read(t, "vite/api_http.ts.js")})
	r := New(s.fetch, filepath.Join("testdata", "app"))
	lineOf := func(text, word string) (int, int) {
		before, _, ok := strings.Cut(text, word)
		if !ok {
			t.Fatalf("no %s in the module", word)
		}
		return strings.Count(before, "\n") + 1, len(before) - strings.LastIndex(before, "\n")
	}
	line, column := lineOf(read(t, "vite/UserList.tsx.js"), "getUser(id)")
	stack := fmt.Sprintf("at http://app.test/src/UserList.tsx?t=1731679:%d:%d\nat Array.map (<anonymous>)\nat renderWithHooks (http://app.test/node_modules/.vite/deps/react-dom.js?v=1:5:6)", line, column)
	if f, ok := r.Culprit(t.Context(), stack); !ok || f.String() != "src/UserList.tsx:10 in UserList" || !f.InProject {
		t.Errorf("%s", f)
	}
	if n := s.count("/node_modules/.vite/deps/react-dom.js?v=1"); n != 0 {
		t.Error("a library was fetched")
	}
}

// inline makes a script with a map in its last comment: line 1 leads to line 1
// of source.
func inline(source, content string) string {
	m, err := json.Marshal(map[string]any{"version": 3, "sources": []string{source}, "sourcesContent": []string{content}, "names": []string{}, "mappings": "AAAA"})
	if err != nil {
		panic(err)
	}
	return "x()\n//# sourceMappingURL=data:application/json;base64," + base64.StdEncoding.EncodeToString(m) + "\n"
}

func project(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestSourceNames(t *testing.T) {
	outside := project(t, map[string]string{"secret.ts": "x"})
	root := project(t, map[string]string{
		"src/App.tsx": "a", "src/app/(shop)/page.tsx": "b", "packages/ui/src/Button.tsx": "c", "apps/one/src/main.ts": "one", "apps/two/src/main.ts": "two", "src/with space.ts": "d",
		"node_modules/lib/index.js": "e",
	})
	if err := os.Symlink(outside, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	slash := filepath.ToSlash(root)
	for _, tc := range []struct {
		source, content, want string
		inside                bool
	}{
		{"webpack:///./src/App.tsx", "", "src/App.tsx", true},
		{"webpack:///./src/App.tsx?1a2b", "", "src/App.tsx", true},
		{"webpack://shop/./src/App.tsx", "", "src/App.tsx", true},
		{"webpack:///src/App.tsx", "", "src/App.tsx", true},
		{"webpack:///" + slash + "/src/App.tsx", "", "src/App.tsx", true},
		{"webpack-internal:///./src/App.tsx", "", "src/App.tsx", true},
		{"webpack-internal:///(app-pages-browser)/./src/app/(shop)/page.tsx", "", "src/app/(shop)/page.tsx", true},
		{"webpack://_N_E/./src/app/(shop)/page.tsx?abcd", "", "src/app/(shop)/page.tsx", true},
		{"turbopack:///[project]/src/App.tsx", "", "src/App.tsx", true},
		{"turbopack://[project]/src/App.tsx", "", "src/App.tsx", true},
		{"/turbopack/[project]/src/App.tsx", "", "src/App.tsx", true},
		{"file://" + slash + "/src/App.tsx", "", "src/App.tsx", true},
		{"file://" + slash + "/src/with%20space.ts", "", "src/with space.ts", true},
		{slash + "/src/App.tsx", "", "src/App.tsx", true},
		{"/@fs" + slash + "/src/App.tsx", "", "src/App.tsx", true},
		{"http://localhost:5173/@fs" + slash + "/src/App.tsx?t=5", "", "src/App.tsx", true},
		{"http://localhost:5173/src/App.tsx?t=1", "", "src/App.tsx", true},
		{"/src/App.tsx?t=123", "", "src/App.tsx", true},
		{"../src/App.tsx", "", "src/App.tsx", true},
		{"../../../src/App.tsx", "", "src/App.tsx", true},
		{"App.tsx", "", "assets/App.tsx", false},
		{"webpack:///../ui/src/Button.tsx", "", "packages/ui/src/Button.tsx", true},
		{"/src/main.ts", "two", "apps/two/src/main.ts", true},
		{"/src/main.ts", "neither", "src/main.ts", false},
		{"C:\\Users\\dev\\app\\src\\App.tsx", "", "C:/Users/dev/app/src/App.tsx", false},
		{"file:///C:/Users/dev/App.tsx", "", "C:/Users/dev/App.tsx", false},
		{"../../../../../../etc/passwd", "", "etc/passwd", false},
		{"link/secret.ts", "", "assets/link/secret.ts", false},
		{"/link/secret.ts", "", "link/secret.ts", false},
		{"file://" + filepath.ToSlash(outside) + "/secret.ts", "", strings.TrimPrefix(filepath.ToSlash(outside), "/") + "/secret.ts", false},
		{"webpack:///./src/Gone.tsx", "", "src/Gone.tsx", false},
	} {
		content := tc.content
		s := newSite(t, map[string]string{"/assets/app.js": inline(tc.source, content)})
		f := New(s.fetch, root).Place(t.Context(), "http://h/assets/app.js", 1, 1)
		if f.File != tc.want || f.InProject != tc.inside || !f.Mapped || f.Line != 1 {
			t.Errorf("%s: %+v, want %s in the project: %v", tc.source, f, tc.want, tc.inside)
		}
	}
}

// TestDegrades: whatever is missing or broken, the answer is the compiled place.
func TestDegrades(t *testing.T) {
	s := newSite(t, map[string]string{
		"/none.js": "x()", "/lost.js": "x()\n//# sourceMappingURL=lost.map", "/page.js": "x()\n//# sourceMappingURL=page.map", "/page.map": "<!doctype html>",
		"/broken.js": "x()\n//# sourceMappingURL=data:application/json;base64,!!", "/empty.js": "x()\n//# sourceMappingURL=data:application/json,{}",
		"/scheme.js": "x()\n//# sourceMappingURL=file:///etc/passwd", "/url.js": "x()\n//# sourceMappingURL=http://[::bad", "/beyond.js": inline("a.ts", ""),
	})
	r := New(s.fetch, "")
	for address, want := range map[string]string{
		"http://h/none.js": "/none.js:9:3", "http://h/lost.js": "/lost.js:9:3", "http://h/page.js": "/page.js:9:3", "http://h/broken.js?v=1": "/broken.js:9:3", "http://h/empty.js": "/empty.js:9:3",
		"http://h/scheme.js": "/scheme.js:9:3", "http://h/url.js": "/url.js:9:3", "http://h/beyond.js": "/beyond.js:9:3", "http://h/404.js": "/404.js:9:3", "http://h": "/:9:3",
		"blob:http://h/1-2": "blob:http://h/1-2:9:3", "data:text/javascript,x": "data:text/javascript,x:9:3", "": ":9:3", "ftp://h/x.js": "ftp://h/x.js:9:3",
	} {
		if f := r.Place(t.Context(), address, 9, 3); f.String() != want || f.Mapped {
			t.Errorf("%s: %s, want %s", address, f, want)
		}
	}
}

func TestEvaluatedModuleWithoutAMap(t *testing.T) {
	s := newSite(t, map[string]string{})
	r := New(s.fetch, project(t, map[string]string{"src/App.tsx": "x"}))
	f, ok := r.Culprit(t.Context(), "at load (webpack-internal:///(app-pages-browser)/./src/App.tsx:48:9)")
	if !ok || f.String() != "src/App.tsx in load" || f.Line != 0 {
		t.Errorf("%s: the line is that of the compiled module", f)
	}
}

func TestPlainScripts(t *testing.T) {
	app := "function boot() {\n  fetch('/u')\n}\n"
	page := "<!doctype html>\n<script>\n  function go() { fetch('/u') }\n</script>\n"
	s := newSite(t, map[string]string{"/js/app.js": app, "/": page, "/changed.js": "// made on the fly\n" + app, "/assets/app-1.js": app + "//1"})
	r := New(s.fetch, project(t, map[string]string{"public/js/app.js": strings.ReplaceAll(app, "\n", "\r\n"), "index.html": page, "changed.js": app, "dist/assets/app-1.js": app + "//1"}))
	for stack, want := range map[string]string{
		"at http://h/js/app.js:2:3":           "public/js/app.js:2 in boot",
		"at http://h/:3:19":                   "index.html:3 in go",
		"at boot (http://h/changed.js:3:3)":   "/changed.js:3:3 in boot",
		"at t (http://h/assets/app-1.js:2:3)": "dist/assets/app-1.js:2:3 in t",
	} {
		if f, ok := r.Culprit(t.Context(), stack); !ok || f.String() != want {
			t.Errorf("%s: %s, want %s", stack, f, want)
		}
	}
}

func TestHeaderNamesTheMap(t *testing.T) {
	m := `)]}'` + "\n" + `{"version":3,"sources":["../src/a.ts"],"names":[],"mappings":"AAAA"}`
	s := newSite(t, map[string]string{"/js/a.js": "x()", "/maps/a.map": m})
	s.header.Set("SourceMap", "/maps/a.map")
	if f := New(s.fetch, "").Place(t.Context(), "http://h/js/a.js", 1, 1); f.String() != "src/a.ts:1" {
		t.Errorf("%s", f)
	}
}

func TestNamesOfCallSites(t *testing.T) {
	// Without the source, the name at the caller's place is what it calls.
	m := `{"version":3,"sources":["a.ts"],"names":["loadUsers"],"mappings":"AAAA,UAAUA"}`
	s := newSite(t, map[string]string{"/a.js": "x()\n//# sourceMappingURL=a.map", "/a.map": m})
	frames := New(s.fetch, "").Frames(t.Context(), "at t (http://h/a.js:1:1)\nat n (http://h/a.js:1:11)")
	if frames[0].String() != "a.ts:1 in loadUsers" || frames[1].String() != "a.ts:1" {
		t.Errorf("%v", frames)
	}
}

func TestChangedScript(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := inline("one.ts", "")
		var asked atomic.Int32
		var down atomic.Bool
		r := New(func(context.Context, string) ([]byte, http.Header, error) {
			asked.Add(1)
			if down.Load() {
				return nil, nil, errors.New("connection refused")
			}
			return []byte(body), nil, nil
		}, "")
		expect := func(want string, fetches int32) {
			t.Helper()
			if f := r.Place(t.Context(), "http://h/a.js", 1, 1); f.File != want || asked.Load() != fetches {
				t.Errorf("%s after %d fetches, want %s after %d", f, asked.Load(), want, fetches)
			}
		}
		expect("one.ts", 1)
		expect("one.ts", 1)
		time.Sleep(fresh)
		expect("one.ts", 2)
		body = inline("two.ts", "")
		expect("one.ts", 2)
		time.Sleep(fresh)
		expect("two.ts", 3)
		down.Store(true)
		time.Sleep(fresh)
		expect("two.ts", 4) // what is known stays while the server is away
		expect("two.ts", 4)
	})
}

func TestMissingIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		r := New(func(context.Context, string) ([]byte, http.Header, error) {
			asked.Add(1)
			return nil, nil, errors.New("404")
		}, "")
		for range 5 {
			r.Place(t.Context(), "http://h/a.js", 1, 1)
		}
		time.Sleep(missing)
		r.Place(t.Context(), "http://h/a.js", 1, 1)
		if n := asked.Load(); n != 2 {
			t.Errorf("asked %d times, want 2", n)
		}
	})
}

func TestOneFetchForMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		r := New(func(ctx context.Context, _ string) ([]byte, http.Header, error) {
			asked.Add(1)
			select {
			case <-time.After(time.Second):
				return []byte(inline("one.ts", "")), nil, nil
			case <-ctx.Done():
				return nil, nil, ctx.Err()
			}
		}, "")
		var wg sync.WaitGroup
		hurried, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		wg.Go(func() {
			if f := r.Place(hurried, "http://h/a.js", 1, 1); f.Mapped {
				t.Error("an answer after the time was over")
			}
		})
		synctest.Wait()
		for range 10 {
			wg.Go(func() {
				if f := r.Place(t.Context(), "http://h/a.js", 1, 1); f.File != "one.ts" {
					t.Errorf("%s: one who gave up took the others along", f)
				}
			})
		}
		wg.Wait()
		if n := asked.Load(); n != 2 {
			t.Errorf("fetched %d times, want once for the one who gave up and once for the rest", n)
		}
	})
}

func TestSlowFetchEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(func(ctx context.Context, _ string) ([]byte, http.Header, error) {
			<-ctx.Done()
			return nil, nil, ctx.Err()
		}, "")
		start := time.Now()
		if f := r.Place(t.Context(), "http://h/a.js", 1, 1); f.Mapped || time.Since(start) != fetchTimeout {
			t.Errorf("%s after %v", f, time.Since(start))
		}
	})
}

func TestCacheIsBounded(t *testing.T) {
	c := newCache(time.Now)
	big := func(context.Context, string, *script) (*script, time.Duration, error) {
		return &script{evals: make([]byte, maxCacheBytes/4)}, time.Hour, nil
	}
	for i := range 10 {
		c.get(t.Context(), fmt.Sprint(i), big)
		c.get(t.Context(), "0", big)
	}
	if c.bytes > maxCacheBytes || len(c.entries) != c.order.Len() || c.entries["0"] == nil || c.entries["9"] == nil || c.entries["1"] != nil {
		t.Errorf("%d bytes in %d scripts", c.bytes, len(c.entries))
	}
	small := func(context.Context, string, *script) (*script, time.Duration, error) {
		return nil, time.Hour, errors.New("none")
	}
	for i := range maxCacheScripts + 10 {
		c.get(t.Context(), fmt.Sprint("s", i), small)
	}
	if n := c.order.Len(); n != maxCacheScripts {
		t.Errorf("%d scripts", n)
	}
	sum := 0
	for el := c.order.Front(); el != nil; el = el.Next() {
		sum += el.Value.(*entry).bytes
	}
	if sum != c.bytes {
		t.Errorf("counted %d bytes, there are %d", c.bytes, sum)
	}
}
