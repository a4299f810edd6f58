package child

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

// prepare starts the child suspended, so that it is in its job object before it
// can start anything, and in a console group of its own, which is what a polite
// request is sent to.
func prepare(cmd *exec.Cmd, s Command) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP,
		HideWindow:    true,
	}
	if s.Shell != "" {
		// cmd has quoting rules of its own: with /s it takes off the outer quotes and
		// leaves the rest alone.
		cmd.SysProcAttr.CmdLine = `cmd /d /s /c "` + s.Shell + `"`
	}
}

// shellArgv returns how a shell command is run.
func shellArgv(command string) []string {
	cmd := os.Getenv("ComSpec")
	if cmd == "" {
		cmd = `C:\Windows\System32\cmd.exe`
	}
	return []string{cmd, "/d", "/s", "/c", command}
}

// executable finds path, or path with one of the extensions that can be run.
func executable(path string, env []string) (string, error) {
	exts := strings.Split(strings.ToLower(getenv(env, "PATHEXT")), ";")
	if len(exts) == 1 && exts[0] == "" {
		exts = []string{".com", ".exe", ".bat", ".cmd"}
	}
	if ext := strings.ToLower(filepath.Ext(path)); ext != "" {
		for _, e := range exts {
			if e == ext && isFile(path) {
				return path, nil
			}
		}
	}
	for _, e := range exts {
		if e != "" && isFile(path+e) {
			return path + e, nil
		}
	}
	if _, err := os.Stat(path); err != nil {
		return "", err
	}
	return "", errors.New("not a program")
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// exitOf reads how a child ended; there are no signals here.
func exitOf(state *os.ProcessState) (code int, signal string) {
	if state == nil {
		return -1, ""
	}
	return state.ExitCode(), ""
}
