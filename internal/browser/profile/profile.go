// Package profile makes the folders that browsers keep their data in, and sees
// to it that none outlives the program that made it.
package profile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

const (
	prefix     = "chromium-" // of a profile
	unfinished = "new-"      // of a profile whose owner is not written yet
	ownerFile  = "oriel-owner.json"
)

// owner is the process that a profile belongs to. A process id alone comes back
// one day for somebody else, so the moment of the start goes with it.
type owner struct {
	PID   int    `json:"pid"`
	Start string `json:"start"`
	Temp  string `json:"temp,omitempty"` // what is to go with the profile
}

// Profile is one folder for one browser.
type Profile struct {
	Dir  string
	Temp string // for what the browser writes elsewhere; goes with the profile
}

// New makes a profile under dir, owned by this process.
func New(dir string) (*Profile, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of profiles: %w", err)
	}
	// Browsers look at the path of their profile to find each other, so it
	// must be the one and only spelling.
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("make a profile: %w", err)
	}
	made, err := os.MkdirTemp(dir, unfinished)
	if err != nil {
		return nil, fmt.Errorf("make a profile: %w", err)
	}
	p := &Profile{Dir: filepath.Join(dir, prefix+strings.TrimPrefix(filepath.Base(made), unfinished))}
	if p.Temp, err = temp(p.Dir, made); err == nil {
		pid := os.Getpid()
		var me []byte
		if me, err = json.Marshal(owner{pid, started(pid), p.Temp}); err == nil {
			err = os.WriteFile(filepath.Join(made, ownerFile), me, 0o600)
		}
	}
	if err == nil {
		err = os.Rename(made, p.Dir)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make a profile: %w", err), os.RemoveAll(made), p.removeTemp())
	}
	return p, nil
}

const (
	tempName   = "tmp"    // inside a profile
	tempPrefix = "oriel-" // elsewhere
	// tempRoom is how long the path of a temporary folder may be: a browser
	// puts a socket into a folder of its own there, and a socket's path has at
	// most 103 bytes on the strictest of our systems.
	tempRoom = 103 - len("/org.chromium.Chromium.XXXXXX/SingletonSocket")
)

// temp makes a folder for what a browser would leave in the system's: inside
// the profile, or elsewhere when the profile's path is too long for it. Empty:
// there is no place with a path that is short enough.
func temp(final, made string) (string, error) {
	// Windows has no such sockets.
	if inside := filepath.Join(final, tempName); len(inside) <= tempRoom || runtime.GOOS == "windows" {
		return inside, os.Mkdir(filepath.Join(made, tempName), 0o700)
	}
	for _, base := range []string{os.TempDir(), "/tmp"} {
		const random = "0123456789"
		if len(filepath.Join(base, tempPrefix+random)) > tempRoom {
			continue
		}
		if dir, err := os.MkdirTemp(base, tempPrefix); err == nil {
			return dir, nil
		}
	}
	return "", nil
}

// removeTemp deletes the temporary folder; one inside the profile goes with it.
// What an owner's file names is only believed when it looks like one of ours.
func (p *Profile) removeTemp() error {
	if p.Temp == "" || !strings.HasPrefix(filepath.Base(p.Temp), tempPrefix) || !filepath.IsAbs(p.Temp) {
		return nil
	}
	return os.RemoveAll(p.Temp)
}

// removePatience bounds how long a folder may resist: a process that is just
// ending can still write into it.
const removePatience = 5 * time.Second

// Remove ends whatever still runs on the profile and deletes the folder.
func (p *Profile) Remove(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, removePatience)
	defer cancel()
	for {
		left := endUsers(p.Dir)
		err := p.removeTemp() // first: its name is in the other
		if err == nil {
			err = os.RemoveAll(p.Dir)
		}
		if err == nil && left == 0 {
			// One that began to write before it was ended may have made
			// the folder anew.
			if _, err := os.Stat(p.Dir); errors.Is(err, os.ErrNotExist) {
				return nil
			}
		}
		select {
		case <-limited.Done():
			if err == nil {
				return nil
			}
			return fmt.Errorf("remove profile %s: %w", p.Dir, err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// youngest is the age below which an unfinished profile may still be in the
// hands of its maker.
const youngest = time.Minute

// Sweep removes the profiles under dir whose owners are dead, ends what still
// runs on them, and returns how many it removed. A folder that is not there is
// clean.
func Sweep(ctx context.Context, dir string) (int, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("sweep profiles: %w", err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return 0, fmt.Errorf("sweep profiles: %w", err)
	}
	removed := 0
	var failures []error
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if !entry.IsDir() {
			continue
		}
		temp, ok := abandoned(entry, path)
		if !ok {
			continue
		}
		if err := (&Profile{path, temp}).Remove(ctx); err != nil {
			failures = append(failures, err)
			continue
		}
		removed++
	}
	return removed, errors.Join(failures...)
}

// abandoned says that nobody owns a profile any more, and where the rest of it
// is.
func abandoned(entry os.DirEntry, path string) (temp string, ok bool) {
	switch {
	case strings.HasPrefix(entry.Name(), unfinished):
		info, err := entry.Info()
		return "", err == nil && time.Since(info.ModTime()) > youngest
	case strings.HasPrefix(entry.Name(), prefix):
		text, err := os.ReadFile(filepath.Join(path, ownerFile))
		var o owner
		if err != nil || json.Unmarshal(text, &o) != nil {
			return "", true // it was finished once, so it is being removed or broken
		}
		now := started(o.PID)
		return o.Temp, now == "" || now != o.Start
	}
	return "", false
}
