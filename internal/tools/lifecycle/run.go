package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"oriel/internal/config"
	"oriel/internal/engine"
	"oriel/internal/lazyre"
	"oriel/internal/nearest"
	"oriel/internal/process"
	"oriel/internal/tool"
	"oriel/internal/tools/session"
	"oriel/internal/tools/words"
)

// Run is the tool.
var Run = tool.Define("run", tool.Doc{
	Title: "Start dev servers and shell commands, background or foreground",
	Text:  "Start a defined script (script_name, see detect) or a command with args. Background returns when it is ready, with its local URL; foreground waits for the exit and returns the output.",
	Hints: tool.Hints{OpenWorld: true},
}, run)

type runIn struct {
	ScriptName string        `json:"script_name"`
	Command    string        `json:"command" doc:"a program with args, or a shell line without"`
	Args       tool.Words    `json:"args"`
	Path       string        `json:"path"`
	ID         string        `json:"id"`
	Mode       string        `json:"mode" enum:"background,foreground"`
	Env        tool.Pairs    `json:"env"`
	Timeout    tool.Duration `json:"timeout" doc:"default 30s; foreground: 2m, then it is ended"`
	WaitFor    string        `json:"wait_for" enum:"ready,none"`
}

type runOut struct {
	ID       string         `json:"process_id"`
	PID      int            `json:"pid"`
	State    process.State  `json:"state"`
	Command  string         `json:"command"`
	Dir      string         `json:"dir"`
	URL      string         `json:"url,omitempty"`
	ExitCode *int           `json:"exitCode,omitempty"`
	Signal   string         `json:"signal,omitempty"`
	Took     time.Duration  `json:"tookNs"`
	TimedOut bool           `json:"timedOut,omitempty"`
	Restarts int            `json:"restarts,omitempty"`
	Leftover int            `json:"leftover,omitempty"`
	Output   process.Output `json:"output"`
	lastExit int
}

const (
	readyWait      = 30 * time.Second
	foregroundWait = 2 * time.Minute
	runTail        = 40
)

// serving are the words by which people call what serves a page. A bundler may
// be silent for long before it prints its URL, so such a script is given more
// time than a command that will never print one.
var serving = lazyre.New(`(?i)\b(dev|develop|start|serve|server|preview|web|site|run)\b`)

const servingSettle = 20 * time.Second

func run(s Session, ctx context.Context, in runIn) (runOut, error) {
	plan, err := planOf(s, in)
	if err != nil {
		return runOut{}, err
	}
	spec := plan.spec
	tool.Report(ctx, tool.Progress{Message: "starting " + words.OneLine(spec.Command())})
	limit := words.OrDefault(in.Timeout, readyWait)
	if in.Mode == "foreground" {
		limit = words.OrDefault(in.Timeout, foregroundWait)
	}
	p, err := plan.startWithin(s, ctx, limit)
	if err != nil {
		return runOut{}, err
	}
	out := runOut{ID: p.Status().ID, Command: spec.Command(), Dir: spec.Dir}
	began := time.Now()
	defer keepCompany(ctx, "running "+out.ID, p)()
	if in.Mode == "foreground" {
		err = out.foreground(ctx, p, limit)
	} else if in.WaitFor != "none" {
		err = out.background(ctx, p, limit)
	}
	if err != nil {
		return runOut{}, err
	}
	out.settle(p, in.Mode == "foreground", time.Since(began))
	return out, nil
}

// settle takes over how the process stands.
func (o *runOut) settle(p *process.Process, foreground bool, took time.Duration) {
	st := p.Status()
	o.PID, o.State, o.URL, o.Signal, o.Took = st.PID, st.State, st.URL, st.Signal, took
	o.Restarts, o.Leftover, o.lastExit = st.Restarts, st.Leftover, st.ExitCode
	if st.State.Final() {
		o.ExitCode = &st.ExitCode
	}
	if foreground || st.State == process.StateFailed || st.State == process.StateExited || st.State == process.StateBackoff {
		o.Output = p.Output(process.Query{Tail: runTail})
	}
	if o.Output.Lines == nil {
		o.Output.Lines = []process.Line{}
	}
}

