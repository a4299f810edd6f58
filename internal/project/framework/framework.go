// Package framework names the web framework a set of dependencies stands for, the port its development server usually takes,
// and the port a command or a configuration file sets explicitly.
package framework

import (
	"strings"

	"oriel/internal/project/manifest"
)

// Framework is what a project is built with.
type Framework struct {
	Name    string `json:"name"`              // e.g. "next", "vite-react", "django"
	Version string `json:"version,omitempty"` // as the manifest writes it, e.g. "^15.1.0"
	Port    int    `json:"port,omitempty"`    // usual development port; 0 when there is none
}

// Language selects the table of frameworks to look in.
type Language int

// The languages with a table.
const (
	Node Language = iota
	Go
	Python
	Rust
	Ruby
	PHP
	Deno
)

// rule names a framework by any one of its packages.
type rule struct {
	name     string
	port     int
	packages []string
	rank     Rank
}

// Rank says how much a framework tells about the project as a whole.
type Rank int

// Ranks in rising order.
const (
	Extra  Rank = iota // a companion such as Storybook: the framework only when nothing else is there
	Server             // a library for writing servers
	Site               // a tool with its own development server
	Full               // a framework that owns the whole project, whatever else lies beside it
)

// Found is a framework with its rank.
type Found struct {
	Framework
	Rank Rank
}

// Identify returns every framework the dependencies stand for, the most telling first.
func Identify(lang Language, deps manifest.Dependencies) []Found {
	var found []Found
	for rank := Full; rank >= Extra; rank-- {
		for _, r := range rules[lang] {
			if r.rank != rank {
				continue
			}
			if dep, ok := r.match(deps); ok {
				found = append(found, Found{Framework{Name: r.name, Version: plainVersion(dep.Version), Port: r.port}, r.rank})
			}
		}
	}
	if lang == Node {
		found = refineNode(found, deps)
	}
	return found
}

// Usual returns the framework of that name as the tables know it, for projects that are recognised by a file and not by a dependency.
func Usual(lang Language, name string) Found {
	for _, r := range rules[lang] {
		if r.name == name {
			return Found{Framework{Name: name, Port: r.port}, r.rank}
		}
	}
	return Found{Framework{Name: name}, Site}
}

func (r rule) match(deps manifest.Dependencies) (manifest.Dependency, bool) {
	for _, p := range r.packages {
		prefix, versioned := strings.CutSuffix(p, "/v*") // Go's major versions are part of the path
		for _, d := range deps {
			if d.Name == p || versioned && (d.Name == prefix || strings.HasPrefix(d.Name, prefix+"/v")) {
				return d, true
			}
		}
	}
	return manifest.Dependency{}, false
}

// plainVersion leaves out what is a pointer to a version and not one.
func plainVersion(v string) string {
	for _, prefix := range []string{"workspace:", "catalog:", "file:", "link:", "portal:", "git", "http", "*"} {
		if strings.HasPrefix(v, prefix) {
			return ""
		}
	}
	if rest, ok := strings.CutPrefix(v, "npm:"); ok {
		if at := strings.LastIndex(rest, "@"); at > 0 {
			return rest[at+1:]
		}
		return ""
	}
	return v
}

// flavours of Vite, by what is rendered with it. Meta-frameworks built on Vite have their own names.
var flavours = []struct{ name, dep string }{
	{"preact", "preact"}, {"solid", "solid-js"}, {"svelte", "svelte"}, {"vue", "vue"}, {"lit", "lit"}, {"qwik", "@builder.io/qwik"}, {"react", "react"},
}

// refineNode settles what the table cannot: Vite's flavour, and Vite or a bundler as mere parts of another framework.
func refineNode(found []Found, deps manifest.Dependencies) []Found {
	_, usesVite := deps.Find("vite")
	var out []Found
	for i, f := range found {
		switch f.Name {
		case "vite", "webpack", "parcel", "rsbuild":
			if i > 0 && found[0].Rank >= Site {
				continue // the first framework runs it
			}
			if f.Name == "vite" {
				f.Name += flavour(deps)
			}
		case "remix":
			if usesVite {
				f.Port = 5173
			}
		case "express", "fastify":
			if len(out) > 0 && (out[0].Name == "nest" || out[0].Name == "remix") {
				continue // their adapter
			}
		}
		out = append(out, f)
	}
	return out
}

func flavour(deps manifest.Dependencies) string {
	for _, fl := range flavours {
		if _, ok := deps.Find(fl.dep); ok {
			return "-" + fl.name
		}
	}
	return ""
}
