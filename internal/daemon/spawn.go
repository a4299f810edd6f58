package daemon

import (
	"fmt"
	"os"
	"os/exec"
)

// maxLog is where a new daemon starts its log anew.
const maxLog = 4 << 20

// SpawnSelf starts this very binary with args and env as a detached daemon.
func SpawnSelf(h Home, env []string, args ...string) error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	log, err := openLog(h)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(exe, args...)
	cmd.Dir = h.Dir // not the editor's: a folder in use cannot be removed everywhere
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(env, "ORIEL_HOME="+h.Dir)
	cmd.SysProcAttr = detached()
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("run %s: %w", exe, err)
	}
	// The daemon outlives us in most cases; where it does not, nobody else
	// can take its exit status. Process exit ends this wait.
	go cmd.Wait()
	return nil
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
