package scan

import (
	"strings"

	"oriel/internal/incident/scan/formats"
	"oriel/internal/lazyre"
)

// Lines by which a tool says that what it reported before no longer holds.
var (
	hmrForm     = lazyre.New(`\[vite\] (?:\(\w+\) )?(?:hmr update|page reload|hmr invalidate) (.+)$`)
	webpackDone = lazyre.New(`(?:^|\s)(?:webpack [\d.]+ |Compiled |compiled |webpack )?compiled (successfully|with \d+)|^Compiled (successfully|with)`)
	restartForm = lazyre.New(`^\[nodemon\] restarting due to|^Restarting '|WatchFiles detected changes|StatReload detected|WatchGodReload detected|^ \* (?:Restarting with|Detected change in)|changed, reloading\.$|^\[tsx\] (?:change|rerunning)|file change detected`)
	requestForm = lazyre.New(`"([A-Z]+) (/\S*) HTTP/[\d.]+" 5\d\d\b|^\s*([A-Z]+) (/\S*) 5\d\d in |\[5\d\d\]: ([A-Z]+) (/\S*)`)
)

// signal is one such line.
type signal struct {
	hint string
	act  func(s *Scanner, l Line) bool
}

// signals are tried only on lines with their hint in it.
var signals = []signal{
	{"ound 0 errors", func(s *Scanner, _ Line) bool { return s.resolveTools("tsc", "svelte", "eslint") }},
	{"tarting incremental compilation", func(s *Scanner, _ Line) bool { return s.resolveTools("tsc") }},
	{"ompiled ", (*Scanner).compiled},
	{"[vite] hmr ", (*Scanner).vite},
	{") hmr ", (*Scanner).vite},
	{"page reload ", (*Scanner).vite},
	{"built in ", func(s *Scanner, l Line) bool {
		return strings.HasPrefix(l.Text, "✓ built in ") && s.resolve(isBuild)
	}},
	{"[watch] build ", func(s *Scanner, l Line) bool {
		return (strings.HasSuffix(l.Text, "build finished") || strings.Contains(l.Text, "build started")) && s.resolveTools("esbuild")
	}},
	{"Finished ", func(s *Scanner, l Line) bool {
		return strings.HasPrefix(l.Text, "    Finished ") && s.resolve(func(p *Problem) bool { return p.Tool == "rust" && p.Kind == formats.Build })
	}},
	{"estarting", (*Scanner).restarted},
	{"eload detected", (*Scanner).restarted},
	{"changed, reloading", (*Scanner).restarted},
	{"etected change", (*Scanner).restarted},
	{"[tsx] ", (*Scanner).restarted},
	{"\" 50", (*Scanner).asked},
	{" 500 in ", (*Scanner).asked},
	{"[50", (*Scanner).asked},
}

// signal acts on a line that tells how a tool is doing. True: it is nothing
// else.
func (s *Scanner) signal(l Line, has uint64) bool {
	for i := range signals {
		if has&(1<<i) != 0 && signals[i].act(s, l) {
			return true
		}
	}
	return false
}

func isBuild(p *Problem) bool { return p.Kind == formats.Build }
func anything(*Problem) bool  { return true }

// resolve marks what fits. It always answers true.
func (s *Scanner) resolve(fits func(*Problem) bool) bool {
	s.End()
	for _, p := range s.found {
		if fits(p) {
			p.Resolved = true
		}
	}
	return true
}

func (s *Scanner) resolveTools(names ...string) bool {
	return s.resolve(func(p *Problem) bool {
		for _, n := range names {
			if p.Tool == n && p.Kind == formats.Build {
				return true
			}
		}
		return false
	})
}

// compiled: webpack reports every error anew with each compilation, so those
// that were not reported since the one before are gone. Next compiles a route
// at a time.
func (s *Scanner) compiled(l Line) bool {
	if strings.HasPrefix(l.Text, "✓ Compiled") || strings.HasPrefix(l.Text, " ✓ Compiled") {
		s.perhaps(anything)
		return true
	}
	m := webpackDone.FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	if m[1]+m[2] == "successfully" {
		s.resolve(isBuild)
	} else {
		s.resolve(func(p *Problem) bool { return p.Kind == formats.Build && p.LastSeq <= s.compile })
	}
	s.compile = l.Seq
	return true
}

// vite: an update names the files that were rebuilt. An error in a file that
// another one imports may be gone too.
func (s *Scanner) vite(l Line) bool {
	m := hmrForm.FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	s.perhaps(isBuild)
	for name := range strings.SplitSeq(m[1], ",") {
		name, _, _ = strings.Cut(strings.TrimSpace(name), "?")
		name = strings.TrimPrefix(strings.TrimSuffix(name, "(x2)"), "/")
		if name == "" {
			continue
		}
		s.resolve(func(p *Problem) bool { return isBuild(p) && sameFile(p.File, name) })
	}
	return true
}

func sameFile(a, b string) bool {
	a = strings.ReplaceAll(a, `\`, "/")
	return a == b || strings.HasSuffix(a, "/"+b)
}

// restarted: a watcher runs the program anew.
func (s *Scanner) restarted(l Line) bool {
	if !restartForm.MatchString(l.Text) {
		return false
	}
	s.perhaps(anything)
	return true
}

func (s *Scanner) perhaps(fits func(*Problem) bool) {
	s.End()
	for _, p := range s.found {
		if fits(p) {
			p.Perhaps = true
		}
	}
}

// asked remembers which request a server has just answered with an error: the
// stack above or below that line is its reason. One that is being read on the
// other stream goes on.
func (s *Scanner) asked(l Line) bool {
	m := requestForm.FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	text := m[1] + m[3] + m[5] + " " + m[2] + m[4] + m[6]
	s.request = request{text, l.Time}
	if len(s.reading()) > 0 || len(s.found) == 0 {
		return true
	}
	p := s.found[len(s.found)-1]
	if p.Kind != formats.Build && l.Time.Sub(p.Last).Abs() < requestSlack && (p.Request == "" || strings.Contains(text, p.Request)) {
		p.Request = text
		s.request = request{}
	}
	return true
}
