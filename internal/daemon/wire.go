package daemon

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"oriel/internal/tool"
)

// buildHeader carries the client's Build with every request.
const buildHeader = "Oriel-Build"

// request is a tool.Call on its way. Folders and variables travel as bytes: JSON
// would change what is not UTF-8.
type request struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
	Dir  []byte          `json:"dir"`
	Env  [][]byte        `json:"env,omitempty"`
}

func newRequest(c tool.Call) request {
	r := request{Tool: c.Tool, Args: c.Args, Dir: []byte(c.From.Dir)}
	for _, v := range c.From.Env {
		r.Env = append(r.Env, []byte(v))
	}
	return r
}

func (r request) call() tool.Call {
	c := tool.Call{Tool: r.Tool, Args: r.Args, From: tool.Origin{Dir: string(r.Dir)}}
	for _, v := range r.Env {
		c.From.Env = append(c.From.Env, string(v))
	}
	return c
}

// message is one line of the answer to a call; one of the two is set.
type message struct {
	Progress *tool.Progress `json:"progress,omitempty"`
	Result   *tool.Result   `json:"result,omitempty"`
}

// Load is what a daemon is keeping alive.
type Load struct {
	Projects  int `json:"projects"`
	Clients   int `json:"clients"`
	Processes int `json:"processes"`
	Proxies   int `json:"proxies"`
}

// Idle says that nobody would miss the daemon.
func (l Load) Idle() bool { return l.Clients == 0 && l.Processes == 0 && l.Proxies == 0 }

func (l Load) String() string {
	var parts []string
	for _, p := range []struct {
		n         int
		one, many string
	}{
		{l.Projects, "project", "projects"},
		{l.Clients, "client", "clients"},
		{l.Processes, "process", "processes"},
		{l.Proxies, "proxy", "proxies"},
	} {
		word := p.many
		if p.n == 1 {
			word = p.one
		}
		parts = append(parts, fmt.Sprintf("%d %s", p.n, word))
	}
	return strings.Join(parts, ", ")
}

// Status describes a running daemon.
type Status struct {
	Build   Build     `json:"build"`
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	Load    Load      `json:"load"`
}
