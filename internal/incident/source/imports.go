package source

import (
	"path"
	"strings"
	"time"
)

// bundled are the files that come into a build because another one names them.
var bundled = map[string]bool{
	".js": true, ".jsx": true, ".ts": true, ".tsx": true, ".mjs": true, ".cjs": true, ".mts": true, ".cts": true, ".vue": true, ".svelte": true, ".astro": true,
	".css": true, ".scss": true, ".sass": true, ".less": true, ".styl": true, ".json": true, ".mdx": true,
}

// routed are folders whose files are found by a framework and named nowhere.
var routed = map[string]bool{"pages": true, "app": true, "routes": true, "api": true, "layouts": true, "middleware": true, "plugins": true, "content": true, "stories": true}

// importMax is the longest text in quotes that is taken for a path.
const importMax = 240

// Imported says whether any other file of the project names file, outside of
// comments. It says so too when it cannot know: of a kind of file that is not
// brought in by its name, of one that a framework finds by its folder, and
// where modules are imported by a pattern.
func (t *Tree) Imported(file string) bool {
	if !bundled[path.Ext(file)] || strings.IndexByte("+_[(@", path.Base(file)[0]) >= 0 {
		return true
	}
	for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if routed[path.Base(dir)] {
			return true
		}
	}
	t.readImports()
	if t.patterns {
		return true
	}
	for _, by := range t.imports[stem(file)] {
		if by != file {
			return true
		}
	}
	return false
}

// stem is what an import calls a file: without its folder and its ending, and
// the folder alone for its index.
func stem(file string) string {
	file = strings.TrimSuffix(file, "/")
	base := path.Base(file)
	if ext := path.Ext(base); bundled[ext] {
		base = strings.TrimSuffix(base, ext)
	}
	if base == "index" && path.Dir(file) != "." {
		return path.Base(path.Dir(file))
	}
	return base
}

// readImports notes, once, which names stand in quotes in which files.
func (t *Tree) readImports() {
	if t.imports != nil {
		return
	}
	t.imports = map[string][]string{}
	read := 0
	for _, name := range t.list() {
		text := string(t.read(name))
		if read += len(text); read > maxSearched || len(text) == maxFile {
			t.patterns = true // the rest is not known
			return
		}
		if strings.Contains(text, "import.meta.glob") || strings.Contains(text, "require.context(") || strings.Contains(text, "import(`") {
			t.patterns = true
			return
		}
		quoted(text, func(words string) {
			words, _, _ = strings.Cut(words, "?")
			s := stem(words)
			if by := t.imports[s]; len(by) < 2 && (len(by) == 0 || by[0] != name) {
				t.imports[s] = append(by, name)
			}
		})
	}
	t.patterns = t.late
}

// quoted gives every text in quotes on one line that is not in a comment.
func quoted(text string, give func(string)) {
	var quote byte
	from := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n':
			quote = 0
		case quote != 0 && c == '\\':
			i++
		case quote != 0 && c == quote:
			if quote = 0; i > from && i-from <= importMax {
				give(text[from:i])
			}
		case quote != 0:
		case c == '"' || c == '\'' || c == '`':
			quote, from = c, i+1
		default:
			i += comment(text[i:])
		}
	}
}

// comment is how many bytes further a comment that begins here ends.
func comment(text string) int {
	for _, c := range []struct{ open, end string }{{"//", "\n"}, {"/*", "*/"}, {"<!--", "-->"}} {
		if !strings.HasPrefix(text, c.open) {
			continue
		}
		n := strings.Index(text[len(c.open):], c.end)
		if n < 0 {
			return len(text)
		}
		return len(c.open) + n + len(c.end) - 1
	}
	return 0
}

// Newest is when a file of the project was last written, and when one with code
// that a page runs.
func (t *Tree) Newest() (file, script time.Time) {
	if !t.newest.IsZero() {
		return t.newest, t.script
	}
	for _, name := range t.list() {
		info, ok := t.Stat(name)
		if !ok {
			continue
		}
		at := info.ModTime()
		if at.After(t.newest) {
			t.newest = at
		}
		if at.After(t.script) && scripts[path.Ext(name)] {
			t.script = at
		}
	}
	return t.newest, t.script
}

var scripts = map[string]bool{".js": true, ".jsx": true, ".ts": true, ".tsx": true, ".mjs": true, ".cjs": true, ".mts": true, ".mdx": true}

// ChangedSince says whether a file of the project was written since.
func (t *Tree) ChangedSince(at time.Time) bool {
	file, _ := t.Newest()
	return file.After(at)
}
