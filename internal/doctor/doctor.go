// Package doctor looks at a machine and a project and says what is missing for
// Oriel, and how to get it. It changes nothing: what it has to try, such as
// writing to the temporary folder, it takes back.
package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"oriel/internal/daemon"
	"oriel/internal/install"
)

// Status is how a check went.
type Status string

// The statuses. Only Fail keeps Oriel from working.
const (
	OK   Status = "ok"
	Warn Status = "warn"
	Fail Status = "fail"
)

// Check is one thing that was looked at.
type Check struct {
	Status Status `json:"status"`
	What   string `json:"what"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"` // what to do about it
}

// Patient is what is looked at.
type Patient struct {
	Dir        string // of the caller
	Executable string // of this program
	Version    string
	Home       daemon.Home
	Build      daemon.Build
	Machine    install.Machine
}

// patience is how long a program may take to say its version.
const patience = 10 * time.Second

// Examine runs every check, in the order in which they are read.
func Examine(ctx context.Context, p Patient) []Check {
	return slices.Concat(
		one(p.program()),
		one(p.browser(ctx)),
		p.remoteBrowser(ctx),
		one(p.node(ctx)),
		one(p.home()),
		one(p.daemon(ctx)),
		p.loopback(ctx),
		one(temporary()),
		p.limits(ctx),
		p.project(),
		p.editors(),
	)
}

func one(c Check) []Check { return []Check{c} }

// Worst is the most serious status among the checks.
func Worst(checks []Check) Status {
	order := []Status{OK, Warn, Fail}
	worst := OK
	for _, c := range checks {
		if slices.Index(order, c.Status) > slices.Index(order, worst) {
			worst = c.Status
		}
	}
	return worst
}

// Text writes a line for each check, the status in colour if asked for.
func Text(w io.Writer, checks []Check, colour bool) error {
	width := 0
	for _, c := range checks {
		width = max(width, len([]rune(c.What)))
	}
	codes := map[Status]string{OK: "32", Warn: "33", Fail: "31"}
	for _, c := range checks {
		status := fmt.Sprintf("%-4s", c.Status)
		if colour {
			status = fmt.Sprintf("\x1b[%sm%s\x1b[0m", codes[c.Status], status)
		}
		line := fmt.Sprintf("%s  %-*s  — %s", status, width, c.What, c.Detail)
		if c.Fix != "" {
			line += "; " + c.Fix
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// JSON writes the checks for a program.
func JSON(w io.Writer, checks []Check) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Status Status  `json:"status"`
		Checks []Check `json:"checks"`
	}{Worst(checks), checks})
}
