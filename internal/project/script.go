package project

import (
	"fmt"
	"slices"
	"strings"

	"oriel/internal/project/framework"
)

// Script is a command with a name. Exactly one of Argv and Shell says how to run it.
type Script struct {
	Name        string   `json:"name"`              // unique in the project; a name that an earlier file has taken gets its prefix, e.g. "make:dev"
	Defined     string   `json:"-"`                 // the name as its file writes it
	Via         string   `json:"-"`                 // what runs it: npm, deno, composer, py, poe, …, make, just, procfile
	Command     string   `json:"command,omitempty"` // as written in the file, for reading; several lines for several steps
	Description string   `json:"description,omitempty"`
	Source      string   `json:"source,omitempty"` // the file that defines it; empty for a suggestion
	Argv        []string `json:"argv,omitempty"`
	Shell       string   `json:"shell,omitempty"` // a line for the system's shell
	Dir         string   `json:"dir"`             // absolute folder to run it in
	Port        int      `json:"port,omitempty"`  // the port its command sets in plain words
	Hook        bool     `json:"hook,omitempty"`  // runs by itself around another command (postinstall), not meant to be called
	Shadowed    bool     `json:"shadowed,omitempty"`

	typ Type // the type it belongs to; "" for a general tool such as make
}

// Line is the command line that runs the script, for showing to a person.
func (s Script) Line() string {
	if s.Shell != "" {
		return s.Shell
	}
	words := make([]string, len(s.Argv))
	for i, w := range s.Argv {
		if w == "" || strings.ContainsAny(w, " \t\n\"'$&|;<>()*?`\\") {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		words[i] = w
	}
	return strings.Join(words, " ")
}

// Script finds a script by its name, or by its prefix and name ("make:dev", "npm:dev") whether or not another file has the same name.
// An exact name always wins: a package.json may itself define "make:dev".
func (p Project) Script(name string) (Script, bool) { return find(p.Scripts, name) }

// Script finds a script of the member in the same way.
func (m Member) Script(name string) (Script, bool) { return find(m.Scripts, name) }

func find(scripts []Script, name string) (Script, bool) {
	for _, s := range scripts {
		if s.Name == name {
			return s, true
		}
	}
	for _, s := range scripts {
		if s.Via+":"+s.Defined == name || s.Source+":"+s.Defined == name {
			return s, true
		}
	}
	return Script{}, false
}

// developing are the names people give to the script that serves the project while they work on it, the most telling first.
var developing = []string{"dev", "start:dev", "develop", "start", "serve", "server", "runserver", "web", "run"}

// Dev returns the defined script that most likely starts the development server, preferring those of the project's main type.
func (p Project) Dev() (Script, bool) { return devScript(p.Scripts, p.Type) }

func devScript(scripts []Script, main Type) (Script, bool) {
	for _, name := range developing {
		found := -1
		for i, s := range scripts {
			if name == "web" && !strings.HasPrefix(s.Via, "procfile") {
				continue // elsewhere the word may mean anything
			}
			if s.Defined == name && !s.Hook && (found < 0 || s.typ == main && scripts[found].typ != main) {
				found = i
			}
		}
		if found >= 0 {
			return scripts[found], true
		}
	}
	return Script{}, false
}

// nameAll gives every script a unique name. The list is in order of precedence: the first to define a name keeps it bare.
func nameAll(scripts []Script) {
	bare := map[string]bool{}
	for i := range scripts {
		if !bare[scripts[i].Defined] {
			bare[scripts[i].Defined] = true
			scripts[i].Name = scripts[i].Defined
		}
	}
	for i := range scripts {
		s := &scripts[i]
		if s.Name != "" {
			continue
		}
		s.Shadowed = true
		s.Name = s.Via + ":" + s.Defined
		if bare[s.Name] {
			s.Name = s.Source + ":" + s.Defined
		}
		for n := 2; bare[s.Name]; n++ {
			s.Name = fmt.Sprintf("%s:%s:%d", s.Via, s.Defined, n)
		}
		bare[s.Name] = true
	}
}

// npmHooks run around npm's own commands.
var npmHooks = []string{"preinstall", "install", "postinstall", "prepublish", "prepublishOnly", "prepare", "prepack", "postpack", "publish", "postpublish", "dependencies"}

// markNpmHooks marks life-cycle scripts, and preX and postX where X is defined.
func markNpmHooks(scripts []Script) {
	names := map[string]bool{}
	for _, s := range scripts {
		names[s.Defined] = true
	}
	for i := range scripts {
		name := scripts[i].Defined
		before, isPre := strings.CutPrefix(name, "pre")
		after, isPost := strings.CutPrefix(name, "post")
		scripts[i].Hook = slices.Contains(npmHooks, name) || isPre && names[before] || isPost && names[after]
	}
}

// suggestion is a conventional command that no file defines.
func (d *detection) suggestion(typ Type, description string, argv ...string) Script {
	return Script{
		Name: strings.Join(argv, " "), Defined: strings.Join(argv, " "), Command: strings.Join(argv, " "), Description: description,
		Argv: argv, Dir: d.f.Path, Port: framework.CommandPort(strings.Join(argv, " ")), typ: typ,
	}
}
