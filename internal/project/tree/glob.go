package tree

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of a pattern walk.
const (
	MaxMatches = 300  // folders returned
	maxVisits  = 4000 // folders opened
	maxDepth   = 6    // levels below "**"
)

// foreign are folders that hold dependencies, build results or history, never members of the project.
var foreign = []string{
	"node_modules", "bower_components", "vendor", "target", "dist", "build", "out", "coverage", "__pycache__",
	"site-packages", "venv", "env", "jspm_packages", "Pods", "testdata", "tmp",
}

// Foreign reports whether a folder of this name is passed over where no pattern asks for it. Hidden folders always are.
func Foreign(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains(foreign, name)
}

// Expansion is the result of expanding workspace patterns.
type Expansion struct {
	Dirs    []string // relative to the root, with slashes, sorted, each once
	Cut     bool     // a bound was reached: there may be more
	Outside []string // patterns that lead out of the root and were not followed
	Missing []string // patterns without a wildcard that name no folder
}

// Expand returns the folders under root that the patterns name, in the glob dialect workspace files share: "*", "?", "[…]", "{a,b}",
// "**", and a leading "!" to exclude. A pattern that names a file (go.work and npm allow neither) finds nothing. With holding, only
// folders that hold one of these files count.
func Expand(root string, patterns []string, holding ...string) Expansion {
	w := walker{root: root, holding: holding, found: map[string]bool{}}
	var exclude []string
	for _, raw := range patterns {
		if rest, ok := strings.CutPrefix(raw, "!"); ok {
			exclude = append(exclude, braces(clean(rest))...)
			continue
		}
		for _, p := range braces(clean(raw)) {
			w.pattern(raw, p)
		}
	}
	for dir := range w.found {
		if !Match(exclude, dir) {
			w.result.Dirs = append(w.result.Dirs, dir)
		}
	}
	slices.Sort(w.result.Dirs)
	if len(w.result.Dirs) > MaxMatches {
		w.result.Dirs, w.result.Cut = w.result.Dirs[:MaxMatches], true
	}
	return w.result
}

// Match reports whether a relative folder matches one of the patterns; "**" stands for any number of levels.
func Match(patterns []string, dir string) bool {
	for _, p := range patterns {
		if strings.HasPrefix(p, "!") {
			continue
		}
		for _, q := range braces(clean(p)) {
			if matchParts(strings.Split(q, "/"), strings.Split(dir, "/")) {
				return true
			}
		}
	}
	return false
}

func matchParts(pattern, parts []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for len(pattern) > 1 && pattern[1] == "**" {
				pattern = pattern[1:]
			}
			for i := range len(parts) + 1 {
				if matchParts(pattern[1:], parts[i:]) {
					return true
				}
			}
			return false
		}
		if len(parts) == 0 {
			return false
		}
		if ok, err := path.Match(pattern[0], parts[0]); !ok || err != nil {
			return false
		}
		pattern, parts = pattern[1:], parts[1:]
	}
	return len(parts) == 0
}

