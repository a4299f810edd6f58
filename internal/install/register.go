package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"oriel/internal/install/jsonc"
)

// Outcome is what Register did.
type Outcome string

// The outcomes.
const (
	Created  Outcome = "created"  // a file that was not there
	Added    Outcome = "added"    // to a file that was there
	Replaced Outcome = "replaced" // another entry of our name
	Already  Outcome = "already"  // the very entry was there; nothing was written
)

// Done says what Register did.
type Done struct {
	Outcome  Outcome
	Path     string // the file written, symbolic links followed
	Old      string // what was replaced
	Disabled bool   // the entry that was there is switched off
	Notes    []string
}

// DifferentError is an entry of our name that runs something else.
type DifferentError struct {
	Path string
	Found
}

func (e *DifferentError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s has another entry named %s", e.Path, Name)
	}
	return fmt.Sprintf("%s:%d:%d: there is another entry named %s", e.Path, e.Line, e.Column, Name)
}

// Lookup tells whether a settings file has an entry of our name; nil when it
// has none or is not there.
func (c Client) Lookup(path string) (*Found, error) {
	src, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the settings of %s: %w", c.Title, err)
	}
	found, _, err := c.format.find(src)
	if err != nil {
		return nil, placed(path, err)
	}
	return found, nil
}

// placed puts the file's name before an error's place.
func placed(path string, err error) error {
	if _, ok := errors.AsType[*jsonc.Error](err); ok {
		return fmt.Errorf("%s:%w", path, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// Options of Register.
type Options struct {
	Force   bool // replace another entry of our name
	Private bool // a file that has to be made is for this user's eyes alone
}

// Register writes the entry into a settings file. A file that is not
// understood, and another entry of our name without Force, are errors, and
// nothing is changed then.
func (c Client) Register(path string, e Entry, o Options) (Done, error) {
	// Some clients write their settings at any time; what they wrote between
	// our reading and writing must not be lost.
	for range 5 {
		done, err := c.register(path, e, o)
		if !errors.Is(err, errChanged) {
			return done, err
		}
	}
	return Done{}, fmt.Errorf("write %s: the file keeps changing: close %s and try again", path, c.Title)
}

func (c Client) register(path string, e Entry, o Options) (Done, error) {
	file, err := open(path)
	if err != nil {
		return Done{}, fmt.Errorf("read the settings of %s: %w", c.Title, err)
	}
	found, notes, err := c.format.find(file.text)
	if err != nil {
		return Done{}, fmt.Errorf("%w; nothing was changed", placed(file.path, err))
	}
	done := Done{Outcome: Added, Path: file.path, Notes: notes}
	switch {
	case found != nil && found.same(e):
		done.Outcome, done.Disabled = Already, found.Disabled
		return done, nil
	case found != nil && !o.Force:
		return Done{}, &DifferentError{file.path, *found}
	case found != nil:
		done.Outcome, done.Old = Replaced, found.Text
	case file.mode == 0:
		done.Outcome = Created
	}
	out, err := c.format.add(file.text, e, found != nil)
	if err != nil {
		return Done{}, fmt.Errorf("%w; nothing was changed", placed(file.path, err))
	}
	// Better no registration than a file the client cannot read.
	if after, _, err := c.format.find(out); err != nil || after == nil || !after.same(e) {
		return Done{}, fmt.Errorf("%s is written in a way in which %s cannot be added: add it by hand:\n%s", file.path, Name, c.format.render(e))
	}
	return done, file.replace(out, o.Private)
}

// errChanged says that somebody else wrote the file meanwhile.
var errChanged = errors.New("the file has changed meanwhile")

// file is a settings file as it was read.
type file struct {
	path string // symbolic links followed
	text []byte
	mode fs.FileMode // 0 when there is no file yet
	info fs.FileInfo
}

func open(path string) (file, error) {
	path, err := follow(path)
	if err != nil {
		return file{}, err
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return file{path: path}, nil
	}
	if err != nil {
		return file{}, err
	}
	if !info.Mode().IsRegular() {
		return file{}, fmt.Errorf("%s is no file", path)
	}
	if info.Mode().Perm()&0o200 == 0 {
		return file{}, fmt.Errorf("%s is write-protected", path)
	}
	text, err := os.ReadFile(path)
	return file{path, text, info.Mode(), info}, err
}

// unchanged says that the file is still as it was read.
func (f file) unchanged() bool {
	now, err := os.ReadFile(f.path)
	if f.mode == 0 {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && bytes.Equal(now, f.text)
}
