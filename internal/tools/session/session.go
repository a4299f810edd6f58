// Package session is the project a call belongs to, and who asked.
package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"oriel/internal/engine"
	"oriel/internal/tool"
)

// Session is what a tool's handler works on.
type Session struct {
	*engine.Workspace
	From tool.Origin
}

// Dir reads a path as the caller means it: relative to the caller.
func (s Session) Dir(path string) (string, error) {
	dir := s.From.Dir
	if path != "" {
		dir = path
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(s.From.Dir, dir)
		}
	}
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return "", fmt.Errorf("path: no such folder: %.200s", dir)
	}
	return dir, nil
}

// CheckID refuses names that would not survive being shown.
func CheckID(id string) error {
	if len(id) > 64 || strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return errors.New("id: at most 64 characters, none of them control characters")
	}
	return nil
}
