package formats

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"oriel/internal/report"
)

// Output is a format and where it goes; an empty file is standard output.
type Output struct {
	Format Format
	File   string
}

// Plan matches formats and files: a file takes the format that its name asks
// for, or the only one there is; what remains goes to standard output, and
// that can be one.
func Plan(names, files []string) ([]Output, error) {
	var wanted []Format
	for _, name := range names {
		f, err := Named(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, f)
	}
	is := func(f Format) func(Format) bool {
		return func(other Format) bool { return f.Name == other.Name }
	}
	var plan []Output
	for _, file := range files {
		f, known := ForFile(file)
		switch {
		case len(names) == 1 && len(files) == 1:
			f = wanted[0] // whatever the file is called
		case !known:
			return nil, fmt.Errorf("--output %s: which format? Its name should end in .txt, .json, .html, .sarif or .xml (junit)", file)
		case len(names) > 0 && !slices.ContainsFunc(wanted, is(f)):
			return nil, fmt.Errorf("--output %s asks for %s, which --format does not name", file, f.Name)
		}
		plan = append(plan, Output{f, file})
		wanted = slices.DeleteFunc(wanted, is(f))
	}
	if len(names) == 0 {
		wanted = All[:1] // text, for who looks on
	}
	if len(wanted) > 1 {
		return nil, fmt.Errorf("%s and %s cannot both go to standard output: add --output FILE", wanted[0].Name, wanted[1].Name)
	}
	for _, f := range wanted {
		plan = append(plan, Output{Format: f})
	}
	return plan, nil
}

// Write writes the reports where they go.
func (o Output) Write(stdout io.Writer, all []report.Data, options Options) error {
	if o.File == "" || o.File == "-" {
		return o.Format.Write(stdout, all, options)
	}
	f, err := os.Create(o.File)
	if err != nil {
		return fmt.Errorf("write the %s report: %w", o.Format.Name, err)
	}
	return errors.Join(o.Format.Write(f, all, options), f.Close())
}
