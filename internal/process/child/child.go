// Package child is one start of a program: found, started in a tree of its own,
// its output moved into a ring, its exit seen whoever else holds its pipes.
package child

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"oriel/internal/process/ledger"
	"oriel/internal/process/ring"
	"oriel/internal/process/tree"
)

const (
	// DrainTime is how long the output of a child that has exited may still be
	// coming before the exit is reported without waiting for its end: a grandchild
	// may hold the pipe open for ever.
	DrainTime = 250 * time.Millisecond
	readSize  = 64 << 10
)

// Command says what to run.
type Command struct {
	ID, Name  string   // for the ledger and for errors
	Argv      []string // run directly; or
	Shell     string   // run by sh -c (Windows: cmd /c)
	Dir       string
	Env       []string // complete; nil: the caller's own
	HoldStdin bool     // an input that stays open and empty, instead of none
}

// Text returns the command as a person would type it.
func (s Command) Text() string {
	if s.Shell != "" {
		return s.Shell
	}
	return quoteArgv(s.Argv)
}

// Child is a program that was started. Whoever started it calls End, or, when
// its tree is known to be empty, waits for Pumped and calls ClosePipes.
type Child struct {
	Tree    *tree.Tree
	Started time.Time
	First   uint64        // the number of its first line of output
	Pumped  chan struct{} // closed when both its streams are at their end
	Exited  chan struct{} // closed when it has exited; Exit may be read then

	exit  Exit
	cmd   *exec.Cmd
	stdin *os.File   // our end of a held input
	pipes []*os.File // our ends of its output
	pumps sync.WaitGroup
}

// Exit is how a child ended.
type Exit struct {
	At       time.Time
	Code     int    // -1 when it had none
	Signal   string // that ended it
	Leftover int    // members of its tree that were alive at its exit
}

// Failed reports whether it ended otherwise than well.
func (e Exit) Failed() bool { return e.Signal != "" || e.Code != 0 }

// String words it.
func (e Exit) String() string {
	if e.Signal != "" {
		return "killed by " + e.Signal
	}
	return fmt.Sprintf("exited with code %d", e.Code)
}

// Exit returns how the child ended, once Exited is closed.
func (c *Child) Exit() Exit { return c.exit }

// PID returns the child's number.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// Start starts a child whose output goes to out. The ledger, which may be nil,
// knows of it before it runs.
func Start(s Command, out *ring.Ring, led *ledger.Ledger) (*Child, error) {
	env := s.Env
	if env == nil {
		env = os.Environ()
	}
	marker := tree.NewMarker()
	cmd, err := command(s, env, marker)
	if err != nil {
		return nil, fmt.Errorf("start %q: %w", s.Name, err)
	}
	entry := ledger.Entry{ID: s.ID, Command: s.Text(), Marker: marker, Started: time.Now()}
	if led != nil {
		if err := led.Enter(entry); err != nil {
			return nil, fmt.Errorf("start %q: %w", s.Name, err)
		}
	}
	c := &Child{cmd: cmd, First: out.Next(), Exited: make(chan struct{}), Pumped: make(chan struct{})}
	if err := c.start(s, marker); err != nil {
		if led != nil {
			err = errors.Join(err, led.Leave(marker))
		}
		return nil, fmt.Errorf("start %q: %w", s.Name, err)
	}
	if led != nil {
		entry.Root, entry.Group = c.Tree.Root(), c.cmd.Process.Pid
		if err := led.Enter(entry); err != nil {
			// Known by its marker all the same; the child is not worth less for it.
			out.Note("ledger: "+err.Error(), time.Now())
		}
	}
	for i, r := range c.pipes {
		c.pumps.Go(func() { pump(r, out, []ring.Stream{ring.Stdout, ring.Stderr}[i]) })
	}
	go func() { c.pumps.Wait(); close(c.Pumped) }()
	go c.reap()
	return c, nil
}

