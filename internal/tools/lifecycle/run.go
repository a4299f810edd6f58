package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"oriel/internal/nearest"
	"oriel/internal/process"
	"oriel/internal/project"
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
	ScriptName string            `json:"script_name"`
	Command    string            `json:"command" doc:"a program with args, or a shell line without"`
	Args       []string          `json:"args"`
	Path       string            `json:"path" doc:"folder to run in"`
	ID         string            `json:"id" doc:"name for the process (default: the script's)"`
	Mode       string            `json:"mode" enum:"background,foreground"`
	Env        map[string]string `json:"env"`
	Timeout    tool.Duration     `json:"timeout" doc:"30s by default; foreground: then it is ended"`
	WaitFor    string            `json:"wait_for" enum:"ready,none"`
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
	Output   process.Output `json:"output"`
	root     string
}

const (
	readyWait      = 30 * time.Second
	foregroundWait = 2 * time.Minute
	runTail        = 40
)

// serving are the words by which people call what serves a page. A bundler may
// be silent for long before it prints its URL, so such a script is given more
// time than a command that will never print one.
var serving = regexp.MustCompile(`(?i)\b(dev|develop|start|serve|server|preview|web|site|run)\b`)

const servingSettle = 20 * time.Second

func run(s Session, ctx context.Context, in runIn) (runOut, error) {
	spec, err := runSpec(s, in)
	if err != nil {
		return runOut{}, err
	}
	tool.Report(ctx, tool.Progress{Message: "starting " + spec.Command()})
	p, err := s.Start(spec)
	if err != nil {
		return runOut{}, err
	}
	out := runOut{ID: spec.ID, Command: spec.Command(), Dir: spec.Dir, root: s.Root}
	began := time.Now()
	if in.Mode == "foreground" {
		err = out.foreground(ctx, p, words.OrDefault(in.Timeout, foregroundWait))
	} else if in.WaitFor != "none" {
		err = out.background(ctx, p, words.OrDefault(in.Timeout, readyWait))
	}
	if err != nil {
		return runOut{}, err
	}
	st := p.Status()
	out.PID, out.State, out.URL, out.Signal, out.Took = st.PID, st.State, st.URL, st.Signal, time.Since(began)
	if st.State.Final() {
		out.ExitCode = &st.ExitCode
	}
	if in.Mode == "foreground" || st.State == process.StateFailed || st.State == process.StateExited {
		out.Output = p.Output(process.Query{Tail: runTail})
	}
	return out, nil
}

// foreground waits for the exit; a client that cancels, or the time limit,
// ends the process.
func (o *runOut) foreground(ctx context.Context, p *process.Process, limit time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := p.Wait(limited, process.Until{Exit: true})
	if err == nil {
		return nil
	}
	if limited.Err() == nil {
		return err
	}
	o.TimedOut = ctx.Err() == nil
	if stopErr := p.Stop(context.WithoutCancel(ctx), false); stopErr != nil {
		return stopErr
	}
	return ctx.Err()
}

// background waits until the process is ready; one that is not in time, or
// has ended, is no failure of the call: the answer says how it stands.
func (o *runOut) background(ctx context.Context, p *process.Process, limit time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_, err := p.Wait(limited, process.Until{Ready: true})
	o.TimedOut = err != nil && limited.Err() != nil
	return ctx.Err()
}

// runSpec finds what to run: a script of the project's file, a script that is
// defined in the folder, or a command.
func runSpec(s Session, in runIn) (process.Spec, error) {
	dir, err := s.Dir(in.Path)
	if err != nil {
		return process.Spec{}, err
	}
	var spec process.Spec
	switch {
	case in.ScriptName != "" && in.Command != "":
		return spec, errors.New("give script_name or command, not both")
	case in.ScriptName != "":
		spec, err = scriptSpec(s, in, dir)
	case in.Command != "":
		spec = commandSpec(s, in, dir)
	default:
		return spec, errors.New("script_name or command required (detect lists the scripts)")
	}
	if err != nil {
		return spec, err
	}
	if in.ID != "" {
		spec.ID = in.ID
	}
	for _, name := range slices.Sorted(maps.Keys(in.Env)) {
		spec.Env = append(spec.Env, name+"="+in.Env[name])
	}
	if spec.Ready.Settle == 0 && serving.MatchString(in.ScriptName+" "+in.Command) {
		spec.Ready.Settle = servingSettle
	}
	spec.HoldStdin = in.Mode != "foreground"
	if in.Mode == "foreground" {
		spec.Restart = process.RestartNo
	}
	return spec, session.CheckID(spec.ID)
}

func scriptSpec(s Session, in runIn, dir string) (process.Spec, error) {
	cfg, _ := s.Config()
	for _, script := range cfg.Scripts {
		if script.Name == in.ScriptName {
			spec, err := s.ScriptSpec(script, s.From.Env)
			if len(in.Args) > 0 && err == nil {
				spec.Shell += " " + shellWords(in.Args)
			}
			return spec, err
		}
	}
	p, err := project.Detect(dir)
	if err != nil {
		return process.Spec{}, err
	}
	script, ok := p.Script(in.ScriptName)
	if !ok {
		return process.Spec{}, unknownScript(s, in.ScriptName, p)
	}
	spec := process.Spec{ID: script.Name, Name: script.Name, Dir: script.Dir, Env: slices.Clone(s.From.Env)}
	if script.Shell != "" {
		spec.Shell = script.Shell
		if len(in.Args) > 0 {
			spec.Shell += " " + shellWords(in.Args)
		}
		return spec, nil
	}
	spec.Argv = withArgs(script.Argv, in.Args)
	return spec, nil
}

func unknownScript(s Session, name string, p project.Project) error {
	var names []string
	cfg, _ := s.Config()
	for _, script := range cfg.Scripts {
		names = append(names, script.Name)
	}
	for _, script := range p.Scripts {
		names = append(names, script.Name)
	}
	if len(names) == 0 {
		return fmt.Errorf("script not found: %s (%s defines no scripts; use command instead)", words.Clip(name, 60), p.Dir)
	}
	hint := ""
	if near := nearest.Of(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %q? ", near)
	}
	return fmt.Errorf("script not found: %s (%sdefined: %s)", words.Clip(name, 60), hint, strings.Join(names, ", "))
}

func commandSpec(s Session, in runIn, dir string) process.Spec {
	spec := process.Spec{Dir: dir, Env: slices.Clone(s.From.Env)}
	word := in.Command
	if len(in.Args) > 0 {
		spec.Argv = append([]string{in.Command}, in.Args...)
	} else {
		spec.Shell = in.Command
		word, _, _ = strings.Cut(strings.TrimSpace(in.Command), " ")
	}
	spec.ID = freeID(s, filepath.Base(word))
	return spec
}

// freeID is the base itself when no living process has it, else the base with
// a number.
func freeID(s Session, base string) string {
	for n := 1; ; n++ {
		id := base
		if n > 1 {
			id = fmt.Sprintf("%s-%d", base, n)
		}
		p, err := s.Process(id)
		if err != nil || p.Status().State.Final() {
			return id
		}
	}
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
