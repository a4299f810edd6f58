package places

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// program makes a file that can be run.
func program(t *testing.T, elements ...string) string {
	t.Helper()
	path := filepath.Join(elements...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func environment(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "1"), filepath.Join(dir, "2")
	chromium := program(t, second, "chromium")
	chrome := program(t, first, "google-chrome")
	edge := program(t, dir, "windows", "msedge.exe")
	mine := program(t, dir, "mine", "my-chrome")
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	program(t, home, ".cache/puppeteer/chrome/linux-126.0/chrome-linux64/chrome")
	newest := program(t, home, ".cache/puppeteer/chrome/linux-131.0/chrome-linux64/chrome")
	mac := program(t, home, "Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
	played := program(t, home, "Local/ms-playwright/chromium-1200/chrome-win64/chrome.exe")
	installed := program(t, home, "Programs/Microsoft/Edge/Application/msedge.exe")
	list := string(filepath.ListSeparator)

	tests := []struct {
		name, goos string
		env        map[string]string
		want       string
	}{
		{"names before folders", "darwin", map[string]string{"PATH": first + list + second}, chromium},
		{"in PATH", "darwin", map[string]string{"PATH": first}, chrome},
		{"chosen by path", "linux", map[string]string{"PATH": first, PathEnv: mine}, mine},
		{"chosen by name", "linux", map[string]string{"PATH": first + list + filepath.Dir(mine), PathEnv: "my-chrome"}, mine},
		{"Windows adds its ending", "windows", map[string]string{"PATH": filepath.Dir(edge)}, edge},
		{"an application of one user", "darwin", map[string]string{"HOME": home}, mac},
		{"Windows, installed", "windows", map[string]string{"ProgramFiles(x86)": filepath.Join(home, "Programs"), "LOCALAPPDATA": filepath.Join(home, "Local")}, installed},
		{"Windows, downloaded", "windows", map[string]string{"LOCALAPPDATA": filepath.Join(home, "Local")}, played},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := find(tt.goos, environment(tt.env)); err != nil || got != tt.want {
				t.Errorf("got %q, %v, want %s", got, err, tt.want)
			}
		})
	}
	if !slices.ContainsFunc(places("linux", environment(map[string]string{"HOME": home})), func(pattern string) bool {
		matches, _ := filepath.Glob(pattern)
		return slices.Contains(matches, newest)
	}) {
		t.Error("a downloaded Chrome on Linux is not looked for")
	}
	for name, env := range map[string]map[string]string{
		"no program":           {PathEnv: plain, "PATH": first},
		"missing":              {PathEnv: filepath.Join(dir, "missing"), "PATH": first},
		"missing name":         {PathEnv: "my-chrome", "PATH": first},
		"a folder":             {PathEnv: dir, "PATH": first},
		"the project's folder": {"PATH": "." + list + "bin"},
	} {
		if got, err := find("darwin", environment(env)); err == nil {
			t.Errorf("%s: found %s", name, got)
		}
	}
}

func TestNotFoundSaysWhere(t *testing.T) {
	_, err := find("windows", environment(map[string]string{"ProgramFiles": "/programs"}))
	missing, ok := errors.AsType[*NotFoundError](err)
	if !ok || len(missing.Names) == 0 || len(missing.Paths) == 0 {
		t.Fatalf("got %v", err)
	}
	for _, want := range []string{"msedge", filepath.FromSlash("/programs/Google/Chrome/Application/chrome.exe"), PathEnv} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %s", err, want)
		}
	}
}

func TestFindHere(t *testing.T) {
	path, err := Find(os.Getenv)
	if err != nil {
		t.Fatalf("the tests of this house need a browser: %v", err)
	}
	if !isProgram("linux", path) {
		t.Errorf("%s cannot be run", path)
	}
}
