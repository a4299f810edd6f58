package incident

import (
	"strconv"
	"strings"

	"oriel/internal/lazyre"
)

var configForm = lazyre.New(`^(.+?):(\d+):(\d+): (.+)$`)

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// noises are what browsers, dev servers and extensions do by themselves, in the
// order in which they are tried.
var noises = []struct {
	what string
	is   func(*Fact) bool
}{
	{"favicon", onURL(lazyre.New(`(?i)/(?:favicon[^/]*\.(?:ico|png|svg)|apple-touch-icon[^/]*\.png|browserconfig\.xml)$`))},
	{"source maps", onURL(lazyre.New(`(?i)\.map$`))},
	{"source maps", func(f *Fact) bool { return strings.HasPrefix(f.Message, "DevTools failed to load source map") }},
	{"extensions", extension},
	{"devtools probes", onURL(lazyre.New(`^/(?:\.well-known/appspecific/|__vite_ping|json/(?:version|list)$|__open-in-editor|installHook\.js|__parcel)|/(?:react_devtools_backend|installHook)[\w.]*\.js$`))},
	{"HMR", hmr},
	{"aborted requests", func(f *Fact) bool { return f.Status == aborted }},
	{"ResizeObserver", func(f *Fact) bool { return strings.HasPrefix(f.Message, "ResizeObserver loop ") }},
	{"aborted by the page", func(f *Fact) bool {
		return f.Origin == PageRejection && (strings.HasPrefix(f.Message, "AbortError: ") || strings.HasPrefix(f.Message, "NavigationDuplicated"))
	}},
}

// noiseOf names the noise that a fact is, or "".
func noiseOf(f *Fact) string {
	for _, n := range noises {
		if n.is(f) {
			return n.what
		}
	}
	return ""
}

func onURL(form *lazyre.Regexp) func(*Fact) bool {
	return func(f *Fact) bool {
		return (f.Origin == HTTP || f.Origin == Resource) && form.MatchString(f.path)
	}
}

func fromExtension(place string) bool {
	return strings.Contains(place, "-extension://") || strings.Contains(place, "webkit-masked-url://")
}

// extension: the error is one of an extension when the innermost place is. An
// application's error that an extension's wrapper is beneath stays.
func extension(f *Fact) bool {
	if fromExtension(f.Script) || fromExtension(f.URL) {
		return true
	}
	if strings.Contains(f.Message, "Extension context invalidated") || strings.Contains(f.Message, "message channel closed before a response was received") || strings.HasPrefix(f.Message, "Unchecked runtime.lastError") {
		return true
	}
	for line := range strings.SplitSeq(f.Stack, "\n") {
		if place := strings.TrimSpace(line); strings.HasPrefix(place, "at ") || strings.Contains(place, "@") {
			return fromExtension(place)
		}
	}
	return false
}

var (
	hmrWords = lazyre.New(`(?i)^(?:\[(?:vite|hmr|wds|webpack-dev-server|fast refresh)\]|\[hmr\])[^:]*(?:connecting|connected|server connection lost|disconnected|polling for restart|reconnect|hot module replacement|live reloading|app updated|app hot update|nothing hot updated|cannot apply update|cannot find update)` +
		`|^\[HMR\] (?:Error: Aborted because|Update failed: Loading hot update chunk|The following modules couldn't be hot updated)` +
		`|^\[vite\] failed to connect to websocket|^WebSocket connection to .*failed|WebSocket closed without opened|^\[webpack-dev-server\] (?:event|disconnected|trying to reconnect)|^Download the React DevTools`)
	hmrPaths = lazyre.New(`^/(?:_next/webpack-hmr|__webpack_hmr|sockjs-node|_hmr|@vite/client$|__vite_hmr|_next/hmr)|\.hot-update\.(?:json|js)$`)
)

// hmr is the chatter of a dev server's own connection to the page.
func hmr(f *Fact) bool {
	switch f.Origin {
	case Console, PageError, PageRejection:
		head := f.Message[:min(len(f.Message), 200)]
		return (head != "" && head[0] == '[' || strings.Contains(head, "WebSocket") || strings.HasPrefix(head, "Download the")) && hmrWords.MatchString(head)
	case HTTP, Resource:
		return hmrPaths.MatchString(f.path) && f.Status < 500
	}
	return false
}
