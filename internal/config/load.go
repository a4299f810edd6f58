package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"oriel/internal/kdl"
)

const (
	// maxFileSize keeps a wrong file under the right name from being read whole.
	maxFileSize = 256 << 10
	// maxProblems is how many problems of one file are worth listing.
	maxProblems = 100
)

// Load reads the file at path. A file that is not there is the Default and no
// problem; one that cannot be read is the Default and a problem.
func Load(path string) (Config, []Problem) {
	return read(path).parse(path)
}

// contents is what was found at a path.
type contents struct {
	data    string
	failure string // why there is no data; empty also for a file that is not there
	missing bool
}

func read(path string) contents {
	// Looked at before it is opened: to open a pipe is to wait for its other end.
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return contents{missing: true}
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return contents{failure: readFailure(err)}
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return contents{missing: true} // since a moment
	}
	if err != nil {
		return contents{failure: readFailure(err)}
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFileSize+1))
	if err != nil {
		return contents{failure: readFailure(err)}
	}
	if len(data) > maxFileSize {
		return contents{failure: fmt.Sprintf("the file is larger than %d KiB", maxFileSize>>10)}
	}
	return contents{data: string(data)}
}

// readFailure words a file error without the path, which every Problem has.
func readFailure(err error) string {
	pathErr := new(fs.PathError)
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return "cannot read the file: " + err.Error()
}

func (c contents) parse(name string) (Config, []Problem) {
	switch {
	case c.missing:
		return Default(), nil
	case c.failure != "":
		return Default(), []Problem{{File: name, Message: c.failure}}
	}
	return Parse(name, []byte(c.data))
}

// Parse reads the text of a file; name is what its problems call the file. The
// problems are in the order of the text. Text that is not KDL at all gives the
// Default and one problem.
func Parse(name string, src []byte) (Config, []Problem) {
	doc, err := kdl.Parse(src)
	if err != nil {
		return Default(), []Problem{syntaxProblem(name, err)}
	}
	d := &decoder{file: name}
	config := d.document(doc)
	return config, d.sorted()
}

func syntaxProblem(name string, err error) Problem {
	at := new(kdl.Error)
	if !errors.As(err, &at) {
		return Problem{File: name, Message: err.Error()}
	}
	return Problem{File: name, Line: at.Line, Column: at.Column, Message: at.Message}
}
