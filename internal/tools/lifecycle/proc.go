package lifecycle

import (
	"context"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"time"

	"oriel/internal/process"
	"oriel/internal/tool"
	"oriel/internal/tools/words"
)

// Proc is the tool.
var Proc = tool.Group("proc", tool.Doc{
	Title: "Monitor process output and status, manage lifecycle",
	Text:  "Processes started by run; who holds a port. id may be left out when there is one.",
	Hints: tool.Hints{Destructive: true},
},
	tool.Do("list", procList),
	tool.Do("status", procStatus),
	tool.Do("output", procOutput),
	tool.Do("wait", procWait),
	tool.Do("restart", procRestart),
	tool.Do("stop", procStop),
	tool.Do("port", procPort),
)

type procNone struct{}

type procID struct {
	ID string `json:"process_id" alias:"id"`
}

type procStopIn struct {
	procID
	Force bool `json:"force" doc:"kill at once; port: also what Oriel did not start"`
}

type procInfo struct {
	process.Status
	Stats *process.Stats `json:"stats,omitempty"`
}

func (p procInfo) line() string {
	st := p.Status
	parts := []string{st.ID + ": " + string(st.State)}
	switch {
	case st.State.Final() && st.Signal != "":
		parts = append(parts, "ended by "+st.Signal+" after "+words.Span(st.Runtime))
	case st.State == process.StateBackoff:
		parts = append(parts, fmt.Sprintf("exit code %d, waits before it is started again", st.ExitCode))
	case st.State.Final():
		parts = append(parts, fmt.Sprintf("exit code %d after %s", st.ExitCode, words.Span(st.Runtime)))
	default:
		parts = append(parts, fmt.Sprintf("pid %d, up %s", st.PID, words.Span(st.Runtime)))
	}
	if st.URL != "" {
		parts = append(parts, st.URL)
	}
	if st.Restarts > 0 {
		parts = append(parts, words.Plural(st.Restarts, "restart"))
	}
	return strings.Join(parts, ", ") + " — " + words.Clip(words.OneLine(st.Command), 80)
}

type procListOut struct {
	Processes []procInfo `json:"processes"`
	Problems  []string   `json:"problems"`
	Root      string     `json:"root"`
}

func (o procListOut) Text() string {
	var b strings.Builder
	if len(o.Processes) == 0 {
		fmt.Fprintf(&b, "no process was started in %s; start one with run {\"script_name\": …} (detect lists the scripts)\n", o.Root)
	}
	for _, p := range o.Processes {
		fmt.Fprintln(&b, p.line())
	}
	words.Some(&b, "problem: ", o.Problems, maxWarnings)
	return b.String()
}

func procList(s Session, _ context.Context, _ procNone) (procListOut, error) {
	out := procListOut{Processes: []procInfo{}, Problems: s.Problems(), Root: s.Root}
	for _, p := range s.Processes() {
		out.Processes = append(out.Processes, procInfo{Status: p.Status()})
	}
	return out, nil
}

func (p procInfo) Text() string {
	var b strings.Builder
	fmt.Fprintln(&b, p.line())
	if !p.ReadyAt.IsZero() && !p.State.Final() {
		fmt.Fprintf(&b, "ready after %s\n", words.Span(p.ReadyAt.Sub(p.StartedAt)))
	}
	if p.Stats != nil {
		fmt.Fprintf(&b, "cpu %.0f %%, memory %s, %s\n", p.Stats.CPU, words.Size(int64(p.Stats.RSS)), words.Plural(len(p.Stats.Members), "process"))
		for _, port := range p.Stats.Ports {
			fmt.Fprintf(&b, "listens on %s (pid %d)\n", net.JoinHostPort(port.Address, strconv.Itoa(port.Port)), port.PID)
		}
	}
	if p.LastError != "" {
		fmt.Fprintf(&b, "last error: %s\n", p.LastError)
	}
	if p.Leftover > 0 {
		fmt.Fprintf(&b, "%s outlived it; stop ends them\n", words.Plural(p.Leftover, "process"))
	}
	return b.String()
}

func procStatus(s Session, _ context.Context, in procID) (procInfo, error) {
	p, err := s.Process(in.ID)
	if err != nil {
		return procInfo{}, err
	}
	return describeProcess(p), nil
}

func describeProcess(p *process.Process) procInfo {
	info := procInfo{Status: p.Status()}
	if !info.State.Final() {
		if stats, err := p.Stats(); err == nil {
			info.Stats = &stats
		}
	}
	return info
}

func procRestart(s Session, ctx context.Context, in procID) (procInfo, error) {
	p, err := s.Restart(ctx, in.ID, s.From.Env)
	if err != nil {
		return procInfo{}, err
	}
	return procInfo{Status: p.Status()}, nil
}

func procStop(s Session, ctx context.Context, in procStopIn) (procInfo, error) {
	p, err := s.Process(in.ID)
	if err != nil {
		return procInfo{}, err
	}
	if err := p.Stop(ctx, in.Force); err != nil {
		return procInfo{}, err
	}
	return procInfo{Status: p.Status()}, nil
}

type procWaitIn struct {
	procID
	Until   string        `json:"until" enum:"ready,exit,pattern"`
	Pattern string        `json:"pattern"`
	Timeout tool.Duration `json:"timeout"`
}

type procWaitOut struct {
	Until   string        `json:"until"`
	Waited  time.Duration `json:"waitedNs"`
	Line    string        `json:"line,omitempty"`
	stream  process.Stream
	Process procInfo `json:"process"`
}

func (o procWaitOut) Text() string {
	text := fmt.Sprintf("has %s after %s\n", o.Until, words.Span(o.Waited))
	if o.Line != "" {
		text += streamTag(o.stream) + words.Clip(o.Line, 500) + "\n"
	}
	return text + o.Process.line() + "\n"
}

// waitPatience is how long wait waits unless told.
const waitPatience = 30 * time.Second

func procWait(s Session, ctx context.Context, in procWaitIn) (procWaitOut, error) {
	until, name, err := waitFor(in)
	if err != nil {
		return procWaitOut{}, err
	}
	patience := words.OrDefault(in.Timeout, waitPatience)
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p, err := s.AwaitProcess(limited, in.ID)
	if err != nil {
		return procWaitOut{}, err
	}
	defer keepCompany(limited, "waiting for "+p.Status().ID, p)()
	match, err := p.Wait(limited, until)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return procWaitOut{}, fmt.Errorf("%s has not %s after %s (its state is %s): see %s", p.Status().ID, name, words.Span(patience), p.Status().State,
			words.Call("proc", words.Arg{Name: "action", Value: "output"}, words.Arg{Name: "id", Value: p.Status().ID}))
	}
	if err != nil {
		return procWaitOut{}, err
	}
	return procWaitOut{Until: name, Waited: time.Since(began), Line: match.Line.Text, stream: match.Line.Stream, Process: procInfo{Status: p.Status()}}, nil
}

func waitFor(in procWaitIn) (process.Until, string, error) {
	switch {
	case in.Until == "pattern" || (in.Until == "" && in.Pattern != ""):
		if in.Pattern == "" {
			return process.Until{}, "", fmt.Errorf("pattern required for wait until pattern")
		}
		re, err := regexp.Compile(in.Pattern)
		if err != nil {
			return process.Until{}, "", fmt.Errorf("pattern: %w", err)
		}
		return process.Until{Pattern: re}, "printed a matching line", nil
	case in.Until == "exit":
		return process.Until{Exit: true}, "ended", nil
	default:
		return process.Until{Ready: true}, "become ready", nil
	}
}
