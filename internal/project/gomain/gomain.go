// Package gomain finds the programs of a Go module by reading package clauses, without building anything.
package gomain

import (
	"bytes"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"

	"oriel/internal/project/framework"
	"oriel/internal/project/tree"
)

// Program is a folder that holds package main.
type Program struct {
	Dir      string // relative to the module, with slashes
	Serves   bool   // its source starts an HTTP server of the standard library
	Port     int    // where it listens, when that is written out
	PortFile string // the file that says so, relative to the module
}

const maxFiles = 200

// Find returns the programs of a module: the root's own, else those in cmd and directly under it.
func Find(module *tree.Folder) []Program {
	if m, ok := read(module, "."); ok {
		return []Program{m}
	}
	if !module.HasDir("cmd") {
		return nil
	}
	cmd, err := tree.Open(filepath.Join(module.Path, "cmd"))
	if err != nil {
		return nil
	}
	var mains []Program
	if m, ok := read(cmd, "cmd"); ok {
		mains = append(mains, m)
	}
	for i, name := range cmd.SubFolders() {
		if i >= maxFiles {
			break
		}
		if sub, err := tree.Open(filepath.Join(cmd.Path, name)); err == nil {
			if m, ok := read(sub, "cmd/"+name); ok {
				mains = append(mains, m)
			}
		}
	}
	return mains
}

var httpServing = regexp.MustCompile(`\bhttp\.(?:ListenAndServe|ListenAndServeTLS|Serve|Server\{)`)

// read reports whether a folder holds package main, and what its files plainly say about serving.
func read(f *tree.Folder, dir string) (Program, bool) {
	m, found, count := Program{Dir: dir}, false, 0
	for _, name := range f.Names() {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || name[0] == '_' || name[0] == '.' {
			continue
		}
		if count++; count > maxFiles {
			break
		}
		source, err := f.Read(name)
		if err != nil || ignored(source) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.PackageClauseOnly)
		if err != nil || file.Name == nil || file.Name.Name != "main" {
			continue
		}
		found = true
		m.Serves = m.Serves || httpServing.Match(source)
		if port := framework.GoPort(source); port != 0 && m.Port == 0 {
			m.Port, m.PortFile = port, strings.TrimPrefix(dir+"/"+name, "./")
		}
	}
	return m, found
}

// ignored reports whether a file's build constraint keeps it out of an ordinary build, as "//go:build ignore" does for helper programs.
// Operating systems and architectures are taken as met: which machine runs it is not the question here.
func ignored(source []byte) bool {
	for line := range bytes.SplitSeq(source, []byte("\n")) {
		text := strings.TrimSpace(string(line))
		if strings.HasPrefix(text, "package ") {
			return false
		}
		if !constraint.IsGoBuild(text) {
			continue
		}
		expr, err := constraint.Parse(text)
		return err == nil && !expr.Eval(func(tag string) bool { return tag != "ignore" && tag != "tools" && tag != "generate" })
	}
	return false
}
