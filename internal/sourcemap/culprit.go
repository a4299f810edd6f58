package sourcemap

import (
	"context"
	"path"
	"slices"
	"strings"

	"oriel/internal/lazyre"
)

// vendorForm knows code that the application's developers did not write by
// where it lies: package folders, what dev servers and bundlers put in, browser
// extensions, the agent itself, well-known hosts of libraries.
var vendorForm = lazyre.New(`(?i)(?:^|[/\\])(?:node_modules|bower_components|jspm_packages|\.yarn|\.pnpm)[/\\]` +
	`|/\.vite/deps/|/@vite/|/@vite-plugin|/@react-refresh|/@id/|/@solid-refresh|\bvite/(?:preload-helper|modulepreload|client|dist)\b|__vite[-_]` +
	`|(?:^|/)webpack/(?:bootstrap|runtime|universalModuleDefinition|startup|before-startup|after-startup)|webpack-dev-server|webpack[/\\]hot|\(webpack\)` +
	`|\[turbopack\]|\[next\]|\[externals\]|/_next/static/chunks/(?:webpack|main|main-app|framework|polyfills|react-refresh|\[turbopack\])` +
	`|/_next/static/chunks/(?:[^/]*_)?node_modules_|/__devtool/|/__webpack_hmr|/_nuxt/@|virtual:|commonjsHelpers|/_virtual/|^\x00` +
	`|(?:^|[/~._-])(?:chunk-)?vendors?(?:[-~.][^/]*)?\.m?js` +
	`|^(?:chrome|moz|safari-web|webkit-masked-url|ms-browser)-?(?:extension)?://|^(?:node|internal|native|wasm|about|extensions?):` +
	`|//(?:unpkg\.com|cdn\.jsdelivr\.net|esm\.sh|cdnjs\.cloudflare\.com|cdn\.skypack\.dev|ga\.jspm\.io|code\.jquery\.com|ajax\.googleapis\.com|www\.googletagmanager\.com|www\.google-analytics\.com)/`)

// libraryForm knows libraries that are served as one file.
var libraryForm = lazyre.New(`(?i)(?:^|/)(?:axios|ky|ky-universal|superagent|jquery|got|wretch|redaxios|ofetch|react|react-dom|react-dom[-_.]client|scheduler|preact|vue|vue-router|pinia|angular|zone|rxjs|` +
	`svelte|solid|lit|htmx|alpine|alpinejs|apollo-client|apollo|urql|relay|swr|react-query|query-core|tanstack-query|redux|redux-toolkit|mobx|zustand|lodash|underscore|polyfills?|core-js|regenerator-runtime|runtime|socket\.io)` +
	`(?:[@.-]v?\d[\w.-]*)?(?:[._-](?:min|global|esm|esm-browser|umd|cjs|iife|prod|production|dev|development|slim|bundle|runtime|es\d+|browser|module|pkgd))*\.(?:m|c)?js(?:\?|$)`)

// isVendor says whether the code at an address or source path is not the
// application's own.
func isVendor(place string) bool {
	return vendorForm.MatchString(place) || libraryForm.MatchString(place)
}

// Application says whether a frame is the application's own code, as far as its
// place tells. For an error the innermost such frame is the place to look at;
// for calls see Culprit.
func (f Frame) Application() bool {
	return !f.Native && !f.vendor && !strings.HasPrefix(f.Function, "__webpack_") && f.URL != "" && !isVendor(f.URL) && !isVendor(f.File)
}

// verbForm is a name that tells how something is asked for and not what:
// request, apiFetch, fetchJson, http.get, client.
var verbForm = lazyre.New(`^_?\$?(?:(?:do|make|send|perform|execute|create|base|raw|safe|auth|authed|authenticated|with|my|app|internal|api|http|rest|ajax|xhr|json|gql|graphql|fetch|server|client|use)*` +
	`(?:request|fetch|fetcher|fetchjson|getjson|postjson|requestjson|http|ajax|xhr|api|client|call|callapi|send|get|post|put|patch|delete|del|head|query|mutate|json|dispatch|invoke|exec|execute|retry|withretry|withauth|interceptor|intercept|rpc|load|handler)` +
	`(?:api|http|json|data|url|request|client|server|async|auth|retry|wrapper|base|raw|internal|with|or|throw|error|timeout)*)$`)

// clientForm is a file that such functions live in.
var clientForm = lazyre.New(`(?i)^(?:.*[-_.])?(?:api|apis|http|https|client|clients|request|requests|requester|fetch|fetcher|fetchers|fetchjson|ajax|xhr|axios|ky|rest|network|net|transport|gateway|interceptors?|base-?query|graphql|gql|apollo|trpc|rpc|swr|` +
	`[a-z]*(?:api|http|rest|fetch|ajax)(?:client|service|wrapper|base|utils?|helpers?)|(?:api|http|base)(?:client|fetch|request)|usefetch|userequest|useapi|httpservice)$`)

