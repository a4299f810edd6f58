package scan

import (
	"slices"
	"strings"
	"time"

	"oriel/internal/incident/scan/formats"
	"oriel/internal/lazyre"
)

// Lines by which a tool says that what it reported before no longer holds.
var (
	hmrForm     = lazyre.New(`\[vite\] (?:\(\w+\) )?(?:hmr update|page reload|hmr invalidate) (.+)$`)
	webpackDone = lazyre.New(`(?:^|\s)(?:webpack [\d.]+ |Compiled |compiled |webpack )?compiled (successfully|with \d+)|^Compiled (successfully|with)`)
	restartForm = lazyre.New(`^\[nodemon\] restarting due to|^Restarting '|WatchFiles detected changes|StatReload detected|WatchGodReload detected|^ \* (?:Restarting with|Detected change in)|changed, reloading\.$|(?:^|[AP]M |\d )\[tsx\] (?:change|rerunning|unlink|add|Return key)|file change detected`)
	requestForm = lazyre.New(`"([A-Z]+) (/\S*) HTTP/[\d.]+" 5\d\d\b|^\s*([A-Z]+) (/\S*) 5\d\d in |\[5\d\d\]: ([A-Z]+) (/\S*)`)
	nextServed  = lazyre.New(`^\s*([A-Z]+ /\S*) 200 in \d`)
	rollupDone  = lazyre.New(`^created \S.* in [\d.]+ ?(?:ms|s|m)$`)
	checkedForm = lazyre.New(`^\[(\w[\w-]*)\] (?:Found (\d+) error|(No errors))`)
	startedForm = lazyre.New(`Application startup complete\.$|^System check identified no issues`)
)

// signal is one such line. lane is the program that says it.
type signal struct {
	hint string
	act  func(s *Scanner, lane string, l Line) bool
}

// signals are tried only on lines with their hint in it.
var signals = []signal{
	{"ound 0 errors", func(s *Scanner, lane string, _ Line) bool { return s.resolveTools(lane, "tsc", "svelte", "eslint") }},
	{"tarting incremental compilation", func(s *Scanner, lane string, _ Line) bool { return s.resolveTools(lane, "tsc") }},
	{"] Found ", (*Scanner).checked},
	{"] No errors", (*Scanner).checked},
	{"ompiled ", (*Scanner).compiled},
	{"[vite] hmr ", (*Scanner).vite},
	{") hmr ", (*Scanner).vite},
	{"page reload ", (*Scanner).vite},
	{"built in ", func(s *Scanner, lane string, l Line) bool {
		return strings.HasPrefix(l.Text, "✓ built in ") && s.resolve(lane, isBuild)
	}},
	// esbuild says "build finished" of a build that failed, too.
	{"[watch] build started", func(s *Scanner, lane string, _ Line) bool { return s.resolveTools(lane, "esbuild") }},
	{"created ", func(s *Scanner, lane string, l Line) bool {
		return rollupDone.MatchString(l.Text) && s.resolve(lane, isBuild)
	}},
	{"Finished ", func(s *Scanner, lane string, l Line) bool {
		return strings.HasPrefix(l.Text, "    Finished ") && s.resolve(lane, func(p *Problem) bool { return p.Tool == "rust" && p.Kind == formats.Build })
	}},
	{"estarting", (*Scanner).restarted},
	{"eload detected", (*Scanner).restarted},
	{"changed, reloading", (*Scanner).restarted},
	{"etected change", (*Scanner).restarted},
	{"[tsx] ", (*Scanner).restarted},
	{"startup complete", (*Scanner).started},
	{"System check identified", (*Scanner).started},
	{" 200 in ", (*Scanner).served},
	{"\" 50", (*Scanner).asked},
	{" 500 in ", (*Scanner).asked},
	{"[50", (*Scanner).asked},
}

// signal acts on a line that tells how a tool is doing. True: it is nothing
// else.
func (s *Scanner) signal(lane string, l Line, has uint64) bool {
	for i := range signals {
		if has&(1<<i) != 0 && signals[i].act(s, lane, l) {
			return true
		}
	}
	return false
}

// isBuild: a bundler refused it. What a type checker or linter refused is not
// repaired by a bundler that is content.
func isBuild(p *Problem) bool           { return p.Kind == formats.Build && !p.Checker }
func anything(*Problem) bool            { return true }
func isCrash(p *Problem) bool           { return p.Kind == formats.Crash }
func mine(f *finding, lane string) bool { return lane == "" || f.lane == lane }

// note is a remark of the supervisor.
func (s *Scanner) note(l Line) {
	s.End()
	switch {
	case strings.HasPrefix(l.Text, "--- restarted by request"):
		s.resolve("", anything)
	case strings.Contains(l.Text, "; restart "):
		s.perhaps("", l.Time, isCrash)
	default:
		return
	}
	clear(s.runs)
	s.first = time.Time{}
}

// gave notes that something was built.
func (s *Scanner) gave(at time.Time) {
	if len(s.built) >= maxBuilt {
		s.built = append(s.built[:0], s.built[maxBuilt/2:]...)
	}
	s.built = append(s.built, at)
}

