package audits

import (
	"os"
	"path/filepath"
	"strings"

	"oriel/internal/audit"
)

// publicFolders are where projects keep the files that are served under their
// own names.
var publicFolders = []string{"", "public", "static", "src", "app", "assets", "www", "dist"}

// trace names the project's file for each place that the page knows by address.
func trace(root, origin string, r *audit.Report) {
	r.Trace(func(p audit.Place) audit.Initiator { return source(root, origin, p) })
}

// source finds the file of the project that was served as p. A place that no
// file stands for keeps its address. The words are the page's: nothing outside
// the project is looked at.
func source(root, origin string, p audit.Place) audit.Initiator {
	file := p.File
	if rest, ok := strings.CutPrefix(file, origin); ok && (rest == "" || rest[0] == '/') {
		file, _, _ = strings.Cut(rest, "?")
	}
	found := audit.Initiator{File: file, Line: p.Line, Compiled: true}
	if strings.Contains(file, "://") || root == "" {
		return found
	}
	if rel, err := filepath.Rel(root, filepath.FromSlash(file)); err == nil && isFile(root, rel) {
		found.File, found.Compiled = filepath.ToSlash(rel), false
		return found
	}
	for _, folder := range publicFolders {
		rel := filepath.Join(folder, filepath.FromSlash(strings.TrimLeft(file, "/")))
		if isFile(root, rel) {
			found.File, found.Compiled = filepath.ToSlash(rel), false
			return found
		}
	}
	return found
}

func isFile(root, rel string) bool {
	if !filepath.IsLocal(rel) {
		return false
	}
	info, err := os.Stat(filepath.Join(root, rel))
	return err == nil && info.Mode().IsRegular()
}
