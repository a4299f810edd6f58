// Package config reads a project's .oriel.kdl: the scripts and proxies it
// names, what to start by itself, and a few limits.
//
// Reading never fails. What is valid is kept, and everything else becomes a
// Problem that says where it stands, what was expected, and what was probably
// meant. What is kept is consistent: names are unique, every dependency and
// every proxy's script is in Scripts, dependencies have no cycles.
package config

import (
	"fmt"
	"time"
)

// FileName is the name of the file in a project's root.
const FileName = ".oriel.kdl"

// What holds where the file is silent.
const (
	// DefaultBodyLimit is how many bytes of a request or response body are kept.
	DefaultBodyLimit int64 = 16 << 10
	// DefaultLinger is how long things go on running when nobody is connected.
	DefaultLinger = 10 * time.Minute
)

// MaxBodyLimit is the largest body-limit that is accepted.
const MaxBodyLimit int64 = 1 << 30

// Config is what a project's file says. Fields the file does not set hold their
// defaults, so a reader need not know whether they were written; the zero
// Config is not the default one, see Default.
type Config struct {
	Scripts []Script // in the order written
	Proxies []Proxy  // in the order written
	// Redact holds further names of headers, query parameters and JSON fields
	// whose values are secret, as written; they are matched in any letter case.
	Redact []string
	// BodyLimit is how many bytes of each body are kept; 0 keeps none.
	BodyLimit int64
	// Linger is how long processes and proxies outlive the last client; 0 ends
	// them at once.
	Linger time.Duration
	// LingerGiven says that the file sets it.
	LingerGiven bool
}

// Default is the Config of a project without a file.
func Default() Config {
	return Config{BodyLimit: DefaultBodyLimit, Linger: DefaultLinger}
}

// Script looks a script up by name.
func (c Config) Script(name string) (Script, bool) {
	for _, script := range c.Scripts {
		if script.Name == name {
			return script, true
		}
	}
	return Script{}, false
}

// Proxy looks a proxy up by id.
func (c Config) Proxy(id string) (Proxy, bool) {
	for _, proxy := range c.Proxies {
		if proxy.ID == id {
			return proxy, true
		}
	}
	return Proxy{}, false
}

// Script is one entry of the scripts block: a command the project runs.
type Script struct {
	Name string
	// Run is the shell command; never empty.
	Run string
	// Cwd is where it runs, relative to the project's root unless absolute;
	// empty is the root itself.
	Cwd string
	// Env is added to the environment of the caller, in the order written.
	Env []EnvVar
	// Autostart starts the script when the server initialises.
	Autostart bool
	// Restart says when a script that ended is started again.
	Restart RestartPolicy
	// ReadyPort, ReadyURL and ReadyPattern say when the script counts as ready:
	// the port accepts connections, the URL answers, a line of output matches
	// the regular expression (RE2, known to compile). Zero values are unset.
	ReadyPort    int
	ReadyURL     string
	ReadyPattern string
	// DependsOn names the scripts that are started, and ready, before this one.
	DependsOn []string
	// Line and Column are where the script's name stands in the file.
	Line, Column int
}

// EnvVar is one variable of a script's environment.
type EnvVar struct {
	Name, Value string
}

// RestartPolicy says when a script that ended is started again.
type RestartPolicy string

// The restart policies. RestartNo holds where the file is silent.
const (
	RestartNo        RestartPolicy = "no"
	RestartOnFailure RestartPolicy = "on-failure"
	RestartAlways    RestartPolicy = "always"
)

// Proxy is one entry of the proxies block: a reverse proxy before a dev server.
// Exactly one of Target and Script is set.
type Proxy struct {
	ID string
	// Target is the http or https URL the proxy fronts.
	Target string
	// Script names the script whose output tells the target.
	Script string
	// Port is the port to listen on; 0 is any free one.
	Port int
	// Bind is the host or address to listen on, without a port; empty is the
	// loopback address.
	Bind string
	// InsecureTLS accepts any certificate of an https target.
	InsecureTLS bool
	// PublicURL is the http or https URL under which browsers reach the proxy,
	// where that is not its own address.
	PublicURL string
	// Autostart starts the proxy when the server initialises.
	Autostart bool
	// Line and Column are where the proxy's id stands in the file.
	Line, Column int
}

// Problem is something in the file that was not understood and is not in the
// Config. Line and Column are 0 when the file as a whole is meant.
type Problem struct {
	File         string
	Line, Column int
	Message      string
}

// String gives the form editors and terminals can follow: file:line:column: message.
func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}