// ran notes when a program was run anew.
func (s *Scanner) ran(lane string, at time.Time) {
	if s.runs == nil {
		s.runs = map[string]time.Time{}
	}
	s.runs[lane] = at
}

// resolve marks what fits and is of that program. It always answers true.
func (s *Scanner) resolve(lane string, fits func(*Problem) bool) bool {
	s.End()
	for _, f := range s.found {
		if mine(f, lane) && fits(&f.Problem) {
			f.Resolved = true
		}
	}
	return true
}

func (s *Scanner) resolveTools(lane string, names ...string) bool {
	return s.resolve(lane, func(p *Problem) bool { return p.Kind == formats.Build && slices.Contains(names, p.Tool) })
}

// compiled: webpack reports every error anew with each compilation, so those
// that were not reported since the one before are gone. Next compiles a route
// at a time.
func (s *Scanner) compiled(lane string, l Line) bool {
	if strings.HasPrefix(l.Text, "✓ Compiled") || strings.HasPrefix(l.Text, " ✓ Compiled") {
		s.gave(l.Time)
		s.perhaps(lane, l.Time, anything)
		return true
	}
	m := webpackDone.FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	before := s.round(lane, "", l.Seq)
	if m[1]+m[2] == "successfully" {
		s.gave(l.Time)
		return s.resolve(lane, isBuild)
	}
	return s.resolve(lane, func(p *Problem) bool { return isBuild(p) && p.LastSeq <= before })
}

// checked: vite-plugin-checker reports everything anew with each check.
func (s *Scanner) checked(lane string, l Line) bool {
	m := checkedForm.FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	tool := formats.CheckerTool(m[1])
	before := s.round(lane, tool, l.Seq)
	return s.resolve(lane, func(p *Problem) bool {
		return p.Tool == tool && p.Checker && (m[3] != "" || m[2] == "0" || p.LastSeq <= before)
	})
}

// round notes that a tool has reported all there is, and returns where it had
// done so before.
func (s *Scanner) round(lane, tool string, at uint64) uint64 {
	if s.rounds == nil {
		s.rounds = map[[2]string]uint64{}
	}
	k := [2]string{lane, tool}
	before := s.rounds[k]
	s.rounds[k] = at
	return before
}

// vite: an update names the files that were rebuilt. An error in a file that
// another one imports may be gone too.
func (s *Scanner) vite(lane string, l Line) bool {
	m := hmrForm.FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	s.gave(l.Time)
	s.perhaps(lane, l.Time, isBuild)
	for name := range strings.SplitSeq(m[1], ",") {
		name, _, _ = strings.Cut(strings.TrimSpace(name), "?")
		name = strings.TrimPrefix(strings.TrimSuffix(name, "(x2)"), "/")
		if name == "" {
			continue
		}
		s.resolve(lane, func(p *Problem) bool { return isBuild(p) && sameFile(p.File, name) })
	}
	return true
}

func sameFile(a, b string) bool {
	a = strings.ReplaceAll(a, `\`, "/")
	return a == b || strings.HasSuffix(a, "/"+b)
}

// restarted: a watcher runs the program anew.
func (s *Scanner) restarted(lane string, l Line) bool {
	if !restartForm.MatchString(l.Text) {
		return false
	}
	s.perhaps(lane, l.Time, anything)
	s.ran(lane, l.Time)
	return true
}

// started: a server that was run anew has come up, which one that cannot even
// be loaded does not.
func (s *Scanner) started(lane string, l Line) bool {
	return startedForm.MatchString(l.Text) && s.resolve(lane, func(p *Problem) bool { return isCrash(p) && !p.Perhaps.IsZero() })
}

// perhaps marks what fits as built or run anew at that moment, without a word
// of complaint so far.
func (s *Scanner) perhaps(lane string, at time.Time, fits func(*Problem) bool) {
	s.End()
	for _, f := range s.found {
		if mine(f, lane) && fits(&f.Problem) {
			f.Perhaps = at
		}
	}
}

// served: Next has answered a request well that a failed build had stopped.
func (s *Scanner) served(lane string, l Line) bool {
	if text := strings.TrimLeft(l.Text, " "); text[0] < 'A' || text[0] > 'Z' {
		return false
	}
	m := nextServed.FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	return s.resolve(lane, func(p *Problem) bool { return isBuild(p) && p.Request == m[1] })
}

// answers says whether a problem may be why a request failed. Of what builds,
// only Next does it for a request.
func answers(p *Problem) bool { return p.Kind != formats.Build || p.Tool == "next" }

// asked remembers which request a server has just answered with an error: the
// stack above or below that line is its reason. One that is being read on the
// other stream goes on.
func (s *Scanner) asked(_ string, l Line) bool {
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
	if answers(&p.Problem) && l.Time.Sub(p.Last).Abs() < requestSlack && (p.Request == "" || strings.Contains(text, p.Request)) {
		p.Request = text
		s.request = request{}
	}
	return true
}
