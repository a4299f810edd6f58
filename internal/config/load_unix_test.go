//go:build unix

package config

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Opening a pipe waits for its other end, for ever: the daemon serves other
// projects too.
func TestLoadDoesNotWaitForAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	loaded := make(chan []Problem, 1)
	go func() {
		_, problems := Load(path)
		loaded <- problems
	}()
	var problems []Problem
	select {
	case problems = <-loaded:
	case <-time.After(10 * time.Second):
		t.Fatal("still waits for the pipe")
	}
	if len(problems) != 1 || !strings.Contains(problems[0].String(), "not a regular file") {
		t.Errorf("got %v", problems)
	}
}

func TestLoadRefusesADevice(t *testing.T) {
	if _, problems := Load("/dev/null"); len(problems) != 1 || !strings.Contains(problems[0].String(), "not a regular file") {
		t.Errorf("got %v", problems)
	}
}
