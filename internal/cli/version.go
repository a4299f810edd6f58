package cli

import (
	"fmt"
	"path/filepath"
	"runtime"

	"oriel/internal/daemon"
)

// Set by the linker (see the Makefile).
var (
	version = "0.1.0"
	commit  = "unknown"
)

func versionLine() string {
	return fmt.Sprintf("oriel %s (commit %s, %s)", version, commit, runtime.Version())
}

// build tells a daemon of this program from one of another.
func build() daemon.Build { return daemon.Build(version + "+" + commit) }

func absolute(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("make %s absolute: %w", dir, err)
	}
	return abs, nil
}