func clean(p string) string {
	p = strings.ReplaceAll(strings.TrimSpace(p), `\`, "/")
	return path.Clean(p)
}

// braces expands "{a,b}" groups, at most 32 results; a brace without its partner stays as it is.
func braces(p string) []string {
	out := []string{p}
	for range 5 {
		var next []string
		changed := false
		for _, s := range out {
			open := strings.Index(s, "{")
			end := strings.Index(s[max(open, 0):], "}") + max(open, 0)
			if open < 0 || end <= open {
				next = append(next, s)
				continue
			}
			changed = true
			for part := range strings.SplitSeq(s[open+1:end], ",") {
				next = append(next, s[:open]+part+s[end+1:])
			}
		}
		if !changed || len(next) > 32 {
			return out
		}
		out = next
	}
	return out
}

type walker struct {
	root    string
	holding []string
	found   map[string]bool
	queue   []step
	queued  map[string]bool // steps of the current pattern, each is taken once
	reached bool            // the current pattern leads to a folder
	visits  int
	result  Expansion
}

// step is a folder and what of a pattern is still to be matched below it.
type step struct {
	dir   string
	parts []string
	depth int // levels below "**"
}

func (w *walker) pattern(raw, p string) {
	if p == ".." || strings.HasPrefix(p, "../") || path.IsAbs(p) || filepath.IsAbs(p) {
		w.result.Outside = append(w.result.Outside, raw)
		return
	}
	w.queued, w.reached = map[string]bool{}, false
	w.later("", strings.Split(p, "/"), 0)
	// Near folders first: where there are too many, members are rarely deep.
	for len(w.queue) > 0 {
		next := w.queue[0]
		w.queue = w.queue[1:]
		w.walk(next.dir, next.parts, next.depth)
	}
	if !w.reached && !strings.ContainsAny(raw, "*?[{") {
		w.result.Missing = append(w.result.Missing, raw)
	}
}

func (w *walker) later(dir string, parts []string, depth int) {
	key := dir + "\x00" + strings.Join(parts, "/")
	if !w.queued[key] {
		w.queued[key] = true
		w.queue = append(w.queue, step{dir, parts, depth})
	}
}

// walk matches the remaining parts of a pattern below dir. Wildcards never enter symbolic links, so a loop of links cannot
// trap it; a name written out may be a link, and then the length of the pattern is the bound.
func (w *walker) walk(dir string, parts []string, depth int) {
	if len(parts) == 0 {
		w.arrive(dir)
		return
	}
	part, rest := parts[0], parts[1:]
	switch {
	case part == ".":
		if len(rest) == 0 {
			w.arrive(".")
			return
		}
		w.later(dir, rest, depth)
	case part == "**":
		if dir != "" || len(rest) > 0 {
			w.later(dir, rest, depth)
		}
		if depth >= maxDepth {
			return
		}
		for _, name := range w.folders(dir) {
			if !Foreign(name) {
				w.later(path.Join(dir, name), parts, depth+1)
			}
		}
	case !strings.ContainsAny(part, "*?["):
		next := path.Join(dir, part)
		if info, err := os.Stat(w.path(next)); err == nil && info.IsDir() {
			w.later(next, rest, depth)
		}
	default:
		for _, name := range w.folders(dir) {
			// A name such as "build" is fine here: the pattern says which folder its members stand in.
			if name == "node_modules" || strings.HasPrefix(name, ".") {
				continue
			}
			if ok, err := path.Match(part, name); ok && err == nil {
				w.later(path.Join(dir, name), rest, depth)
			}
		}
	}
}

// arrive notes a folder that a pattern names, if it holds what a member holds.
func (w *walker) arrive(dir string) {
	w.reached = true
	isFile := func(name string) bool {
		info, err := os.Stat(w.path(path.Join(dir, name)))
		return err == nil && info.Mode().IsRegular()
	}
	if len(w.holding) == 0 || slices.ContainsFunc(w.holding, isFile) {
		w.found[dir] = true
	}
}

func (w *walker) path(dir string) string { return filepath.Join(w.root, filepath.FromSlash(dir)) }

// folders lists the sub-folders that may be entered, until the walk has opened its share.
func (w *walker) folders(dir string) []string {
	if w.visits >= maxVisits || len(w.found) > MaxMatches*4 {
		w.result.Cut = true
		return nil
	}
	w.visits++
	f, err := Open(w.path(dir))
	if err != nil {
		return nil
	}
	if f.truncated {
		w.result.Cut = true
	}
	return f.SubFolders()
}

// SubFolders returns the sorted names of real sub-folders. Symbolic links are left out.
func (f *Folder) SubFolders() []string {
	var out []string
	for _, name := range f.names {
		if f.entries[name].IsDir() {
			out = append(out, name)
		}
	}
	return out
}
