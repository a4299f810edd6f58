package sourcemap

import (
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"oriel/internal/lazyre"
)

// Bounds of the search for a source in the project.
const (
	maxSourceFile = 4 << 20
	maxFolders    = 400
	foldersDepth  = 2
	foldersFresh  = 30 * time.Second
)

var (
	driveForm = lazyre.New(`^/?[A-Za-z]:[\\/]`)
	// layerForm is the layer that Next puts before a module's path.
	layerForm = lazyre.New(`^(?:\([a-zA-Z0-9_-]+\)/)+`)
	// projectForm is the root of the project as turbopack writes it.
	projectForm = lazyre.New(`^(?:turbopack/)?\[project\]/`)
	bundlerForm = lazyre.New(`^(?:webpack|webpack-internal|turbopack|rspack|rspack-internal|parcel|rollup|vite|app|ng|meteor|metro|snowpack)$`)
)

// sourceName brings the many ways in which bundlers name a source to one: an
// absolute path (of the file system or of a URL, which only the project's
// folder can tell apart) or a relative one. base is where the map or its script
// came from.
func sourceName(name, base string) string {
	name = strings.TrimPrefix(name, "\x00")
	if driveForm.MatchString(name) {
		return filePath(name)
	}
	scheme, rest := splitScheme(name)
	switch {
	case scheme == "":
		name = resolve(base, name)
	case scheme == "file":
		// file:///path, file://host/path
		rest = strings.TrimPrefix(rest, "//")
		if i := strings.IndexByte(rest, '/'); i > 0 && !driveForm.MatchString(rest) {
			rest = rest[i:]
		}
		return filePath(unescape(rest))
	case scheme == "http" || scheme == "https":
		name = afterHost(rest)
	case bundlerForm.MatchString(scheme):
		name = bundlerPath(rest)
	default:
		name = afterHost(rest)
	}
	name, _, _ = strings.Cut(name, "?")
	name = unescape(name)
	if fs, ok := strings.CutPrefix(name, "/@fs/"); ok {
		return filePath("/" + fs)
	}
	rel, absolute := strings.CutPrefix(name, "/")
	if in := projectForm.FindString(rel); in != "" || !absolute {
		return path.Clean(rel[len(in):])
	}
	return path.Clean("/" + rel)
}

func splitScheme(name string) (scheme, rest string) {
	m := schemeForm.FindString(name)
	return strings.ToLower(strings.TrimSuffix(m, ":")), name[len(m):]
}

// afterHost is the path in //host/path.
func afterHost(s string) string {
	s, ok := strings.CutPrefix(s, "//")
	if !ok {
		return s
	}
	i := strings.IndexByte(s, '/')
	if i < 0 {
		return "/"
	}
	return s[i:]
}

// bundlerPath is the module's path in //name/./path, ///./path, ///(layer)/./path
// and ////absolute.
func bundlerPath(s string) string {
	s = afterHost(s)
	if strings.HasPrefix(s, "//") {
		return s[1:]
	}
	return layerForm.ReplaceAllString(strings.TrimPrefix(s, "/"), "")
}

// resolve joins a relative source to where its map came from.
func resolve(base, name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	b, err := url.Parse(base)
	if err != nil || (b.Scheme != "http" && b.Scheme != "https") {
		return name
	}
	return path.Join(path.Dir(b.Path), name)
}

