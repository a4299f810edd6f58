package sourcemap

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
)

func TestVendors(t *testing.T) {
	for _, place := range []string{
		"http://h/node_modules/.vite/deps/react-dom_client.js?v=1a2b", "http://h/node_modules/axios/lib/axios.js", "node_modules/@tanstack/query-core/src/query.ts", "../node_modules/ky/index.js",
		"webpack-internal:///./node_modules/react-dom/cjs/react-dom.development.js", "webpack-internal:///(app-pages-browser)/./node_modules/next/dist/client/x.js",
		"http://h/@vite/client", "http://h/@react-refresh", "http://h/@id/__x00__vite", "\x00vite/preload-helper.js", "webpack/bootstrap", "webpack/runtime/jsonp chunk loading",
		"http://h/_next/static/chunks/webpack.js", "http://h/_next/static/chunks/main-app.js?v=1", "http://h/_next/static/chunks/framework-1a.js", "http://h/_next/static/chunks/node_modules_next_dist_x._.js",
		"turbopack:///[turbopack]/browser/runtime.js", "http://h/__devtool/agent.js", "chrome-extension://abc/content.js", "moz-extension://abc/content.js", "node:internal/process/task_queues",
		"http://h/assets/vendor-4f2a.js", "http://h/js/chunk-vendors.1a2b.js", "http://h/static/vendors~main.js", "http://h/polyfills.js", "http://h/js/axios.min.js", "http://h/jquery-3.7.1.min.js",
		"http://h/lib/vue.global.prod.js", "http://h/react.development.js", "http://h/zone.js", "https://unpkg.com/some/lib.js", "https://cdn.jsdelivr.net/npm/x/+esm", "http://h/rxjs.umd.min.js",
	} {
		if !isVendor(place) {
			t.Errorf("%q is taken for the application's", place)
		}
	}
	for _, place := range []string{
		"http://h/src/App.tsx?t=1", "http://h/assets/index-4f2a.js", "src/api/axios.ts", "src/vendors/list.tsx", "src/VendorPage.tsx", "webpack-internal:///./src/react/App.js", "http://h/_next/static/chunks/app/page.js",
		"http://h/app.js", "src/zone/index.ts", "src/pages/vendor.tsx", "apps/reactions/src/main.ts", "http://h/js/reactions.js", "http://h/js/vueling.js", "/turbopack/[project]/src/App.tsx", "src/query.ts", "http://h/main.js",
	} {
		if isVendor(place) {
			t.Errorf("%q is taken for a library's", place)
		}
	}
}

func TestWrapperNames(t *testing.T) {
	for _, name := range []string{"request", "http", "api", "fetchJson", "fetchJSON", "get", "post", "apiFetch", "fetchApi", "apiClient", "http.get", "ApiClient.request", "client", "doFetch", "sendRequest", "$fetch", "fetcher", "callApi", "baseQuery", "authFetch", "fetchWithAuth", "fetchWithRetry", "useFetch", "_request", "getJson", "requestJson"} {
		if !isWrapper(Frame{Function: name, File: "src/api.ts"}, 1) || !isWrapper(Frame{Function: name, File: "src/other.ts"}, 2) || isWrapper(Frame{Function: name, File: "src/UserList.tsx"}, 1) {
			t.Errorf("%s is not told to be a wrapper", name)
		}
	}
	for _, name := range []string{"", "loadUsers", "getUser", "fetchUsers", "postComment", "UserList", "requestPasswordReset", "apiKeys", "getAll", "boot", "search", "clientList"} {
		if isWrapper(Frame{Function: name, File: "src/api/http.ts"}, 5) {
			t.Errorf("%s is taken for a wrapper", name)
		}
	}
}

