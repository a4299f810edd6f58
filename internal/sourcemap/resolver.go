package sourcemap

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"oriel/internal/lazyre"
	"oriel/internal/quote"
	"oriel/internal/sourcemap/enclosing"
	"oriel/internal/sourcemap/mapfile"
)

// Limits of a Resolver.
const (
	fetchTimeout = 5 * time.Second
	// fresh is how long a script is believed to be as it was: a whole stack, and
	// all stacks of an audit, are read within it.
	fresh          = 3 * time.Second
	freshImmutable = 10 * time.Minute
	// missing is how long a script without a usable map is not asked for again.
	missing = 15 * time.Second

	maxScriptBytes = 64 << 20
	maxBundles     = 64 // searched for an evaluated module
	maxFile        = 300
)

// Fetch gets a script or a map. It decides which hosts may be asked: the
// addresses come from the page and are not trusted.
type Fetch func(ctx context.Context, url string) (body []byte, header http.Header, err error)

// Resolver leads from compiled places to sources. It is safe for concurrent
// use; a script is fetched once however many ask for it at a time.
type Resolver struct {
	fetch   Fetch
	folder  *folder
	scripts func() []string
	cache   cache
}

// New returns a Resolver that gets scripts and maps through fetch and looks for
// sources beneath root; an empty root means that there is no project to look in.
func New(fetch Fetch, root string) *Resolver {
	return &Resolver{fetch: fetch, folder: newFolder(root), cache: newCache(time.Now)}
}

// WithScripts tells where to look for modules that have no address of their
// own because their bundle evaluates them as strings (webpack-internal:): list
// returns the addresses of the page's scripts, the newest first. Call it before
// the Resolver is used.
func (r *Resolver) WithScripts(list func() []string) *Resolver {
	r.scripts = list
	return r
}

// script is what is known of one script.
type script struct {
	hash  [sha256.Size]byte
	m     *mapfile.Map // nil: none, or none that can be read
	base  string       // where the map came from, for relative sources
	file  string       // of a script without a map: the project's file with the same text
	evals []byte       // the text itself, when modules are evaluated in it
	// from is the script that an evaluated module was found in.
	from string
	// module is the one of a chunk that the address means, and above how many
	// lines of the chunk are before it; -1: the chunk does not have it.
	module string
	above  int
}

func (s *script) size() int {
	n := 256 + len(s.evals)
	if s.m != nil {
		n += s.m.Size()
	}
	return n
}

// Place leads one compiled place to its source. What it cannot lead further
// comes back as it was, not Mapped.
func (r *Resolver) Place(ctx context.Context, address string, line, column int) Frame {
	f := Frame{URL: address, URLLine: line, URLColumn: column, File: compiledFile(address), Line: line, Column: column}
	frames := []Frame{f}
	r.resolve(ctx, frames)
	return frames[0]
}

// Frames reads a stack and leads each frame to its source. Frames of libraries
// that can be told by their address are left as they are.
func (r *Resolver) Frames(ctx context.Context, stack string) []Frame {
	frames := ParseStack(stack)
	r.resolve(ctx, frames)
	return frames
}

func (r *Resolver) resolve(ctx context.Context, frames []Frame) {
	var near []string
	for _, f := range frames {
		if strings.HasPrefix(f.URL, "http") {
			near = append(near, f.URL)
		}
	}
	names := make([]string, len(frames)) // what the map calls the token at each place
	for i := range frames {
		f := &frames[i]
		if f.Native || f.URL == "" || isVendor(f.URL) {
			continue
		}
		s := r.script(ctx, f.URL, near)
		names[i] = r.lead(f, s)
	}
	for i := range frames {
		f := &frames[i]
		if f.Mapped && !f.read && f.Function == "" && i+1 < len(frames) && !frames[i+1].Async {
			// The caller's place is on the name by which it calls this function.
			f.Function = quote.Text(names[i+1], maxFunction)
		}
	}
}

