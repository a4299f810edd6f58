// Package tree knows a child process together with everything it started: who
// belongs to it, how to end all of it and nothing else, what it uses and where
// it listens.
//
// A process is never named by its number alone. Numbers are reused; an Identity
// (number, start stamp, boot) is not. Members of a tree are found by descent, by
// session, and by a random marker in the environment they inherit, so a member
// that left the group (setsid, double fork) is still a member.
package tree

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// MarkerEnv is the environment variable that carries a tree's marker. A program
// that detaches itself on purpose and must outlive the tree removes it from its
// environment before it starts the detached process.
const MarkerEnv = "ORIEL_PROCESS"

// minMarker is the shortest marker that is looked for: an empty or short one,
// from a damaged record, would match strangers.
const minMarker = 16

// ErrGone says that the process is not there any more.
var ErrGone = errors.New("process is gone")

// Identity names one process beyond doubt.
type Identity struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // the kernel's start stamp, in a unit of its own
	Boot  string `json:"boot"`  // the boot and PID namespace in which PID and Start have a meaning
}

// Member is one living process of a tree.
type Member struct {
	Identity
	Parent int    `json:"parent"`
	Name   string `json:"name"`
}

// proc is one process as a scan of the system shows it.
type proc struct {
	pid, parent, session int
	start                uint64
	name                 string
	zombie, stopped      bool
	cpu                  time.Duration // used since its start, where the scan gets it for free
	rss                  uint64        // likewise, in bytes
}

type key struct {
	pid   int
	start uint64
}

// NewMarker returns a marker no other tree has.
func NewMarker() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Mark returns env with the marker in it, in place of any other.
func Mark(env []string, marker string) []string {
	out := make([]string, 0, len(env)+1)
	for _, e := range env {
		if !strings.HasPrefix(e, MarkerEnv+"=") {
			out = append(out, e)
		}
	}
	return append(out, MarkerEnv+"="+marker)
}

// Self identifies the calling process.
func Self() (Identity, error) { return Identify(os.Getpid()) }

// Identify returns the identity of the process that has the number now.
func Identify(pid int) (Identity, error) {
	p, err := lookup(pid)
	if err != nil {
		return Identity{}, fmt.Errorf("identify process %d: %w", pid, err)
	}
	return Identity{PID: pid, Start: p.start, Boot: bootID()}, nil
}

// Alive reports whether this very process still runs; a zombie does not.
func (id Identity) Alive() bool {
	if id.Boot != bootID() {
		return false
	}
	p, err := lookup(id.PID)
	return err == nil && p.start == id.Start && !p.zombie
}

// Elsewhere reports whether the identity belongs to another PID namespace of
// this very boot, of which nothing can be known from here.
func (id Identity) Elsewhere() bool {
	here, there := bootID(), id.Boot
	b, _, _ := strings.Cut(here, "/")
	o, _, _ := strings.Cut(there, "/")
	return b == o && here != there
}

// Tree is a root process and all that came from it.
type Tree struct {
	root   Identity
	marker string

	mu      sync.Mutex
	known   map[key]bool // members seen in earlier scans: they stay members when their parents die
	checked map[key]bool // processes whose environment was read; it is read once
	native  native       // what the operating system offers beyond a scan
	sample  sample
}

// New returns the tree of a root process. The root may be gone already, or, with
// a zero PID, never have been known: members are then found by the marker.
func New(root Identity, marker string) *Tree {
	return &Tree{root: root, marker: marker, known: map[key]bool{}, checked: map[key]bool{}}
}

// Root returns the identity of the first process.
func (t *Tree) Root() Identity { return t.root }

// Marker returns the tree's marker.
func (t *Tree) Marker() string { return t.marker }

// Members returns the living processes of the tree, oldest first. The calling
// process and its ancestors are never among them: a tree that contains its own
// supervisor must not take it down.
func (t *Tree) Members() ([]Member, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	procs, err := t.scan()
	if err != nil {
		return nil, err
	}
	boot := bootID()
	members := make([]Member, 0, len(procs))
	for _, p := range procs {
		members = append(members, Member{Identity: Identity{PID: p.pid, Start: p.start, Boot: boot}, Parent: p.parent, Name: p.name})
	}
	return members, nil
}

// scan returns the living members. Called with the lock held.
func (t *Tree) scan() ([]proc, error) {
	all, err := snapshot()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	byPID := make(map[int]*proc, len(all))
	for i := range all {
		byPID[all[i].pid] = &all[i]
	}
	spared := ancestors(byPID)
	in := t.seeds(all, byPID)
	for grown := true; grown; {
		grown = false
		for i := range all {
			p := &all[i]
			parent := byPID[p.parent]
			if in[p.pid] || parent == nil || !in[p.parent] || spared[p.pid] || parent.start > p.start {
				continue
			}
			in[p.pid], grown = true, true
		}
	}
	t.known = make(map[key]bool, len(in))
	var members []proc
	for i := range all {
		p := &all[i]
		if !in[p.pid] || spared[p.pid] {
			continue
		}
		t.known[key{p.pid, p.start}] = true
		if !p.zombie {
			members = append(members, *p)
		}
	}
	slices.SortFunc(members, func(a, b proc) int {
		if a.start != b.start {
			if a.start < b.start {
				return -1
			}
			return 1
		}
		return a.pid - b.pid
	})
	return members, nil
}

// seeds returns the members that are known without following descent.
func (t *Tree) seeds(all []proc, byPID map[int]*proc) map[int]bool {
	in := map[int]bool{}
	root := byPID[t.root.PID]
	// The session's number is the root's. It cannot be reused while the root is in
	// the process table, even as a zombie; afterwards it proves nothing.
	rootHere := t.root.PID > 0 && root != nil && root.start == t.root.Start && t.root.Boot == bootID()
	checked := make(map[key]bool, len(all))
	for i := range all {
		p := &all[i]
		k := key{p.pid, p.start}
		switch {
		case t.known[k]:
			in[p.pid] = true
		case rootHere && (p.pid == t.root.PID || p.session != 0 && p.session == t.root.PID):
			in[p.pid] = true
		case t.checked[k]:
			checked[k] = true
		case len(t.marker) < minMarker || p.start < t.root.Start || p.zombie:
		default:
			yes, final := hasMarker(p.pid, t.marker)
			if yes {
				in[p.pid] = true
			}
			checked[k] = final && !yes
		}
	}
	t.checked = checked
	for _, pid := range t.native.members() {
		in[pid] = true
	}
	return in
}

// ancestors returns the calling process and those above it.
func ancestors(byPID map[int]*proc) map[int]bool {
	out := map[int]bool{}
	for pid := os.Getpid(); pid > 0 && !out[pid]; {
		out[pid] = true
		p := byPID[pid]
		if p == nil {
			break
		}
		pid = p.parent
	}
	return out
}
