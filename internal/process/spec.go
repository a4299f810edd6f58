// Package process runs one child and its whole tree: start, stop, output,
// readiness, exit, restarts, use of the machine, and what is left behind when
// the supervisor dies. It reports through functions it is given.
package process

import (
	"fmt"
	"net/url"
	"regexp"
	"time"

	"oriel/internal/process/child"
	"oriel/internal/process/ledger"
	"oriel/internal/process/ring"
	"oriel/internal/process/tree"
)

// The vocabulary of the parts, so that a caller needs this package only.
type (
	// Line is one cleaned line of output.
	Line = ring.Line
	// Stream says where a line came from.
	Stream = ring.Stream
	// Query selects lines of output.
	Query = ring.Query
	// Output is what a Query found.
	Output = ring.Output
	// Identity names one process beyond doubt.
	Identity = tree.Identity
	// Holder is a process that listens on a port.
	Holder = tree.Holder
	// Port is one listening TCP socket.
	Port = tree.Port
	// Member is one living process of a tree.
	Member = tree.Member
	// Ledger is the record of living children that outlives its owner.
	Ledger = ledger.Ledger
	// Orphan is a child that a dead owner left behind.
	Orphan = ledger.Orphan
)

// The streams of a Line. Note carries this package's own marks, such as a
// restart; a child cannot write to it.
const (
	Stdout = ring.Stdout
	Stderr = ring.Stderr
	Note   = ring.Note
)

// MarkerEnv is the environment variable that marks every member of a tree. A
// program that starts a detached process which must survive its tree (a daemon
// started by a child) removes it from that process's environment.
const MarkerEnv = tree.MarkerEnv

// Spec says what to run and how to care for it.
type Spec struct {
	ID   string // the caller's name for it
	Name string // for people; the command when empty

	Argv  []string // run directly; or
	Shell string   // run by sh -c (Windows: cmd /c)
	Dir   string
	Env   []string // the complete environment, in which Argv[0] is looked up too; nil: the supervisor's own

	// HoldStdin gives the child an input that stays open and empty. Several watch
	// modes (esbuild, tailwindcss) end when their input ends. Without it the input
	// is empty and at its end, as one-shot commands want it.
	HoldStdin bool

	Ready       Ready
	Restart     Policy
	Backoff     Backoff
	Grace       time.Duration // from the polite request to killing; 0: DefaultGrace
	OutputBytes int           // bound of the kept output; 0: 2 MiB
}

// Ready says when the child counts as ready; all that is set must hold. When
// nothing is set, it is ready once it has printed a local URL that accepts
// connections, and counts as running when it prints none and stays quiet for
// Settle.
type Ready struct {
	Port    int            // something listens on this port of the loopback interface
	URL     string         // answers any HTTP request with a status below 500
	Pattern *regexp.Regexp // a line of output matches
	Settle  time.Duration  // 0: DefaultSettle
}

func (r Ready) explicit() bool { return r.Port != 0 || r.URL != "" || r.Pattern != nil }

// Policy says what follows an exit.
type Policy string

// The restart policies; the zero value means RestartNo.
const (
	RestartNo        Policy = "no"
	RestartOnFailure Policy = "on-failure" // exit code other than 0, or a signal
	RestartAlways    Policy = "always"
)

// Backoff spaces automatic restarts: the pause begins at Min, doubles to Max,
// and begins anew once a run has lasted Stable.
type Backoff struct{ Min, Max, Stable time.Duration }

// Defaults of a Spec.
const (
	DefaultGrace  = 5 * time.Second
	DefaultSettle = 5 * time.Second

	backoffMin    = 500 * time.Millisecond
	backoffMax    = 30 * time.Second
	backoffStable = time.Minute
)