func TestCommonCulprit(t *testing.T) {
	r := New(func(context.Context, string) ([]byte, http.Header, error) {
		return nil, nil, errors.New("nothing is served")
	}, "")
	// Each frame is "function file:line"; the files are plain scripts.
	stack := func(frames ...string) string {
		var lines []string
		for _, f := range frames {
			name, place, _ := strings.Cut(f, " ")
			lines = append(lines, "at "+name+" (http://h/"+place+":5)")
		}
		return strings.Join(lines, "\n")
	}
	react := "commitHook node_modules/react-dom/index.js:1"
	for name, tc := range map[string]struct {
		stacks []string
		want   string
	}{
		"one frame":          {[]string{stack("load src/a.js:3")}, "/src/a.js:3:5 in load"},
		"library below":      {[]string{stack("dispatchRequest node_modules/axios/x.js:1", "load src/a.js:3", react)}, "/src/a.js:3:5 in load"},
		"wrapper by file":    {[]string{stack("request src/lib/http.js:1", "load src/a.js:3")}, "/src/a.js:3:5 in load"},
		"two wrappers":       {[]string{stack("doFetch src/http.js:9", "get src/api/client.js:1", "load src/a.js:3")}, "/src/a.js:3:5 in load"},
		"wrapper alone":      {[]string{stack("request src/http.js:1", react)}, "/src/http.js:1:5 in request"},
		"wrapper by callers": {[]string{stack("get src/tools.js:1", "Header src/h.js:3"), stack("get src/tools.js:1", "Footer src/f.js:4")}, "/src/h.js:3:5 in Header"},
		"get of a page":      {[]string{stack("get src/UserList.js:1", "App src/App.js:3"), stack("get src/UserList.js:1", "App src/App.js:3")}, "/src/UserList.js:1:5 in get"},
		"serial":             {[]string{stack("boot src/boot.js:8"), stack("boot src/boot.js:11"), stack("boot src/boot.js:14")}, "/src/boot.js:8:5 in boot"},
		"serial through endpoints": {[]string{
			stack("request src/api/http.js:1", "getSession src/api/session.js:3", "boot src/boot.js:8"), stack("request src/api/http.js:1", "getRegion src/api/region.js:3", "boot src/boot.js:9"),
		}, "/src/boot.js:8:5 in boot"},
		"rows through an endpoint":        {[]string{stack("request src/api/http.js:1", "getUser src/api/users.js:3", "Row src/Row.js:8")}, "/src/Row.js:8:5 in Row"},
		"endpoint, two callers":           {[]string{stack("getUser src/api/users.js:3", "Header src/h.js:8"), stack("getUser src/api/users.js:3", "Footer src/f.js:8")}, "/src/api/users.js:3:5 in getUser"},
		"endpoint calls endpoint":         {[]string{stack("getUser src/api/users.js:3", "getTeam src/api/team.js:8")}, "/src/api/users.js:3:5 in getUser"},
		"shared hook":                     {[]string{stack("useUser src/useUser.js:3", "Header src/h.js:8", "App src/App.js:1"), stack("useUser src/useUser.js:3", "Footer src/f.js:8", "App src/App.js:1")}, "/src/useUser.js:3:5 in useUser"},
		"nothing shared, most":            {[]string{stack("A src/a.js:1"), stack("B src/b.js:1"), stack("B src/b.js:2")}, "/src/b.js:1:5 in B"},
		"nothing shared, first":           {[]string{stack("A src/a.js:1"), stack("B src/b.js:1")}, "/src/a.js:1:5 in A"},
		"the root far away is not shared": {[]string{stack("A src/a.js:1", "x src/x.js:1", "y src/y.js:1", "z src/z.js:1", "App src/App.js:1"), stack("B src/b.js:1", "App src/App.js:1")}, "/src/a.js:1:5 in A"},
		"stacks without own frames":       {[]string{stack(react), "", stack("A src/a.js:1")}, "/src/a.js:1:5 in A"},
		"libraries only":                  {[]string{stack(react), "Error: x"}, ""},
		"none":                            {nil, ""},
	} {
		f, ok := r.CommonCulprit(t.Context(), tc.stacks)
		if ok != (tc.want != "") || (ok && f.String() != tc.want) {
			t.Errorf("%s: %s, want %s", name, f, tc.want)
		}
	}
}
