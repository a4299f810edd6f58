// Package source looks into a project's own files: which file a printed path
// means, what stands around a line, where an address is mentioned. It never
// opens anything outside the project's folder and reads a bounded amount.
package source

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"
)

// Bounds of what is read of a project.
const (
	maxFiles    = 4000
	maxFile     = 1 << 20  // bytes of one source file
	maxSearched = 16 << 20 // bytes of all of them
	maxWalk     = 400 * time.Millisecond
	frameLines  = 5
	maxCode     = 160 // bytes of a line of a frame
)

// Place is a position in a source file.
type Place struct {
	File     string `json:"file"` // relative to the project, with slashes, when Own
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Function string `json:"function,omitempty"`
	// Own: the file is one of the project's. Compiled: it is what a bundler made,
	// because nothing leads from it to the source.
	Own      bool `json:"own,omitempty"`
	Compiled bool `json:"compiled,omitempty"`
	// Mentioned: nothing told the place; it is where the project's source has the
	// address in it.
	Mentioned bool `json:"mentioned,omitempty"`
}

// Code is one line of a source file.
type Code struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Tree is a project's own files, listed when first needed. Nothing outside the
// root is ever opened, symbolic links out of it included.
type Tree struct {
	dir    string
	root   *os.Root
	listed bool
	late   bool // the listing was ended early
	files  []string

	imports  map[string][]string // what stands in quotes → files that have it
	patterns bool                // imports does not tell everything
	newest   time.Time
	script   time.Time // the newest of code for pages
}

// Open returns the files beneath dir; an empty one means that there are none.
func Open(dir string) *Tree {
	t := &Tree{dir: dir}
	if dir != "" {
		if root, err := os.OpenRoot(dir); err == nil {
			t.root = root
		}
	}
	return t
}

// Close lets go of the folder.
func (t *Tree) Close() {
	if t.root != nil {
		t.root.Close()
	}
}

