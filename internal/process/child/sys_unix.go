//go:build unix

package child

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// prepare gives the child a session of its own: it leaves our terminal, a
// Ctrl-C there does not reach it, and its session tells who belongs to it.
func prepare(cmd *exec.Cmd, _ Command) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// shellArgv returns how a shell command is run.
func shellArgv(command string) []string { return []string{"/bin/sh", "-c", command} }

// executable checks that path can be run.
func executable(path string, _ []string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "", errors.New("is a directory")
	}
	if err := unix.Access(path, unix.X_OK); err != nil || info.Mode().Perm()&0o111 == 0 {
		return "", fs.ErrPermission
	}
	return path, nil
}

// exitOf reads how a child ended.
func exitOf(state *os.ProcessState) (code int, signal string) {
	if state == nil {
		return -1, ""
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return -1, unix.SignalName(ws.Signal())
	}
	return state.ExitCode(), ""
}
