// Package manifest reads the files in which projects declare themselves: package.json, deno.json, pyproject.toml, Makefile and the like.
//
// Every reader takes the bytes of one file and returns what could be read plus a list of problems. A reader never fails
// as a whole, never panics and never touches the file system, so a broken file costs only the part that is broken.
package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Problem is one thing in a file that could not be read as its author meant it.
type Problem struct {
	Line    int // counted from 1; 0 when the place is not known
	Message string
}

// String gives the problem with its place, without the file's name.
func (p Problem) String() string {
	if p.Line > 0 {
		return fmt.Sprintf("line %d: %s", p.Line, p.Message)
	}
	return p.Message
}

// Task is a named command as a file defines it.
type Task struct {
	Name        string
	Command     string // as written; empty when the task only groups others
	Description string
	Group       string // the table it came from where one file has several, e.g. "poe"
}

// Dependency is a package a manifest asks for, with the version as written there.
type Dependency struct {
	Name    string
	Version string
	Extras  []string // Python extras, e.g. fastapi[standard]
}

// Dependencies is what a manifest asks for, in file order.
type Dependencies []Dependency

// Find returns the first dependency with the name.
func (d Dependencies) Find(name string) (Dependency, bool) {
	for _, dep := range d {
		if dep.Name == name {
			return dep, true
		}
	}
	return Dependency{}, false
}

var bom = []byte("\xef\xbb\xbf")

// text prepares file contents for a line reader: no byte order mark, line feeds only.
func text(data []byte) string {
	s := string(bytes.TrimPrefix(data, bom))
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.ReplaceAll(s, "\r", "\n")
}

// decodeTOML decodes into v and words the library's errors with their line.
func decodeTOML(data []byte, v any) (problems []Problem) {
	// The TOML library is fed arbitrary files; a panic inside it must not end the caller.
	defer func() {
		if r := recover(); r != nil {
			problems = append(problems, Problem{Message: "not valid TOML"})
		}
	}()
	err := toml.Unmarshal(bytes.TrimPrefix(data, bom), v)
	if err == nil {
		return nil
	}
	var de *toml.DecodeError
	if errors.As(err, &de) {
		row, _ := de.Position()
		return []Problem{{Line: row, Message: strings.TrimPrefix(de.Error(), "toml: ")}}
	}
	return []Problem{{Message: strings.TrimPrefix(err.Error(), "toml: ")}}
}