// relative is a printed path as seen from the root, or "".
func (t *Tree) relative(file string) string {
	file = filepath.ToSlash(strings.ReplaceAll(file, `\`, "/"))
	dir := filepath.ToSlash(t.dir)
	if rest, ok := strings.CutPrefix(file, dir+"/"); ok {
		return path.Clean(rest)
	}
	if path.IsAbs(file) || len(file) > 1 && file[1] == ':' {
		return ""
	}
	file = path.Clean(file)
	if file == "." || file == ".." || strings.HasPrefix(file, "../") {
		return ""
	}
	return file
}

// Stat tells about a file, given from the root with slashes.
func (t *Tree) Stat(rel string) (fs.FileInfo, bool) {
	if t.root == nil || rel == "" {
		return nil, false
	}
	info, err := t.root.Stat(filepath.FromSlash(rel))
	return info, err == nil && info.Mode().IsRegular()
}

// Locate leads a printed path to a file of the project. pkg is the Go package
// that a test's file is in, when that is known.
func (t *Tree) Locate(p Place, pkg string) Place {
	rel := t.relative(p.File)
	if _, ok := t.Stat(rel); ok {
		p.File, p.Own = rel, !vendored(rel)
		return p
	}
	if rel == "" {
		return p
	}
	// A tool prints paths from where it was started, which may be a part of the
	// project.
	if found := t.suffix(rel, path.Base(pkg)); found != "" {
		p.File, p.Own = found, !vendored(found)
	}
	return p
}

func vendored(rel string) bool {
	for part := range strings.SplitSeq(rel, "/") {
		if part == "node_modules" || part == "site-packages" || part == "vendor" && !strings.HasPrefix(rel, "src/") {
			return true
		}
	}
	return false
}

// suffix finds the one file whose path ends like rel; folder decides between
// several.
func (t *Tree) suffix(rel, folder string) string {
	found := ""
	for _, f := range t.list() {
		if !strings.HasSuffix(f, "/"+rel) && f != rel {
			continue
		}
		if folder != "" && folder != "." && path.Base(path.Dir(f)) == folder {
			return f
		}
		if found != "" {
			return ""
		}
		found = f
	}
	return found
}

var (
	skipped = map[string]bool{"node_modules": true, "dist": true, "build": true, "out": true, "target": true, "vendor": true, "coverage": true, "__pycache__": true, "venv": true, "env": true, "bower_components": true, "tmp": true}
	sources = map[string]bool{
		".js": true, ".jsx": true, ".ts": true, ".tsx": true, ".mjs": true, ".cjs": true, ".mts": true, ".vue": true, ".svelte": true, ".astro": true, ".html": true, ".htm": true, ".css": true, ".scss": true, ".less": true,
		".py": true, ".rb": true, ".erb": true, ".php": true, ".go": true, ".templ": true, ".rs": true, ".ejs": true, ".hbs": true, ".twig": true, ".njk": true, ".mdx": true, ".kdl": true,
	}
	errEnough = errors.New("enough")
)

func (t *Tree) list() []string {
	if t.listed || t.root == nil {
		return t.files
	}
	t.listed = true
	deadline := time.Now().Add(maxWalk)
	// An error ends the listing early, and what is listed is still true.
	_ = fs.WalkDir(t.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case d.IsDir() && name != "." && (skipped[d.Name()] || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case !d.Type().IsRegular() || !sources[path.Ext(name)]:
			return nil
		}
		if t.files = append(t.files, name); len(t.files) >= maxFiles || time.Now().After(deadline) {
			t.late = true
			return errEnough
		}
		return nil
	})
	return t.files
}

// ChangedBetween says whether any file of the project was last written between
// two moments.
func (t *Tree) ChangedBetween(after, before time.Time) bool {
	for _, name := range t.list() {
		if info, ok := t.Stat(name); ok && info.ModTime().After(after) && info.ModTime().Before(before) {
			return true
		}
	}
	return false
}

// Mentions finds, for each address, the place of the source that has it, in one
// pass over the project. Tests are asked last.
func (t *Tree) Mentions(addresses []string) map[string]Place {
	found := map[string]Place{}
	if len(addresses) == 0 {
		return found
	}
	files := t.list()
	read := 0
	for _, tests := range []bool{false, true} {
		for _, name := range files {
			if isTest(name) != tests || len(found) == len(addresses) || read > maxSearched {
				continue
			}
			text := t.read(name)
			read += len(text)
			for _, address := range addresses {
				if _, ok := found[address]; ok {
					continue
				}
				if at := mention(text, address); at >= 0 {
					found[address] = Place{File: name, Line: 1 + bytes.Count(text[:at], []byte("\n")), Own: true, Mentioned: true}
				}
			}
		}
	}
	return found
}

func isTest(name string) bool {
	base := path.Base(name)
	return strings.Contains(base, ".test.") || strings.Contains(base, ".spec.") || strings.Contains(base, "_test.") || strings.HasPrefix(base, "test_") || strings.Contains(name, "__tests__/")
}

// mention finds an address as source has it: in quotes or brackets, whole, from
// its end backwards: "/img/a.png", then "img/a.png", then "a.png".
func mention(text []byte, address string) int {
	for needle := address; len(needle) > 3; {
		for from := 0; ; {
			i := bytes.Index(text[from:], []byte(needle))
			if i < 0 {
				break
			}
			at, end := from+i, from+i+len(needle)
			if opens(text, at) && (end == len(text) || !isWord(text[end])) {
				return at
			}
			from = end
		}
		cut := strings.IndexByte(needle[1:], '/')
		if cut < 0 || path.Ext(address) == "" {
			return -1
		}
		needle = strings.TrimPrefix(needle[1+cut:], "/")
	}
	return -1
}

func opens(text []byte, at int) bool {
	return at > 0 && bytes.IndexByte([]byte("\"'`(/=}."), text[at-1]) >= 0
}

func isWord(c byte) bool {
	return c == '_' || c == '-' || c == '/' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func (t *Tree) read(rel string) []byte {
	if t.root == nil {
		return nil
	}
	f, err := t.root.Open(filepath.FromSlash(rel))
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil
	}
	return text
}

// Frame is the source around a line.
func (t *Tree) Frame(p Place) []Code {
	if !p.Own || p.Line <= 0 {
		return nil
	}
	var out []Code
	s := bufio.NewScanner(bytes.NewReader(t.read(p.File)))
	s.Buffer(nil, maxFile)
	first := max(1, p.Line-frameLines/2)
	for n := 1; s.Scan() && n < first+frameLines; n++ {
		if n >= first {
			out = append(out, Code{n, clip(s.Text())})
		}
	}
	if len(out) == 0 || out[len(out)-1].Line < p.Line {
		return nil // the file is shorter now
	}
	return out
}

func clip(s string) string {
	if len(s) <= maxCode {
		return s
	}
	n := maxCode
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
