// Package daemon carries tool.Caller across a unix socket, so that dev servers
// and proxies outlive the editor that started them.
//
// The server is a single background process per user, kept single by a lock
// that the kernel releases when it dies. The client posts each tool.Call as one
// HTTP request and reads lines of JSON back: progress first, the result last;
// closing the connection cancels the call. A client that finds no daemon starts
// one; a client of another build replaces an idle daemon and otherwise says
// what to do. Nothing here knows what a tool does.
package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Home is the private folder in which a daemon is found: socket, lock, log.
type Home struct{ Dir string }

// DefaultHome is ORIEL_HOME, else a folder in the runtime directory, else one in
// the temporary directory. A runtime directory that is not there, is another
// user's (as after su) or too deep for a socket does not count.
func DefaultHome() Home {
	if dir := os.Getenv("ORIEL_HOME"); dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs // the daemon runs in another folder
		}
		return Home{dir}
	}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) && isOurs(dir) {
		if h := (Home{filepath.Join(dir, "oriel")}); len(h.Socket()) <= maxSocketPath {
			return h
		}
	}
	return Home{filepath.Join(os.TempDir(), fmt.Sprintf("oriel-%s", userID()))}
}

// Socket is where the daemon listens.
func (h Home) Socket() string { return filepath.Join(h.Dir, "daemon.sock") }

// Log is what the daemon prints.
func (h Home) Log() string { return filepath.Join(h.Dir, "daemon.log") }

func (h Home) lock() string { return filepath.Join(h.Dir, "daemon.lock") }

// State is where the engine keeps what must survive a daemon's death.
func (h Home) State() string { return filepath.Join(h.Dir, "state") }

// maxSocketPath is what every unix system takes; Linux itself stops at 107.
const maxSocketPath = 103

// Prepare makes the folder, for this user alone. A folder that others can
// enter is refused: whoever reaches the socket can run commands.
func (h Home) Prepare() error {
	if n := len(h.Socket()); n > maxSocketPath {
		return fmt.Errorf("socket path %s is %d bytes long, at most %d work: set ORIEL_HOME to a shorter folder", h.Socket(), n, maxSocketPath)
	}
	if err := os.MkdirAll(h.Dir, 0o700); err != nil {
		return fmt.Errorf("make the daemon's folder: %w (ORIEL_HOME names another)", err)
	}
	return checkPrivate(h.Dir)
}

// ours says whether a folder holds nothing but what daemons put there.
func ours(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if name := e.Name(); !strings.HasPrefix(name, "daemon.") && name != "state" && name != "demo" {
			return false
		}
	}
	return true
}

// Build tells builds apart: clients and daemons of one Build understand each other.
type Build string

func (b Build) String() string { return strings.TrimSpace(string(b)) }
