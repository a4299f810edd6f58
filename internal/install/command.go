package install

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Command is what clients are told to run, and a word on why.
type Command struct {
	Path string
	Note string
}

// Self is the plain name when a shell finds this very program by it, else its
// full path.
func (m Machine) Self(executable string) Command {
	found, err := m.Look(Name)
	if err == nil && sameFile(found, executable) {
		return Command{Path: Name}
	}
	note := fmt.Sprintf("%s is not in PATH, so the full path was taken", Name)
	if err == nil {
		note = fmt.Sprintf("%s in PATH is another program (%s), so the full path was taken", Name, found)
	}
	if rel, err := filepath.Rel(os.TempDir(), executable); err == nil && filepath.IsLocal(rel) {
		note += "; it lies in the temporary folder and may vanish: --command names another"
	}
	return Command{executable, note}
}

// Named is a command a person chose: a name that PATH must know, or a path
// that must lead to a program.
func (m Machine) Named(command string) (Command, error) {
	if !strings.ContainsAny(command, `/\`) {
		if _, err := m.Look(command); err != nil {
			return Command{Path: command, Note: fmt.Sprintf("no %s is in PATH now; the editor will need one", command)}, nil
		}
		return Command{Path: command}, nil
	}
	path, err := filepath.Abs(command)
	if err != nil {
		return Command{}, fmt.Errorf("--command: %w", err)
	}
	if _, err := exec.LookPath(path); err != nil {
		return Command{}, fmt.Errorf("--command: no program at %s", path)
	}
	return Command{Path: path}, nil
}

// Runs says whether a client would find a program under command.
func (m Machine) Runs(command string) bool {
	if strings.ContainsAny(command, `/\`) {
		_, err := exec.LookPath(command)
		return err == nil
	}
	_, err := m.Look(command)
	return err == nil
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