// filePath is a file system path with slashes, a drive without a slash before it.
func filePath(s string) string {
	s = strings.ReplaceAll(s, `\`, "/")
	if driveForm.MatchString(s) {
		return path.Clean(strings.TrimPrefix(s, "/"))
	}
	return path.Clean(s)
}

func unescape(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// folder is the project's folder. It never looks outside, whatever the name and
// whatever links there are.
type folder struct {
	roots []string // the folder, and what its links lead to; with slashes

	mu      sync.Mutex
	inner   []string // folders a server may serve from, relative
	innerAt time.Time
}

func newFolder(root string) *folder {
	f := new(folder)
	if root == "" {
		return f
	}
	if abs, err := filepath.Abs(root); err == nil {
		root = abs
	}
	f.roots = append(f.roots, filepath.ToSlash(root))
	if real, err := filepath.EvalSymlinks(root); err == nil && filepath.ToSlash(real) != f.roots[0] {
		f.roots = append(f.roots, filepath.ToSlash(real))
	}
	return f
}

// find returns the file beneath the root that name means, as sourceName gave
// it. Of several that could be meant, content decides; when it cannot, none is.
func (f *folder) find(name string, content *string) (string, bool) {
	if len(f.roots) == 0 {
		return "", false
	}
	root, err := os.OpenRoot(filepath.FromSlash(f.roots[0]))
	if err != nil {
		return "", false
	}
	defer root.Close()
	for _, r := range f.roots {
		if rest, ok := cutFolder(name, r); ok {
			return rest, isFile(root, rest)
		}
	}
	if driveForm.MatchString(name) {
		return "", false
	}
	rel := strings.TrimLeft(name, "/")
	for strings.HasPrefix(rel, "../") {
		rel = rel[len("../"):]
	}
	if rel == "" || rel == "." || rel == ".." {
		rel = "index.html"
	}
	if isFile(root, rel) {
		return rel, true
	}
	return f.findInner(root, rel, content)
}

// findInner looks in the folders a dev server may have been started in, or
// serve from: frontend/, public/, apps/shop/.
func (f *folder) findInner(root *os.Root, rel string, content *string) (string, bool) {
	var hits []string
	for _, dir := range f.folders(root) {
		if file := path.Join(dir, rel); isFile(root, file) {
			hits = append(hits, file)
		}
	}
	if len(hits) > 1 && content != nil {
		hits = slices.DeleteFunc(hits, func(file string) bool { return !sameText(readFile(root, file), *content) })
	}
	if len(hits) != 1 {
		return "", false
	}
	return hits[0], true
}

// folders lists the project's folders to a small depth, without those of tools.
func (f *folder) folders(root *os.Root) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.innerAt.IsZero() && time.Since(f.innerAt) < foldersFresh {
		return f.inner
	}
	f.inner, f.innerAt = nil, time.Now()
	level := []string{"."}
	for range foldersDepth {
		var next []string
		for _, dir := range level {
			entries, err := fs.ReadDir(root.FS(), dir)
			if err != nil {
				continue
			}
			for _, e := range entries {
				name := e.Name()
				if !e.IsDir() || strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor" || len(f.inner)+len(next) >= maxFolders {
					continue
				}
				next = append(next, path.Join(dir, name))
			}
		}
		f.inner = append(f.inner, next...)
		level = next
	}
	return f.inner
}

// read returns a file of the project, "" when it is not there or too big.
func (f *folder) read(file string) string {
	if len(f.roots) == 0 {
		return ""
	}
	root, err := os.OpenRoot(filepath.FromSlash(f.roots[0]))
	if err != nil {
		return ""
	}
	defer root.Close()
	return readFile(root, file)
}

func readFile(root *os.Root, file string) string {
	in, err := root.Open(filepath.FromSlash(file))
	if err != nil {
		return ""
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxSourceFile+1))
	if err != nil || len(data) > maxSourceFile {
		return ""
	}
	return string(data)
}

func isFile(root *os.Root, file string) bool {
	info, err := root.Stat(filepath.FromSlash(file))
	return err == nil && info.Mode().IsRegular()
}

// cutFolder takes the folder off a path; drives compare without regard to case.
func cutFolder(name, dir string) (string, bool) {
	if len(name) <= len(dir)+1 || name[len(dir)] != '/' {
		return "", false
	}
	head := name[:len(dir)]
	if head != dir && (!driveForm.MatchString(dir) || !strings.EqualFold(head, dir)) {
		return "", false
	}
	return name[len(dir)+1:], true
}

// sameText compares without regard to how lines end.
func sameText(a, b string) bool {
	return a != "" && strings.ReplaceAll(a, "\r\n", "\n") == strings.ReplaceAll(b, "\r\n", "\n")
}
