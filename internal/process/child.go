package process

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
	// drainTime is how long the output of a child that has exited may still be
	// coming before the exit is reported without waiting for its end: a grandchild
	// may hold the pipe open for ever.
	drainTime = 250 * time.Millisecond
	readSize  = 64 << 10
)

// child is one start of a Process.
type child struct {
	cmd     *exec.Cmd
	tree    *tree.Tree
	started time.Time
	first   uint64 // the number of its first line

	stdin  *os.File   // our end of a held input
	pipes  []*os.File // our ends of its output
	pumps  sync.WaitGroup
	pumped chan struct{} // closed when both streams are at their end

	exited   chan struct{} // closed when the child was reaped; the rest is set by then
	exitedAt time.Time
	code     int
	signal   string
	leftover int // members that were alive when the child exited
}

// spawn starts a child whose output goes to out. The ledger knows of it before
// it runs.
func spawn(s Spec, out *ring.Ring, led *ledger.Ledger) (*child, error) {
	env := s.Env
	if env == nil {
		env = os.Environ()
	}
	marker := tree.NewMarker()
	cmd, err := command(s, env, marker)
	if err != nil {
		return nil, fmt.Errorf("start %q: %w", s.Name, err)
	}
	entry := ledger.Entry{ID: s.ID, Command: s.Command(), Marker: marker, Started: time.Now()}
	if led != nil {
		if err := led.Enter(entry); err != nil {
			return nil, fmt.Errorf("start %q: %w", s.Name, err)
		}
	}
	c := &child{cmd: cmd, first: out.Next(), exited: make(chan struct{}), pumped: make(chan struct{})}
	if err := c.start(s, marker); err != nil {
		if led != nil {
			err = errors.Join(err, led.Leave(marker))
		}
		return nil, fmt.Errorf("start %q: %w", s.Name, err)
	}
	if led != nil {
		entry.Root, entry.Group = c.tree.Root(), c.cmd.Process.Pid
		if err := led.Enter(entry); err != nil {
			// Known by its marker all the same; the child is not worth less for it.
			out.Note("ledger: "+err.Error(), time.Now())
		}
	}
	for i, r := range c.pipes {
		c.pumps.Go(func() { pump(r, out, []ring.Stream{ring.Stdout, ring.Stderr}[i]) })
	}
	go func() { c.pumps.Wait(); close(c.pumped) }()
	go c.reap()
	return c, nil
}

// command builds the command of a Spec.
func command(s Spec, env []string, marker string) (*exec.Cmd, error) {
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
func (c *child) start(s Spec, marker string) error {
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	fail := func(err error) error {
		c.closePipes()
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
	c.started = time.Now()
	if err := c.cmd.Start(); err != nil {
		return fail(startReason(err))
	}
	id, err := tree.Identify(c.cmd.Process.Pid)
	if err != nil {
		// It has ended and cannot be identified on this system; its marker remains.
		id = tree.Identity{}
	}
	c.tree = tree.New(id, marker)
	if err := c.tree.Adopt(c.cmd.Process); err != nil {
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
func (c *child) reap() {
	tree.AwaitExit(c.cmd.Process.Pid)
	if left, err := c.tree.Members(); err == nil {
		c.leftover = len(left)
	}
	c.cmd.Wait() // its error is in ProcessState
	c.exitedAt = time.Now()
	c.code, c.signal = exitOf(c.cmd.ProcessState)
	close(c.exited)
}

// drain waits for the end of the output, at most for limit. It reports whether
// the end came.
func (c *child) drain(limit time.Duration) bool {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-c.pumped:
		return true
	case <-t.C:
		return false
	}
}

// end ends the whole tree and waits for its goroutines. The child's own exit and
// output are complete when it returns without error.
func (c *child) end(grace time.Duration, force <-chan struct{}) error {
	_, err := c.tree.End(grace, force)
	if err != nil {
		return err
	}
	<-c.exited
	c.release()
	return nil
}

// release waits for the last output and closes the pipes.
func (c *child) release() {
	c.drain(drainTime)
	c.closePipes()
	<-c.pumped
	c.tree.Close()
}

func (c *child) closePipes() {
	for _, f := range c.pipes {
		f.Close()
	}
	if c.stdin != nil {
		c.stdin.Close()
	}
}