// withDefaults fills in what was left out.
func (s Spec) withDefaults() Spec {
	if s.Grace <= 0 {
		s.Grace = DefaultGrace
	}
	if s.Ready.Settle <= 0 {
		s.Ready.Settle = DefaultSettle
	}
	if s.Restart == "" {
		s.Restart = RestartNo
	}
	if s.Backoff.Min <= 0 {
		s.Backoff.Min = backoffMin
	}
	if s.Backoff.Max <= 0 {
		s.Backoff.Max = backoffMax
	}
	if s.Backoff.Stable <= 0 {
		s.Backoff.Stable = backoffStable
	}
	if s.Name == "" {
		s.Name = s.Command()
	}
	return s
}

// Command returns the command as a person would type it.
func (s Spec) Command() string {
	return s.command().Text()
}

func (s Spec) command() child.Command {
	return child.Command{ID: s.ID, Name: s.Name, Argv: s.Argv, Shell: s.Shell, Dir: s.Dir, Env: s.Env, HoldStdin: s.HoldStdin}
}

// pause returns how long to wait before the nth restart in a row (from 1).
func (b Backoff) pause(n int) time.Duration {
	d := b.Min
	for i := 1; i < n && d < b.Max; i++ {
		d *= 2
	}
	return min(d, b.Max)
}

// Events are the functions a Process reports through. Each Process calls them
// one at a time, lines before the state they led to. They may take their
// time: the child never waits for them, but a Line function that falls behind by
// more than the kept output misses lines, and is told how many by a Note. When Stop has returned, everything has
// been reported. They must not call Stop, Restart or Wait of their Process.
type Events struct {
	Line  func(Line)
	State func(Status)
}

// State is where a process is in its life.
type State string

// The states. Starting leads to Ready or Running; any of the three to the rest.
const (
	StateStarting State = "starting" // runs, not ready yet
	StateReady    State = "ready"    // ready, by Spec.Ready
	StateRunning  State = "running"  // runs; nothing told that it is ready, and nothing is awaited
	StateBackoff  State = "backoff"  // exited, will be started again
	StateExited   State = "exited"   // ended by itself with code 0
	StateFailed   State = "failed"   // ended by itself otherwise, or could not be started again
	StateStopped  State = "stopped"  // ended by Stop
)

// Final reports whether nothing more happens by itself.
func (s State) Final() bool { return s == StateExited || s == StateFailed || s == StateStopped }

// Status is what is known of a process at one moment.
type Status struct {
	ID        string        `json:"id"`
	Name      string        `json:"name"`
	Command   string        `json:"command"`
	Dir       string        `json:"dir,omitempty"` // where it runs
	State     State         `json:"state"`
	PID       int           `json:"pid"`      // of the last start
	ExitCode  int           `json:"exitCode"` // of the last exit; -1 when it had none
	Signal    string        `json:"signal,omitempty"`
	StartedAt time.Time     `json:"startedAt"` // of the last start
	ExitedAt  time.Time     `json:"exitedAt,omitzero"`
	ReadyAt   time.Time     `json:"readyAt,omitzero"`
	Runtime   time.Duration `json:"runtimeNs"` // of the last start, to its exit or to now
	Restarts  int           `json:"restarts"`
	URL       string        `json:"url,omitempty"`  // the local URL it printed; the best one
	URLs      []string      `json:"urls,omitempty"` // all of them
	LastError string        `json:"lastError,omitempty"`
	// Leftover counts processes it started that outlived it; Stop ends them.
	Leftover int `json:"leftover,omitempty"`
}

// check refuses what cannot work.
func (s Spec) check() error {
	switch s.Restart {
	case RestartNo, RestartOnFailure, RestartAlways:
	default:
		return fmt.Errorf("unknown restart policy %q (valid: %s, %s, %s)", s.Restart, RestartNo, RestartOnFailure, RestartAlways)
	}
	if s.Ready.Port < 0 || s.Ready.Port > 65535 {
		return fmt.Errorf("ready port %d is not between 1 and 65535", s.Ready.Port)
	}
	if s.Ready.URL != "" {
		u, err := url.Parse(s.Ready.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("ready URL %q is not an http or https URL", s.Ready.URL)
		}
	}
	return nil
}
