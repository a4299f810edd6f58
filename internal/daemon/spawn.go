package daemon

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// maxLog is where a new daemon starts its log anew.
const maxLog = 4 << 20

// SpawnSelf starts this very binary with args and env as a detached daemon. The
// channel gets how it ended, if it does while this process lives.
func SpawnSelf(h Home, env []string, args ...string) (<-chan error, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	log, err := openLog(h)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	var before int64
	if info, err := log.Stat(); err == nil {
		before = info.Size()
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir = h.Dir // not the editor's: a folder in use cannot be removed everywhere
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(env, "ORIEL_HOME="+h.Dir)
	cmd.SysProcAttr = detached()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("run %s: %w", exe, err)
	}
	// The daemon outlives us in most cases; where it does not, nobody else
	// can take its exit status. Process exit ends this wait.
	ended := make(chan error, 1)
	go func() { ended <- lastWords(cmd.Wait(), h.Log(), before) }()
	return ended, nil
}

// lastWords is the last line that a daemon which failed has left in its log, the
// reason; how it ended when it said nothing.
func lastWords(how error, log string, before int64) error {
	if how == nil {
		return nil
	}
	data, err := os.ReadFile(log)
	if err != nil || int64(len(data)) <= before {
		return how
	}
	lines := strings.Split(strings.TrimSpace(string(data[before:])), "\n")
	return errors.New(strings.TrimPrefix(lines[len(lines)-1], "oriel: "))
}

func openLog(h Home) (*os.File, error) {
	flags := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if info, err := os.Stat(h.Log()); err == nil && info.Size() > maxLog {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(h.Log(), flags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the daemon's log: %w", err)
	}
	return f, nil
}
