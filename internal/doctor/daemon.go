package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"oriel/internal/daemon"
	"oriel/internal/quote"
)

// maxSocketPath is the longest the daemon takes; a test holds the two together.
const maxSocketPath = 103

// home looks at the daemon's folder without making it.
func (p Patient) home() Check {
	const what = "daemon's folder"
	if n := len(p.Home.Socket()); n > maxSocketPath {
		return Check{Fail, what, fmt.Sprintf("the socket's path %s is %d bytes long, at most %d work", p.Home.Socket(), n, maxSocketPath), "set ORIEL_HOME to a shorter folder"}
	}
	info, err := os.Lstat(p.Home.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return p.futureHome(what)
	}
	if err != nil {
		return Check{Fail, what, err.Error(), "set ORIEL_HOME to a folder of yours"}
	}
	if detail := notOurs(info); detail != "" {
		return Check{Fail, what, fmt.Sprintf("%s %s", p.Home.Dir, detail), "set ORIEL_HOME to a folder of yours"}
	}
	if othersEnter(info) {
		return Check{Warn, what, p.Home.Dir + " can be entered by others; the daemon makes it private when it starts", "or now: chmod 700 " + p.Home.Dir}
	}
	return Check{OK, what, p.Home.Dir + ", private", ""}
}

// futureHome is a folder that the first daemon will make.
func (p Patient) futureHome(what string) Check {
	dir := filepath.Dir(p.Home.Dir)
	for {
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	if !writable(dir) {
		return Check{Fail, what, fmt.Sprintf("%s is not there and %s is not writable", p.Home.Dir, dir), "set ORIEL_HOME to a folder of yours"}
	}
	return Check{OK, what, p.Home.Dir + ", made when it is needed", ""}
}

func (p Patient) daemon(ctx context.Context) Check {
	const what = "daemon"
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	client := daemon.Client{Home: p.Home, Build: p.Build}
	st, err := client.Status(ctx)
	switch {
	case errors.Is(err, daemon.ErrNotRunning):
		return Check{OK, what, "not running; the first call that needs it starts it", ""}
	case err != nil && ctx.Err() != nil:
		return Check{Fail, what, "it runs but does not answer within 3 s", "oriel daemon logs shows what it does"}
	case err != nil:
		return Check{Fail, what, quote.Text(err.Error(), 300), "oriel daemon logs shows more"}
	case st.Build != p.Build:
		detail := fmt.Sprintf("pid %d is build %s, this is %s; it keeps %s", st.PID, st.Build, p.Build, st.Load)
		fix := "oriel daemon stop ends it and what it keeps"
		if st.Load.Idle() {
			fix = "the next call replaces it"
		}
		return Check{Warn, what, detail, fix}
	}
	return Check{OK, what, fmt.Sprintf("pid %d, build %s, up %s, keeps %s", st.PID, st.Build, time.Since(st.Started).Round(time.Second), st.Load), ""}
}
