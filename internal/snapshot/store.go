// Package snapshot keeps pictures of pages in the project and tells what
// changed since they were taken.
package snapshot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Folder is where snapshots live in a project.
const Folder = ".oriel/snapshots"

const (
	metaFile  = "meta.json"
	diffs     = "diff"
	diffWords = "# what snapshot compare draws; the pictures themselves are worth keeping\n*/" + diffs + "/\n"
)

// Meta is what is known of a snapshot, beside its pictures. It has no times in
// it: taken again without a change, it is the same to the byte.
type Meta struct {
	Version   int      `json:"version"`
	Threshold float64  `json:"threshold"` // percent of pixels that may differ
	Ignore    []string `json:"ignore"`    // selectors
	Shots     []Shot   `json:"shots"`
}

// Shot is one page in one viewport.
type Shot struct {
	Page     string   `json:"page"` // a path on the project's proxy, or a whole address
	Viewport string   `json:"viewport"`
	Scale    float64  `json:"scale"`   // pixels per CSS pixel
	Scheme   string   `json:"scheme"`  // light or dark
	File     string   `json:"file"`    // beside the meta file
	Width    int      `json:"width"`   // in pixels
	Height   int      `json:"height"`  // in pixels
	Covered  []string `json:"covered"` // what is painted over: x,y widthxheight in pixels
}

// NotFoundError says that there is no snapshot of that name.
type NotFoundError struct {
	Name  string
	Known []string
}

func (e *NotFoundError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("snapshot not found: %s (none was taken in this project)", e.Name)
	}
	return fmt.Sprintf("snapshot not found: %s (known: %s)", e.Name, strings.Join(e.Known[:min(20, len(e.Known))], ", "))
}

// Store is the snapshots of one project. Nothing it does leaves the project's
// folder, whatever is linked there.
type Store struct{ root string }

// In is the store of the project at root.
func In(root string) Store { return Store{root} }

// open opens the project's folder for one operation.
func (s Store) open() (*os.Root, error) {
	r, err := os.OpenRoot(s.root)
	if err != nil {
		return nil, fmt.Errorf("open the project: %w", err)
	}
	return r, nil
}

// Path is where a file of a snapshot is, relative to the project.
func Path(name string, parts ...string) string {
	return path.Join(append([]string{Folder, name}, parts...)...)
}

// Abs is Path as the system writes it.
func (s Store) Abs(name string, parts ...string) string {
	return filepath.Join(s.root, filepath.FromSlash(Path(name, parts...)))
}

