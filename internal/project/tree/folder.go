// Package tree reads a project's folder within bounds: capped file sizes, capped listings, no walk into folders that hold
// other people's code, no waiting on pipes and devices, no following of symbolic links while walking.
package tree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of reading. They are far above what hand-written projects have and far below what would hurt.
const (
	MaxFile    = 2 << 20 // bytes of one file
	MaxEntries = 5000    // names read from one folder
)

// Folder is one directory with its listing, taken once.
type Folder struct {
	Path      string // absolute
	entries   map[string]fs.DirEntry
	names     []string // sorted
	truncated bool
}

// Open lists a directory. It fails when the directory cannot be read.
func Open(path string) (*Folder, error) {
	d, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	defer func() { _ = d.Close() }()
	list, err := d.ReadDir(MaxEntries)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("list folder: %w", err)
	}
	f := &Folder{Path: path, entries: make(map[string]fs.DirEntry, len(list)), truncated: len(list) == MaxEntries}
	for _, e := range list {
		f.entries[e.Name()] = e
		f.names = append(f.names, e.Name())
	}
	slices.Sort(f.names)
	return f, nil
}

// Names returns the sorted names in the folder, at most MaxEntries.
func (f *Folder) Names() []string { return f.names }

// Truncated reports whether the folder holds more names than were read.
func (f *Folder) Truncated() bool { return f.truncated }

// listed reports whether a name may exist. Only the exact spelling counts, also where the file system ignores case.
func (f *Folder) listed(name string) bool {
	first, _, nested := strings.Cut(name, "/")
	if _, ok := f.entries[first]; ok || f.truncated {
		return true
	}
	return nested && (first == "." || first == "..")
}

// HasFile reports whether the folder holds a regular file of that name; the name may have slashes.
func (f *Folder) HasFile(name string) bool {
	if !f.listed(name) {
		return false
	}
	info, err := os.Stat(f.join(name))
	return err == nil && info.Mode().IsRegular()
}

// HasDir reports whether the folder holds a directory of that name; the name may have slashes.
func (f *Folder) HasDir(name string) bool {
	if !f.listed(name) {
		return false
	}
	info, err := os.Stat(f.join(name))
	return err == nil && info.IsDir()
}

// FirstFile returns the first of the names that is a file here, or "".
func (f *Folder) FirstFile(names ...string) string {
	for _, name := range names {
		if f.HasFile(name) {
			return name
		}
	}
	return ""
}

func (f *Folder) join(name string) string { return filepath.Join(f.Path, filepath.FromSlash(name)) }

// Read returns the contents of a file. A file that is not there is neither data nor an error. Anything that exists under the
// name but cannot be read whole (a folder, a pipe, too large, no permission) is an error that says why.
func (f *Folder) Read(name string) ([]byte, error) {
	data, info, err := f.open(name, MaxFile+1)
	if err != nil || info == nil {
		return nil, err
	}
	if len(data) > MaxFile {
		return nil, fmt.Errorf("larger than %d MiB, not read", MaxFile>>20)
	}
	if data == nil {
		data = []byte{}
	}
	return data, nil
}

// Head returns at most the first n bytes of a file, or nothing.
func (f *Folder) Head(name string, n int64) []byte {
	data, _, err := f.open(name, n)
	if err != nil {
		return nil
	}
	return data
}

func (f *Folder) open(name string, limit int64) ([]byte, fs.FileInfo, error) {
	if !f.listed(name) {
		return nil, nil, nil
	}
	path := f.join(name)
	// The kind is checked before opening: opening a pipe would wait for its other end.
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, f.absent(path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errors.New("not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, reason(err)
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, limit))
	if err != nil {
		return nil, nil, reason(err)
	}
	return data, info, nil
}

// absent tells a missing file (no error) from a link that leads nowhere.
func (f *Folder) absent(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return reason(err)
	}
	if _, lerr := os.Lstat(path); lerr == nil {
		return errors.New("a symbolic link that leads nowhere")
	}
	return nil
}

// reason drops the path from a file error: the caller names the file in its own way.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