// command builds the command of a Spec.
func command(s Command, env []string, marker string) (*exec.Cmd, error) {
	switch {
	case s.Shell != "" && len(s.Argv) > 0:
		return nil, errors.New("give Argv or Shell, not both")
	case s.Shell != "":
		s.Argv = shellArgv(s.Shell)
	case len(s.Argv) == 0 || s.Argv[0] == "":
		return nil, errors.New("no command given")
	}
	path, err := resolve(s, env)
	if err != nil {
		return nil, err
	}
	if s.Dir != "" {
		if dir, err := filepath.Abs(s.Dir); err == nil {
			env = append(slices.Clip(env), "PWD="+dir) // the last setting counts; the asker's own is not the child's
		}
	}
	cmd := &exec.Cmd{Path: path, Args: s.Argv, Dir: s.Dir, Env: tree.Mark(env, marker)}
	prepare(cmd, s)
	return cmd, nil
}

// start connects the pipes and starts the command.
func (c *Child) start(s Command, marker string) error {
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	fail := func(err error) error {
		c.ClosePipes()
		return err
	}
	for _, to := range []*io.Writer{&c.cmd.Stdout, &c.cmd.Stderr} {
		r, w, err := os.Pipe()
		if err != nil {
			return fail(err)
		}
		c.pipes, theirs, *to = append(c.pipes, r), append(theirs, w), w
	}
	if s.HoldStdin {
		r, w, err := os.Pipe()
		if err != nil {
			return fail(err)
		}
		c.stdin, c.cmd.Stdin, theirs = w, r, append(theirs, r)
	}
	c.Started = time.Now()
	if err := c.cmd.Start(); err != nil {
		return fail(startReason(err))
	}
	id, err := tree.Identify(c.cmd.Process.Pid)
	if err != nil {
		// It has ended and cannot be identified on this system; its marker remains.
		id = tree.Identity{}
	}
	c.Tree = tree.New(id, marker)
	if err := c.Tree.Adopt(c.cmd.Process); err != nil {
		c.cmd.Process.Kill()
		c.cmd.Wait()
		return fail(err)
	}
	return nil
}

// startReason takes the words of os/exec off the reason.
func startReason(err error) error {
	var ee *exec.Error
	if errors.As(err, &ee) {
		err = ee.Err
	}
	return reason(err)
}

// pump moves one stream into the ring until its end. It never waits for anyone
// who reads the ring.
func pump(r *os.File, out *ring.Ring, s ring.Stream) {
	buf := make([]byte, readSize)
	for {
		n, err := r.Read(buf)
		out.Write(s, buf[:n], time.Now())
		if err != nil {
			return
		}
	}
}

// reap waits for the child to exit. Before its number becomes free it counts
// those of its tree that stay.
func (c *Child) reap() {
	tree.AwaitExit(c.cmd.Process.Pid)
	if left, err := c.Tree.Members(); err == nil {
		c.exit.Leftover = len(left)
	}
	c.cmd.Wait() // its error is in ProcessState
	c.exit.At = time.Now()
	c.exit.Code, c.exit.Signal = exitOf(c.cmd.ProcessState)
	close(c.Exited)
}

// Drain waits for the end of the output, at most for limit. It reports whether
// the end came.
func (c *Child) Drain(limit time.Duration) bool {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-c.Pumped:
		return true
	case <-t.C:
		return false
	}
}

// End ends the whole tree and waits for its goroutines. The child's own exit and
// output are complete when it returns without error.
func (c *Child) End(grace time.Duration, force <-chan struct{}) error {
	_, err := c.Tree.End(grace, force)
	if err != nil {
		return err
	}
	<-c.Exited
	c.release()
	return nil
}

// release waits for the last output and closes the pipes.
func (c *Child) release() {
	c.Drain(DrainTime)
	c.ClosePipes()
	<-c.Pumped
	c.Tree.Close()
}

// ClosePipes closes our ends of the pipes.
func (c *Child) ClosePipes() {
	for _, f := range c.pipes {
		f.Close()
	}
	if c.stdin != nil {
		c.stdin.Close()
	}
}
