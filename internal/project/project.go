// Package project says what a folder is: its type, framework, package manager, the scripts really defined in it, and the
// members of a monorepo. It only reads files, within bounds; it never runs anything, and a broken file costs a warning, not the answer.
package project

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"oriel/internal/project/framework"
	"oriel/internal/project/tree"
)

// Type is the kind of a project.
type Type string

// The types. Bun stands in for Node where Bun is the package manager.
const (
	Node    Type = "node"
	Bun     Type = "bun"
	Deno    Type = "deno"
	Go      Type = "go"
	Python  Type = "python"
	Rust    Type = "rust"
	Ruby    Type = "ruby"
	PHP     Type = "php"
	Static  Type = "static"
	Unknown Type = "unknown"
)

// Project is what Detect found out about a folder.
type Project struct {
	Root           string                `json:"root"` // the project the folder belongs to, see Root
	Dir            string                `json:"dir"`  // the folder described; a parent of the one asked for when that one defines nothing
	Name           string                `json:"name"`
	Type           Type                  `json:"type"`
	Types          []Type                `json:"types"`                 // all that apply, the main one first
	Framework      framework.Framework   `json:"framework,omitzero"`    // of the main type; zero when none is known
	Also           []framework.Framework `json:"also,omitempty"`        // further frameworks and companions, e.g. storybook
	DevPort        int                   `json:"devPort,omitempty"`     // where the development server is to be expected; 0 when not known
	DevPortFrom    string                `json:"devPortFrom,omitempty"` // "script dev", "vite.config.ts" or "usual for vite"
	PackageManager PackageManager        `json:"packageManager,omitzero"`
	Monorepo       []string              `json:"monorepo,omitempty"`    // what makes it one: files such as pnpm-workspace.yaml, turbo.json
	Scripts        []Script              `json:"scripts"`               // defined in files, nothing assumed; by precedence
	Suggestions    []Script              `json:"suggestions,omitempty"` // conventional commands, only when no development script is defined
	Members        []Member              `json:"members,omitempty"`
	Warnings       []Warning             `json:"warnings,omitempty"`
}

// PackageManager is the tool that installs dependencies and runs scripts.
type PackageManager struct {
	Name    string `json:"name"`              // npm, pnpm, yarn, bun, deno, go, uv, poetry, pdm, pipenv, rye, pixi, pip, cargo, bundler, composer; "" when none applies
	Version string `json:"version,omitempty"` // when the project pins one
	Flavor  string `json:"flavor,omitempty"`  // yarn only: classic or berry
	From    string `json:"from,omitempty"`    // the file that says so; "" when nothing does and it is the customary one
}

// Member is one part of a monorepo.
type Member struct {
	Path       string              `json:"path"` // relative to the project's Dir, with slashes
	Name       string              `json:"name"`
	Type       Type                `json:"type"`
	Framework  framework.Framework `json:"framework,omitzero"`
	DevPort    int                 `json:"devPort,omitempty"`
	Scripts    []Script            `json:"scripts,omitempty"`
	DeclaredBy string              `json:"declaredBy,omitempty"` // the file that lists it; "" for a project in a sub-folder that nothing declares
}

// Warning is something in a file that could not be used.
type Warning struct {
	File    string `json:"file"` // relative to the project's Dir
	Message string `json:"message"`
}

// String gives the warning as one line.
func (w Warning) String() string { return w.File + ": " + w.Message }

// Root returns the project a folder belongs to: the nearest folder upward, itself included, that holds .oriel.kdl; else the nearest
// that holds .git; else the folder itself. The result is absolute, with symbolic links resolved where the folder exists.
func Root(dir string) string {
	dir = resolve(dir)
	repository := ""
	for d := dir; ; d = filepath.Dir(d) {
		if info, err := os.Stat(filepath.Join(d, ".oriel.kdl")); err == nil && !info.IsDir() {
			return d
		}
		if repository == "" {
			if _, err := os.Stat(filepath.Join(d, ".git")); err == nil {
				repository = d // a folder, or a file in a worktree or submodule
			}
		}
		if filepath.Dir(d) == d {
			break
		}
	}
	if repository != "" {
		return repository
	}
	return dir
}

func resolve(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return dir
}

// Detect describes a folder. When the folder itself defines nothing, the nearest parent inside the same project that does is
// described instead, so that asking in src/ works. It fails only when dir is not a folder that can be read.
func Detect(dir string) (Project, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return Project{}, fmt.Errorf("detect project: %w", err)
	}
	if !info.IsDir() {
		return Project{}, fmt.Errorf("detect project: %s: %w", dir, errNotFolder)
	}
	dir = resolve(dir)
	root := Root(dir)
	above := folders{}
	d, err := examine(dir, root, above)
	if err != nil {
		return Project{}, fmt.Errorf("detect project: %w", err)
	}
	if !d.defined() {
		for up := dir; up != root && filepath.Dir(up) != up; {
			up = filepath.Dir(up)
			if parent, err := examine(up, root, above); err == nil && parent.defined() {
				d = parent
				break
			}
		}
	}
	p := d.project()
	d.addMembers(&p)
	p.Warnings = capWarnings(d.warnings)
	return p, nil
}

var errNotFolder = errors.New("not a folder")

// folders are those that were listed during one detection: the members of a monorepo all look into the same ones above them.
type folders map[string]*tree.Folder

func (known folders) open(dir string) (*tree.Folder, error) {
	if f := known[dir]; f != nil {
		return f, nil
	}
	f, err := tree.Open(dir)
	if err == nil {
		known[dir] = f
	}
	return f, err
}

// examine reads one folder, without its members.
func examine(dir, root string, above folders) (*detection, error) {
	f, err := tree.Open(dir)
	if err != nil {
		return nil, err
	}
	d := &detection{f: f, root: root, above: above}
	d.gather()
	return d, nil
}

const maxWarnings = 40

func capWarnings(list []Warning) []Warning {
	if len(list) <= maxWarnings {
		return list
	}
	rest := len(list) - maxWarnings
	return append(list[:maxWarnings:maxWarnings], Warning{File: "…", Message: fmt.Sprintf("%d more warnings", rest)})
}