// lead moves f to its source and returns the name the map gives that place.
func (r *Resolver) lead(f *Frame, s *script) string {
	switch {
	case s.module != "":
		return r.leadModule(f, s)
	case s.m != nil:
		if p, ok := s.m.Find(f.URLLine, f.URLColumn); ok {
			r.setSource(f, s, p)
			return p.Name
		}
	case s.file != "":
		f.File, f.InProject = s.file, true
		// What a build left in the project is not what a developer wrote.
		f.Mapped = !built.MatchString(s.file)
		if f.Mapped {
			f.Function = r.function(f, nil)
		}
		return ""
	}
	if strings.HasPrefix(f.URL, "http") {
		return ""
	}
	if scheme, _ := splitScheme(f.URL); bundlerForm.MatchString(scheme) {
		r.setFile(f, sourceName(f.URL, ""))
	}
	return ""
}

// setFile moves f to a file by its name alone: the line is that of the compiled
// module, and no line is better than a wrong one.
func (r *Resolver) setFile(f *Frame, name string) {
	f.File, f.Line, f.Column = quote.Text(name, maxFile), 0, 0
	if file, ok := r.folder.find(name, nil); ok {
		f.File, f.InProject, f.Mapped = file, true, true
	}
}

var built = lazyre.New(`(?i)(?:^|/)(?:dist|build|out|public/build|\.next|\.output|\.svelte-kit|\.nuxt|target)/|\.min\.m?js$`)

func (r *Resolver) setSource(f *Frame, s *script, p mapfile.Position) {
	name := sourceName(p.Source.Name, s.base)
	f.Line, f.Column, f.Mapped, f.vendor = p.Line, p.Column, true, p.Source.Vendor
	if file, ok := r.folder.find(name, p.Source.Content); ok {
		f.File, f.InProject = file, true
	} else {
		f.File = quote.Text(strings.TrimPrefix(name, "/"), maxFile)
	}
	if f.vendor = f.vendor || isVendor(p.Source.Name) || isVendor(f.File); !f.vendor {
		f.Function = r.function(f, p.Source.Content)
	} else if minified(f.Function) {
		f.Function = ""
	}
}

// function is the best name for a mapped frame's function. The engine's own is
// exact unless a minifier made it up: it counts when the source has that word.
// Otherwise the source says which function the place is in.
func (r *Resolver) function(f *Frame, content *string) string {
	text := ""
	switch {
	case content != nil:
		text = *content
	case f.InProject:
		text = r.folder.read(f.File)
	}
	f.read = text != ""
	dot := strings.LastIndexByte(f.Function, '.')
	object, base := f.Function[:max(dot, 0)], f.Function[dot+1:]
	genuine := func(name string) bool { return !minified(name) && (text == "" || hasWord(text, name)) }
	if genuine(base) && (object == "" || genuine(object)) {
		return f.Function
	}
	name := quote.Text(enclosing.Function(text, f.Line, f.Column), maxFunction)
	// Minifiers leave the names of methods alone.
	if object != "" && genuine(base) && name[strings.LastIndexByte(name, '.')+1:] != base {
		return base
	}
	return name
}

// minified says whether a name is too short to have been given by a person.
func minified(name string) bool { return len(name) <= 2 }

// isWord says whether c is part of a word; every byte beyond ASCII is.
func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || (c >= '0' && c <= '9') || (c|0x20 >= 'a' && c|0x20 <= 'z')
}

func hasWord(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		start, end := at+i, at+i+len(word)
		if (start == 0 || !isWord(text[start-1])) && (end == len(text) || !isWord(text[end])) {
			return true
		}
		at = end
	}
}

var errNotFetched = errors.New("not a script that can be fetched")

// script returns what is known of the script at address; never nil.
func (r *Resolver) script(ctx context.Context, address string, near []string) *script {
	build := r.build
	if scheme, _ := splitScheme(address); scheme != "http" && scheme != "https" {
		if !bundlerForm.MatchString(scheme) {
			return new(script)
		}
		build = func(ctx context.Context, address string, old *script) (*script, time.Duration, error) {
			return r.buildModule(ctx, address, near, old)
		}
	}
	return r.cache.get(ctx, address, build)
}

