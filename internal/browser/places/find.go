// Package places knows where browsers are: installed on this machine, or
// running behind an address.
package places

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// PathEnv names the variable that chooses the browser.
const PathEnv = "ORIEL_CHROME"

// NotFoundError says that no browser is on this machine, and where it was
// looked for.
type NotFoundError struct {
	Names []string // in PATH
	Paths []string // usual places
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("no Chromium, Chrome or Edge found: no %s in PATH, nothing at %s; set %s to its path",
		strings.Join(e.Names, ", "), strings.Join(e.Paths, ", "), PathEnv)
}

// Find returns the program of a Chromium, Chrome, Edge or Brave: the one
// ORIEL_CHROME names, else one in PATH, else one in a place where installers
// put it. The environment is asked through env. A wrong ORIEL_CHROME is an
// error: whoever set it wants that one and no other.
func Find(env func(string) string) (path string, err error) {
	return find(runtime.GOOS, env)
}

func find(goos string, env func(string) string) (string, error) {
	if chosen := env(PathEnv); chosen != "" {
		return choose(goos, env, chosen)
	}
	names := programs(goos)
	for _, name := range names {
		if path, ok := inPath(goos, env, name); ok {
			return path, nil
		}
	}
	places := places(goos, env)
	for _, pattern := range places {
		// Of several versions side by side, the one that sorts last.
		matches, _ := filepath.Glob(pattern)
		slices.Sort(matches)
		for _, path := range slices.Backward(matches) {
			if isProgram(goos, path) {
				return path, nil
			}
		}
	}
	return "", &NotFoundError{names, places}
}

func choose(goos string, env func(string) string, chosen string) (string, error) {
	if strings.ContainsAny(chosen, `/\`) {
		if isProgram(goos, chosen) {
			return chosen, nil
		}
		return "", fmt.Errorf("%s is %q, and there is no program", PathEnv, chosen)
	}
	if path, ok := inPath(goos, env, chosen); ok {
		return path, nil
	}
	return "", fmt.Errorf("%s is %q, which is not in PATH", PathEnv, chosen)
}

func inPath(goos string, env func(string) string, name string) (string, bool) {
	if goos == "windows" && filepath.Ext(name) == "" {
		name += ".exe"
	}
	for _, dir := range filepath.SplitList(env("PATH")) {
		if !filepath.IsAbs(dir) {
			continue // a browser from the project's own folder is not trusted
		}
		if path := filepath.Join(dir, name); isProgram(goos, path) {
			return path, true
		}
	}
	return "", false
}

func isProgram(goos, path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (goos == "windows" || info.Mode().Perm()&0o111 != 0)
}

// programs are the names under which browsers are in PATH.
func programs(goos string) []string {
	if goos == "windows" {
		return []string{"chrome", "chromium", "msedge"}
	}
	return []string{
		"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "google-chrome-beta", "google-chrome-unstable",
		"microsoft-edge", "microsoft-edge-stable", "brave-browser", "chrome-headless-shell", "headless-shell",
	}
}

// places are where installers put browsers, and after them the downloads of
// Playwright and Puppeteer, as patterns.
func places(goos string, env func(string) string) []string {
	switch goos {
	case "windows":
		return windowsPlaces(env)
	case "darwin":
		return darwinPlaces(env)
	}
	home, cache := env("HOME"), env("XDG_CACHE_HOME")
	list := []string{
		"/usr/bin/chromium", "/usr/bin/google-chrome", "/opt/google/chrome/chrome", "/opt/microsoft/msedge/msedge", "/opt/brave.com/brave/brave",
		"/snap/bin/chromium", "/var/lib/flatpak/exports/bin/org.chromium.Chromium", "/var/lib/flatpak/exports/bin/com.google.Chrome",
	}
	if home == "" {
		return list
	}
	if !filepath.IsAbs(cache) {
		cache = home + "/.cache"
	}
	return append(list,
		home+"/.local/share/flatpak/exports/bin/org.chromium.Chromium",
		cache+"/ms-playwright/chromium-*/chrome-linux*/chrome",
		home+"/.cache/puppeteer/chrome/*/chrome-linux*/chrome",
	)
}

func darwinPlaces(env func(string) string) []string {
	var list []string
	home := env("HOME")
	for _, app := range []string{"Chromium", "Google Chrome", "Microsoft Edge", "Brave Browser", "Google Chrome Canary"} {
		inside := app + ".app/Contents/MacOS/" + app
		list = append(list, "/Applications/"+inside)
		if home != "" {
			list = append(list, home+"/Applications/"+inside)
		}
	}
	if home == "" {
		return list
	}
	return append(list,
		home+"/Library/Caches/ms-playwright/chromium-*/chrome-mac*/*.app/Contents/MacOS/*",
		home+"/.cache/puppeteer/chrome/*/chrome-mac*/*.app/Contents/MacOS/*",
	)
}

func windowsPlaces(env func(string) string) []string {
	var list []string
	for _, program := range []string{"Google/Chrome/Application/chrome.exe", "Chromium/Application/chrome.exe", "Microsoft/Edge/Application/msedge.exe", "BraveSoftware/Brave-Browser/Application/brave.exe"} {
		for _, base := range []string{"ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"} {
			if dir := env(base); dir != "" {
				list = append(list, filepath.Join(dir, filepath.FromSlash(program)))
			}
		}
	}
	if dir := env("LOCALAPPDATA"); dir != "" {
		list = append(list, filepath.Join(dir, "ms-playwright", "chromium-*", "chrome-win*", "chrome.exe"))
	}
	if dir := env("USERPROFILE"); dir != "" {
		list = append(list, filepath.Join(dir, ".cache", "puppeteer", "chrome", "*", "chrome-win*", "chrome.exe"))
	}
	return list
}