// foreground waits for the exit, and ends what the command leaves behind; a
// client that cancels, or the time limit, ends the command itself.
func (o *runOut) foreground(ctx context.Context, p *process.Process, limit time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := p.Wait(limited, process.Until{Exit: true})
	if err != nil && limited.Err() == nil {
		return err
	}
	o.TimedOut = err != nil && ctx.Err() == nil
	if stopErr := p.Stop(context.WithoutCancel(ctx), false); stopErr != nil {
		return stopErr
	}
	return ctx.Err()
}

// background waits until the process is ready; one that is not in time, has
// ended, or ends again and again is no failure of the call: the answer says
// how it stands.
func (o *runOut) background(ctx context.Context, p *process.Process, limit time.Duration) error {
	const look = 200 * time.Millisecond
	deadline := time.Now().Add(limit)
	for time.Now().Before(deadline) {
		limited, cancel := context.WithTimeout(ctx, min(look, time.Until(deadline)))
		_, err := p.Wait(limited, process.Until{Ready: true})
		slice := limited.Err() != nil
		cancel()
		if err == nil || !slice || ctx.Err() != nil || p.Status().State == process.StateBackoff {
			return ctx.Err()
		}
	}
	o.TimedOut = true
	return ctx.Err()
}

// plan is what to run and how to start it.
type plan struct {
	spec   process.Spec
	script *config.Script // set when the project's own file defines it
	free   bool           // the id may be changed when it is taken
	named  bool           // the caller chose the id
}

// startWithin is start with a limit: what a script depends on may never be ready.
func (p plan) startWithin(s Session, ctx context.Context, limit time.Duration) (*process.Process, error) {
	defer keepCompany(ctx, "starting "+p.spec.ID, nil)()
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return p.start(s, limited)
}

func (p plan) start(s Session, ctx context.Context) (*process.Process, error) {
	switch {
	case p.script != nil:
		return s.StartScript(ctx, *p.script, p.spec)
	case p.free:
		return s.StartFree(p.spec)
	}
	started, err := s.Start(p.spec)
	if taken, ok := errors.AsType[engine.RunningError](err); ok && !p.named && elsewhere(s, taken.ID, p.spec.Dir) {
		// Members of a monorepo have scripts of the same name.
		p.spec.ID = filepath.Base(p.spec.Dir) + ":" + p.spec.ID
		return s.Start(p.spec)
	}
	return started, err
}

// elsewhere says that the process of an id runs in another folder.
func elsewhere(s Session, id, dir string) bool {
	p, err := s.Process(id)
	return err == nil && p.Status().Dir != dir
}

// planOf finds what to run: a script of a project's file, a script that is
// defined in the folder, or a command.
func planOf(s Session, in runIn) (plan, error) {
	dir, err := s.Dir(in.Path)
	if err != nil {
		return plan{}, err
	}
	var p plan
	switch {
	case strings.ContainsRune(in.Command, 0):
		return p, errors.New("command: it holds a NUL character")
	case strings.ContainsRune(strings.Join(in.Args, ""), 0):
		return p, errors.New("args: it holds a NUL character")
	case in.ScriptName != "" && in.Command != "":
		return p, errors.New("give script_name or command, not both")
	case in.ScriptName != "":
		p, err = scriptPlan(s, in, dir)
	case strings.TrimSpace(in.Command) != "":
		p = commandPlan(s, in, dir)
	default:
		return p, errors.New("script_name or command required (detect lists the scripts)")
	}
	if err != nil {
		return p, err
	}
	if in.ID != "" {
		p.spec.ID, p.free, p.named = in.ID, false, true
	}
	for _, name := range slices.Sorted(maps.Keys(in.Env)) {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return p, fmt.Errorf("env: %q is no name of a variable", words.Clip(name, 40))
		}
		if strings.ContainsRune(in.Env[name], 0) {
			return p, fmt.Errorf("env: %s holds a NUL character", words.Clip(name, 40))
		}
		p.spec.Env = append(p.spec.Env, name+"="+in.Env[name])
	}
	if p.spec.Ready.Settle == 0 && serving.MatchString(in.ScriptName+" "+in.Command) {
		p.spec.Ready.Settle = servingSettle
	}
	p.spec.HoldStdin = in.Mode != "foreground"
	if in.Mode == "foreground" {
		p.spec.Restart = process.RestartNo
	}
	return p, session.CheckID(p.spec.ID)
}