// build fetches a script and its map. When the text is that of old, old stays.
func (r *Resolver) build(ctx context.Context, address string, old *script) (*script, time.Duration, error) {
	body, header, err := r.get(ctx, address)
	if err != nil {
		return nil, missing, err
	}
	hash := sha256.Sum256(body)
	keep := fresh
	if strings.Contains(header.Get("Cache-Control"), "immutable") {
		keep = freshImmutable
	}
	if old != nil && old.hash == hash {
		return old, keep, nil
	}
	s := &script{hash: hash, base: address}
	s.module, s.above = moduleIn(address, body)
	for _, ref := range mapfile.References(body, header) {
		if s.m, s.base, err = r.getMap(ctx, address, ref); err == nil {
			return s, keep, nil
		}
	}
	if strings.Contains(string(body), "sourceURL=webpack-internal:") {
		s.evals = body
		return s, keep, nil
	}
	s.file = r.verbatim(address, string(body))
	return s, keep, nil
}

func (r *Resolver) get(ctx context.Context, address string) ([]byte, http.Header, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, nil, fmt.Errorf("fetch %s: %w", quote.Text(address, maxFile), errNotFetched)
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	body, header, err := r.fetch(ctx, address)
	if err != nil {
		return nil, nil, fmt.Errorf("fetch %s: %w", quote.Text(address, maxFile), err)
	}
	if len(body) > maxScriptBytes {
		return nil, nil, fmt.Errorf("fetch %s: %d bytes, at most %d", quote.Text(address, maxFile), len(body), maxScriptBytes)
	}
	return body, header, nil
}

// getMap gets the map that a script refers to and says where it came from.
func (r *Resolver) getMap(ctx context.Context, address, ref string) (*mapfile.Map, string, error) {
	if strings.HasPrefix(ref, "data:") {
		data, err := mapfile.DataURL(ref)
		if err != nil {
			return nil, "", err
		}
		m, err := mapfile.Decode(data)
		return m, address, err
	}
	base, err := url.Parse(address)
	if err != nil {
		return nil, "", err
	}
	at, err := base.Parse(ref)
	if err != nil {
		return nil, "", err
	}
	data, _, err := r.get(ctx, at.String())
	if err != nil {
		return nil, "", err
	}
	m, err := mapfile.Decode(data)
	return m, at.String(), err
}

// buildModule looks for an evaluated module in the bundles of the page.
func (r *Resolver) buildModule(ctx context.Context, name string, near []string, old *script) (*script, time.Duration, error) {
	bundles := near
	if old != nil && old.from != "" {
		bundles = append([]string{old.from}, bundles...)
	}
	if r.scripts != nil {
		bundles = append(bundles[:len(bundles):len(bundles)], r.scripts()...)
	}
	seen := map[string]bool{}
	for _, address := range bundles {
		if scheme, _ := splitScheme(address); seen[address] || len(seen) == maxBundles || (scheme != "http" && scheme != "https") {
			continue
		}
		seen[address] = true
		bundle := r.cache.get(ctx, address, r.build)
		if bundle.evals == nil {
			continue
		}
		if old != nil && old.from == address && old.hash == bundle.hash {
			return old, fresh, nil
		}
		ref, ok := mapfile.EvalModule(bundle.evals, name)
		if !ok {
			continue
		}
		m, _, err := r.getMap(ctx, address, ref)
		if err != nil {
			return nil, missing, err
		}
		return &script{hash: bundle.hash, m: m, base: name, from: address}, fresh, nil
	}
	return nil, missing, fmt.Errorf("no bundle has %s", quote.Text(name, maxFile))
}

// verbatim finds the project's file that is served as it is.
func (r *Resolver) verbatim(address, body string) string {
	name := sourceName(address, "")
	if path.Ext(name) == "" {
		name = path.Join(name, "index.html")
	}
	file, ok := r.folder.find(name, &body)
	if !ok || !sameText(r.folder.read(file), body) {
		return ""
	}
	return file
}
