// Package ledger records living children on disk, so that those of a supervisor
// that was killed can be found and ended by the next one.
//
// Every owner has a file of its own, replaced as a whole at each change: a reader
// sees the state before or after it, never between. A child is entered before it
// is started (by its marker) and again once its identity is known; there is no
// moment at which a death of the owner loses it.
package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"oriel/internal/process/tree"
)

const (
	suffix = ".ledger"
	// orphanGrace is how long an orphan may take to end by itself.
	orphanGrace = 2 * time.Second
)

// Entry is one living child.
type Entry struct {
	ID      string        `json:"id"`
	Command string        `json:"command"`
	Root    tree.Identity `json:"root"` // zero PID: about to be started
	Group   int           `json:"group,omitempty"`
	Marker  string        `json:"marker"`
	Started time.Time     `json:"started"`
}

// Orphan is a child that a dead owner left, and what became of it.
type Orphan struct {
	Entry
	Owner tree.Identity
	Ended []tree.Member // the processes that were still there and are gone now
	Err   error         // why some of them are not
}

// page is the content of one owner's file.
type page struct {
	Owner   tree.Identity `json:"owner"`
	Entries []Entry       `json:"entries"`
}

// Ledger is the calling process's own file.
type Ledger struct {
	mu   sync.Mutex
	path string
	page page
}

// Open makes a ledger for the calling process in dir, which it creates with mode
// 0700. First it ends what dead owners left there, by identity, and returns what
// it found. Children of living owners are not touched. The ledger is usable even
// when there is an error about some orphan, which that Orphan carries.
func Open(dir string) (*Ledger, []Orphan, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, fmt.Errorf("open ledger: %w", err)
	}
	if err := private(dir); err != nil {
		return nil, nil, fmt.Errorf("open ledger in %s: %w", dir, err)
	}
	self, err := tree.Self()
	if err != nil {
		return nil, nil, fmt.Errorf("open ledger: %w", err)
	}
	orphans, err := sweep(dir)
	if err != nil {
		return nil, orphans, fmt.Errorf("open ledger in %s: %w", dir, err)
	}
	name := fmt.Sprintf("%d-%s%s", self.PID, tree.NewMarker()[:12], suffix)
	return &Ledger{path: filepath.Join(dir, name), page: page{Owner: self}}, orphans, nil
}

// Enter records a child, in place of an earlier entry with the same marker.
func (l *Ledger) Enter(e Entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.drop(e.Marker)
	l.page.Entries = append(l.page.Entries, e)
	if err := l.write(); err != nil {
		return fmt.Errorf("record process %q: %w", e.ID, err)
	}
	return nil
}

// Leave removes the child with the marker; one that is not there is no error.
func (l *Ledger) Leave(marker string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.drop(marker) {
		return nil
	}
	if err := l.write(); err != nil {
		return fmt.Errorf("strike process from the ledger: %w", err)
	}
	return nil
}

// Entries returns the children recorded now.
func (l *Ledger) Entries() []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Entry(nil), l.page.Entries...)
}

func (l *Ledger) drop(marker string) bool {
	for i, e := range l.page.Entries {
		if e.Marker == marker {
			l.page.Entries = append(l.page.Entries[:i:i], l.page.Entries[i+1:]...)
			return true
		}
	}
	return false
}

// write replaces the file. Nothing is synced to the disk: what a power cut may
// lose was about processes that the power cut ended.
func (l *Ledger) write() error {
	if len(l.page.Entries) == 0 {
		err := os.Remove(l.path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	data, err := json.Marshal(l.page)
	if err != nil {
		return err
	}
	tmp := l.path + ".tmp"
	err = os.WriteFile(tmp, data, 0o600)
	if errors.Is(err, fs.ErrNotExist) { // somebody cleaned the folder away
		if err = os.MkdirAll(filepath.Dir(tmp), 0o700); err == nil {
			err = os.WriteFile(tmp, data, 0o600)
		}
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp, l.path)
}

// sweep ends the children of dead owners and removes their files.
func sweep(dir string) ([]Orphan, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var (
		wg      sync.WaitGroup
		mu      sync.Mutex
		orphans []Orphan
	)
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		if strings.HasSuffix(f.Name(), suffix+".tmp") {
			removeStale(path)
			continue
		}
		if !strings.HasSuffix(f.Name(), suffix) || !f.Type().IsRegular() {
			continue
		}
		p, err := read(path)
		if err != nil {
			continue // not ours, or going away this moment
		}
		if p.Owner.Alive() || p.Owner.Elsewhere() {
			continue
		}
		wg.Go(func() {
			found, clean := end(p)
			mu.Lock()
			orphans = append(orphans, found...)
			mu.Unlock()
			if clean {
				os.Remove(path)
			}
		})
	}
	wg.Wait()
	return orphans, nil
}

// end ends the children of one dead owner, all at once. It reports whether
// nothing is left of them.
func end(p page) (found []Orphan, clean bool) {
	found = make([]Orphan, len(p.Entries))
	var wg sync.WaitGroup
	for i, e := range p.Entries {
		wg.Go(func() {
			o := Orphan{Entry: e, Owner: p.Owner}
			if p.Owner.Boot == bootOf() { // else the machine was restarted since
				o.Ended, o.Err = tree.New(e.Root, e.Marker).End(orphanGrace, nil)
			}
			found[i] = o
		})
	}
	wg.Wait()
	clean = true
	kept := found[:0]
	for _, o := range found {
		if o.Err != nil {
			clean = false
		}
		if len(o.Ended) > 0 || o.Err != nil {
			kept = append(kept, o)
		}
	}
	return kept, clean
}

func bootOf() string {
	self, err := tree.Self()
	if err != nil {
		return ""
	}
	return self.Boot
}

func read(path string) (page, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return page{}, err
	}
	var p page
	if err := json.Unmarshal(data, &p); err != nil {
		return page{}, err
	}
	if p.Owner.PID <= 0 || p.Owner.Boot == "" {
		return page{}, errors.New("no owner")
	}
	return p, nil
}

// removeStale removes a temporary file whose owner died while it wrote it.
func removeStale(path string) {
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > time.Minute {
		os.Remove(path)
	}
}