func scriptPlan(s Session, in runIn, dir string) (plan, error) {
	v, err := viewOf(s, dir, in.Path)
	if err != nil {
		return plan{}, err
	}
	found, ok := v.find(in.ScriptName)
	if !ok {
		return plan{}, v.unknown(in.ScriptName)
	}
	if found.script != nil {
		spec, err := engine.ScriptSpecAt(v.root, *found.script, s.From.Env)
		if len(in.Args) > 0 {
			spec.Shell += " " + shellWords(in.Args)
		}
		p := plan{spec: spec}
		if v.root == s.Root {
			p.script = found.script
		}
		return p, err
	}
	script := found.defined
	spec := process.Spec{ID: script.Name, Name: script.Name, Dir: script.Dir, Env: slices.Clone(s.From.Env)}
	if script.Shell != "" {
		spec.Shell = script.Shell
		if len(in.Args) > 0 {
			spec.Shell += " " + shellWords(in.Args)
		}
	} else {
		spec.Argv = withArgs(script.Argv, in.Args)
	}
	return plan{spec: spec}, nil
}

// maxNamed is how many scripts a refusal names.
const maxNamed = 30

func (v view) unknown(name string) error {
	var names []string
	for _, c := range v.choices() {
		names = append(names, words.OneLine(c.defined.Name))
	}
	if len(names) == 0 {
		return fmt.Errorf("script not found: %s (%s defines no scripts; use command instead)", words.Clip(name, 60), v.project.Dir)
	}
	hint := ""
	if near := nearest.Of(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %q? ", near)
	}
	more := ""
	if len(names) > maxNamed {
		more = fmt.Sprintf(" and %d more: see detect", len(names)-maxNamed)
		names = names[:maxNamed]
	}
	return fmt.Errorf("script not found: %s (%sdefined: %s%s)", words.Clip(name, 60), hint, strings.Join(names, ", "), more)
}

func commandPlan(s Session, in runIn, dir string) plan {
	spec := process.Spec{Dir: dir, Env: slices.Clone(s.From.Env), ID: commandID(in.Command)}
	if len(in.Args) > 0 {
		spec.Argv = append([]string{in.Command}, in.Args...)
	} else {
		spec.Shell = in.Command
	}
	return plan{spec: spec, free: true}
}

var (
	assignment = lazyre.New(`^[A-Za-z_][A-Za-z0-9_]*=`)
	plainWord  = lazyre.New(`[A-Za-z0-9][A-Za-z0-9._-]*`)
)

// commandID is a name for a command: its program.
func commandID(command string) string {
	for _, word := range strings.Fields(command) {
		if assignment.MatchString(word) {
			continue
		}
		if name := plainWord.FindString(filepath.Base(word)); name != "" {
			return words.Clip(name, 40)
		}
	}
	return "command"
}

// withArgs passes further arguments to a script; npm and composer want them
// behind a double dash.
func withArgs(argv, args []string) []string {
	argv = slices.Clone(argv)
	if len(args) == 0 {
		return argv
	}
	if argv[0] == "npm" || argv[0] == "composer" {
		argv = append(argv, "--")
	}
	return append(argv, args...)
}