// List names the snapshots.
func (s Store) List() ([]string, error) {
	r, err := s.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	entries, err := fs.ReadDir(r.FS(), Folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list snapshots: %w", err)
	}
	var names []string
	for _, e := range entries {
		if _, err := r.Stat(Path(e.Name(), metaFile)); err == nil && CheckName(e.Name()) == nil {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, nil
}

// Load reads what is known of a snapshot.
func (s Store) Load(name string) (Meta, error) {
	var m Meta
	if err := CheckName(name); err != nil {
		return m, err
	}
	known, err := s.List()
	if err != nil {
		return m, err
	}
	if !slices.Contains(known, name) {
		return m, &NotFoundError{name, known}
	}
	r, err := s.open()
	if err != nil {
		return m, err
	}
	defer r.Close()
	text, err := r.ReadFile(Path(name, metaFile))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err == nil && m.Version != version {
		err = fmt.Errorf("it is of version %d, this program knows %d", m.Version, version)
	}
	if err != nil {
		return m, fmt.Errorf("read %s: %w", Path(name, metaFile), err)
	}
	for _, shot := range m.Shots {
		if shot.File == "" || shot.File != path.Base(shot.File) || strings.ContainsAny(shot.File, `/\:`) {
			return m, fmt.Errorf("read %s: %.80q is no file name", Path(name, metaFile), shot.File)
		}
	}
	return m, nil
}

const version = 1

// Clash is an existing name that a file system may not tell from this one.
func (s Store) Clash(name string) error {
	known, err := s.List()
	if err != nil {
		return err
	}
	for _, k := range known {
		if k != name && strings.EqualFold(k, name) {
			return fmt.Errorf("name: %q differs from the existing %q only by case, which not every system can tell: use that, or another name", name, k)
		}
	}
	return nil
}

// Picture reads the picture of a shot.
func (s Store) Picture(name string, shot Shot) ([]byte, error) {
	r, err := s.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := r.ReadFile(Path(name, shot.File))
	if err != nil {
		return nil, fmt.Errorf("read the picture of %s: %w", shot.Page, err)
	}
	return data, nil
}

// Save writes a snapshot: first the pictures, keyed by file, then what is known
// of them, then what nothing points at any more is removed. Files that already
// hold the same stay untouched.
func (s Store) Save(name string, m Meta, pictures map[string][]byte) error {
	r, err := s.open()
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.MkdirAll(Path(name), 0o755); err != nil {
		return fmt.Errorf("save snapshot %s: %w", name, err)
	}
	if _, err := r.Stat(Folder + "/.gitignore"); errors.Is(err, fs.ErrNotExist) {
		if err := write(r, Folder+"/.gitignore", []byte(diffWords)); err != nil {
			return err
		}
	}
	for file, data := range pictures {
		if err := write(r, Path(name, file), data); err != nil {
			return err
		}
	}
	m.Version = version
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("save snapshot %s: %w", name, err)
	}
	if err := write(r, Path(name, metaFile), append(text, '\n')); err != nil {
		return err
	}
	return tidy(r, name, m)
}

// write replaces a file in one step, unless it is the same already.
func write(r *os.Root, file string, data []byte) error {
	if old, err := r.ReadFile(file); err == nil && bytes.Equal(old, data) {
		return nil
	}
	fresh := file + ".new"
	err := r.WriteFile(fresh, data, 0o644)
	if err == nil {
		err = r.Rename(fresh, file)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	return nil
}

// tidy removes pictures that the snapshot does not have any more.
func tidy(r *os.Root, name string, m Meta) error {
	entries, err := fs.ReadDir(r.FS(), Path(name))
	if err != nil {
		return fmt.Errorf("tidy snapshot %s: %w", name, err)
	}
	for _, e := range entries {
		known := slices.ContainsFunc(m.Shots, func(s Shot) bool { return s.File == e.Name() })
		if e.IsDir() || known || !strings.HasSuffix(e.Name(), ".png") {
			continue
		}
		if err := r.Remove(Path(name, e.Name())); err != nil {
			return fmt.Errorf("tidy snapshot %s: %w", name, err)
		}
	}
	return nil
}

// SaveDiff keeps the picture of a difference, or without data removes it.
func (s Store) SaveDiff(name, file string, data []byte) error {
	r, err := s.open()
	if err != nil {
		return err
	}
	defer r.Close()
	if data == nil {
		if err := r.Remove(Path(name, diffs, file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", Path(name, diffs, file), err)
		}
		return nil
	}
	if err := r.MkdirAll(Path(name, diffs), 0o755); err != nil {
		return fmt.Errorf("keep the difference: %w", err)
	}
	return write(r, Path(name, diffs, file), data)
}

// Diff reads the picture of the last difference of a shot; nil when there is
// none.
func (s Store) Diff(name string, shot Shot) []byte {
	r, err := s.open()
	if err != nil {
		return nil
	}
	defer r.Close()
	data, err := r.ReadFile(Path(name, diffs, shot.File))
	if err != nil {
		return nil
	}
	return data
}

// Delete removes a snapshot with all it has.
func (s Store) Delete(name string) error {
	if _, err := s.Load(name); err != nil {
		// A broken one can be deleted, an unknown one not.
		if _, unknown := errors.AsType[*NotFoundError](err); unknown || CheckName(name) != nil {
			return err
		}
	}
	r, err := s.open()
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.RemoveAll(Path(name)); err != nil {
		return fmt.Errorf("delete snapshot %s: %w", name, err)
	}
	return nil
}
