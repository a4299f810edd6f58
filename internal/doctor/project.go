package doctor

import (
	"fmt"
	"os"
	"path/filepath"

	"oriel/internal/config"
	"oriel/internal/install"
	"oriel/internal/project"
	"oriel/internal/quote"
)

// maxProblems is how many problems of a project file are listed.
const maxProblems = 10

func (p Patient) root() string { return project.Root(p.Dir) }

// project looks at the project file of the caller's folder.
func (p Patient) project() []Check {
	const what = "project"
	root := p.root()
	path := filepath.Join(root, ".oriel.kdl")
	conf, problems := config.Load(path)
	if len(problems) == 0 {
		if _, err := os.Stat(path); err != nil {
			return one(Check{OK, what, root + ", no .oriel.kdl (it is optional)", ""})
		}
		return one(Check{OK, what, fmt.Sprintf("%s, scripts: %d, proxies: %d", path, len(conf.Scripts), len(conf.Proxies)), ""})
	}
	var checks []Check
	for _, problem := range problems[:min(len(problems), maxProblems)] {
		checks = append(checks, Check{Warn, what, quote.Text(problem.String(), 500), ""})
	}
	if more := len(problems) - len(checks); more > 0 {
		checks = append(checks, Check{Warn, what, fmt.Sprintf("and %d more problems in %s", more, path), ""})
	}
	return checks
}

// editors looks where oriel is registered. Editors that are not here are not
// spoken of.
func (p Patient) editors() []Check {
	var checks []Check
	here, registered := "", false
	for _, c := range install.Clients() {
		found := p.registrations(c)
		for _, check := range found {
			registered = registered || check.Status == OK
		}
		if sign := c.Sign(p.Machine); len(found) == 0 && sign != "" {
			if here == "" {
				here = c.Name
			}
			found = one(Check{OK, c.Title, fmt.Sprintf("here (%s), oriel is not registered in it", sign), "oriel install " + c.Name})
		}
		checks = append(checks, found...)
	}
	switch {
	case registered:
		return checks
	case here != "":
		return append(checks, Check{Warn, "editors", "oriel is registered in none", "oriel install " + here})
	}
	return append(checks, Check{Warn, "editors", "none that Oriel knows seems to be here, and oriel is registered in none", "oriel install lists them; oriel install claude-code --print shows the entry"})
}

// registrations are the entries in one editor's settings.
func (p Patient) registrations(c install.Client) []Check {
	var checks []Check
	for _, scope := range c.Scopes() {
		path, err := c.Path(p.Machine, p.root(), scope)
		if err != nil {
			continue
		}
		found, err := c.Lookup(path)
		switch {
		case err != nil:
			checks = append(checks, Check{Warn, c.Title, quote.Text(err.Error(), 500), "correct the file, then oriel install " + c.Name})
		case found != nil:
			checks = append(checks, p.registration(c, scope, path, found))
		}
	}
	return checks
}

func (p Patient) registration(c install.Client, scope install.Scope, path string, found *install.Found) Check {
	again := fmt.Sprintf("oriel install %s --%s --force", c.Name, scope)
	switch {
	case found.Command == "":
		return Check{Warn, c.Title, path + " has an entry named oriel that runs no command", again}
	case found.Disabled:
		return Check{Warn, c.Title, path + " has oriel switched off", "switch it on in the editor"}
	case !p.Machine.Runs(found.Command):
		return Check{Warn, c.Title, fmt.Sprintf("%s runs %s, which is not there", path, quote.Quoted(found.Command, 300)), again}
	}
	return Check{OK, c.Title, fmt.Sprintf("registered in %s, runs %s", path, quote.Quoted(found.Command, 300)), ""}
}