// isWrapper says whether f only passes calls on. Its name says how and not what
// is asked for, and either its file is one for such functions, or it was called
// from several places.
func isWrapper(f Frame, callers int) bool {
	name := f.Function[strings.LastIndexByte(f.Function, '.')+1:]
	if name == "" || !verbForm.MatchString(strings.ToLower(name)) {
		return false
	}
	return callers > 1 || clientForm.MatchString(stem(f.File))
}

// stem is a file's name without its endings; of an index file, its folder's.
func stem(file string) string {
	base, _, _ := strings.Cut(path.Base(file), ".")
	if base == "index" {
		return path.Base(path.Dir(file))
	}
	return base
}

// apiFolder is where functions live that stand for one endpoint each.
var apiFolder = lazyre.New(`(?i)(?:^|/)(?:apis?|services?|clients?|repositor(?:y|ies)|endpoints?|http|rest|requests?|data-access|remote|gateways?|network)/`)

// isEndpoint says whether f stands for an endpoint and not for what wants it.
func isEndpoint(f Frame) bool {
	return apiFolder.MatchString(f.File) || clientForm.MatchString(stem(f.File))
}

// Culprit returns the frame of a stack that a developer has to look at: the
// innermost of the application's own, thin wrappers around fetch passed over as
// long as something of the application is above them.
func (r *Resolver) Culprit(ctx context.Context, stack string) (Frame, bool) {
	return r.CommonCulprit(ctx, []string{stack})
}

// maxCommon is how far out a frame may be to count as what several calls have
// in common; further out everything has the root component in common.
const maxCommon = 4

// CommonCulprit returns the place to look at for several calls that are one
// finding. In this order:
//
//  1. In each stack, framework frames are dropped, then from the inside wrappers
//     (isWrapper) as long as an application frame remains above.
//  2. If a function is among the innermost maxCommon frames of every stack, the
//     innermost such is it, at the line of the first stack: one function that
//     awaits several calls, or renders several rows. When it only stands for an
//     endpoint (isEndpoint) and all calls came to it through one caller that
//     does not, it is the caller: that is where the loop is.
//  3. Otherwise the function that is innermost in most stacks, the earlier on
//     a tie.
func (r *Resolver) CommonCulprit(ctx context.Context, stacks []string) (Frame, bool) {
	var own [][]Frame
	for _, stack := range stacks {
		frames := slices.DeleteFunc(r.Frames(ctx, stack), func(f Frame) bool { return !f.Application() })
		if len(frames) > 0 {
			own = append(own, frames)
		}
	}
	if len(own) == 0 {
		return Frame{}, false
	}
	dropWrappers(own)
	if f, ok := common(own); ok {
		return f, true
	}
	votes := map[string]int{}
	for _, frames := range own {
		votes[frames[0].key()]++
	}
	best := own[0][0]
	for _, frames := range own {
		if votes[frames[0].key()] > votes[best.key()] {
			best = frames[0]
		}
	}
	return best, true
}

func dropWrappers(stacks [][]Frame) {
	callers := callersOf(stacks)
	for i, frames := range stacks {
		for len(frames) > 1 && isWrapper(frames[0], callers[frames[0].key()]) {
			frames = frames[1:]
		}
		stacks[i] = frames
	}
}

// common is rule 2.
func common(stacks [][]Frame) (Frame, bool) {
	shared := func(f Frame) bool {
		for _, frames := range stacks {
			if !slices.ContainsFunc(frames[:min(len(frames), maxCommon)], func(g Frame) bool { return g.key() == f.key() }) {
				return false
			}
		}
		return true
	}
	first := stacks[0][:min(len(stacks[0]), maxCommon)]
	at := slices.IndexFunc(first, shared)
	if at < 0 {
		return Frame{}, false
	}
	for i := at; i+1 < len(first) && isEndpoint(first[i]) && shared(first[i+1]); i++ {
		if !isEndpoint(first[i+1]) {
			return first[i+1], true
		}
	}
	return first[at], true
}

// callersOf counts, for each function, the places it was called from.
func callersOf(stacks [][]Frame) map[string]int {
	seen, count := map[string]bool{}, map[string]int{}
	for _, frames := range stacks {
		for i := range len(frames) - 1 {
			pair := frames[i].key() + "\n" + frames[i+1].key()
			if !seen[pair] {
				seen[pair] = true
				count[frames[i].key()]++
			}
		}
	}
	return count
}

// key is equal for frames of one function; without a name, of one place.
func (f Frame) key() string {
	if f.Function == "" {
		return f.String()
	}
	return f.File + "\x00" + f.Function
}
