package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"oriel/internal/browser"
	"oriel/internal/install"
	"oriel/internal/quote"
)

// ask runs a program and returns the first line it prints.
func ask(ctx context.Context, path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdout = &out
	// A program that leaves children behind must not hold us by its output.
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", fmt.Errorf("no answer within %s", patience)
	}
	if err != nil {
		return "", err
	}
	line, _, _ := bytes.Cut(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	return quote.Text(string(line), 100), nil
}

func (p Patient) program() Check {
	c := Check{OK, "oriel", fmt.Sprintf("%s, %s", p.Version, p.Executable), ""}
	if p.Machine.Self(p.Executable).Path != install.Name {
		c.Detail += "; not found as oriel in PATH, so editors are given its full path"
	}
	return c
}

func (p Patient) browser(ctx context.Context) Check {
	const what = "browser"
	path, err := browser.Find(p.Machine.Env)
	missing, nowhere := errors.AsType[*browser.NotFoundError](err)
	switch {
	case nowhere && p.Machine.Env(remoteEnv) != "":
		return Check{OK, what, "none on this machine, and none needed: " + remoteEnv + " is set", ""}
	case nowhere:
		detail := fmt.Sprintf("no Chromium, Chrome or Edge in PATH or %d usual places; audits work in your own browser, but browser, snapshot and sharp screenshots need one", len(missing.Paths))
		return Check{Warn, what, detail, installChromium(p.Machine)}
	case err != nil:
		return Check{Fail, what, err.Error(), "correct " + browser.PathEnv + " or unset it"}
	}
	if p.Machine.OS == "windows" {
		return Check{OK, what, path, ""} // chrome.exe opens a window instead of saying its version
	}
	version, err := ask(ctx, path, "--version")
	if err != nil || version == "" {
		detail := fmt.Sprintf("%s does not say its version", path)
		if err != nil {
			detail += ": " + quote.Text(err.Error(), 200)
		}
		return Check{Warn, what, detail, installChromium(p.Machine)}
	}
	return Check{OK, what, fmt.Sprintf("%s, %s", version, path), ""}
}

// installChromium is the command of the package manager that is here.
func installChromium(m install.Machine) string {
	for _, manager := range []struct{ program, command string }{
		{"apt-get", "sudo apt-get install chromium (Ubuntu: sudo snap install chromium)"},
		{"dnf", "sudo dnf install chromium"},
		{"pacman", "sudo pacman -S chromium"},
		{"zypper", "sudo zypper install chromium"},
		{"apk", "sudo apk add chromium"},
		{"xbps-install", "sudo xbps-install chromium"},
		{"nix-env", "nix-env -iA nixpkgs.chromium"},
		{"brew", "brew install --cask google-chrome"},
		{"winget", "winget install Google.Chrome"},
		{"choco", "choco install googlechrome"},
	} {
		if _, err := m.Look(manager.program); err == nil {
			return "install one: " + manager.command
		}
	}
	return "install Chrome or Chromium, or set " + browser.PathEnv + " to the path of one"
}

// remoteEnv names a browser elsewhere.
const remoteEnv = "ORIEL_BROWSER_URL"

// remoteBrowser looks whether the browser elsewhere answers, if one is named.
func (p Patient) remoteBrowser(ctx context.Context) []Check {
	const what = "remote browser"
	address := p.Machine.Env(remoteEnv)
	if address == "" {
		return nil
	}
	fix := "correct " + remoteEnv + " or unset it"
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return one(Check{Fail, what, remoteEnv + " is no URL such as ws://host:9222", fix})
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "wss": "443"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	// The address may hold a token: only its host is shown.
	dialer := net.Dialer{Timeout: 3 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return one(Check{Fail, what, fmt.Sprintf("nobody answers at %s", u.Host), fix})
	}
	conn.Close()
	return one(Check{OK, what, "something answers at " + u.Host, ""})
}

// node is not needed by Oriel, but by most of what Oriel runs.
func (p Patient) node(ctx context.Context) Check {
	const what = "node"
	path, err := p.Machine.Look("node")
	if err == nil {
		version, err := ask(ctx, path, "--version")
		if err != nil {
			return Check{Warn, what, fmt.Sprintf("%s does not say its version: %s", path, quote.Text(err.Error(), 200)), "install Node.js again: https://nodejs.org"}
		}
		return Check{OK, what, fmt.Sprintf("%s, %s", version, path), ""}
	}
	if _, err := os.Stat(filepath.Join(p.root(), "package.json")); err == nil {
		return Check{Warn, what, "not in PATH, and this project has a package.json", "install Node.js: https://nodejs.org"}
	}
	return Check{OK, what, "not in PATH; Oriel itself does not need it", ""}
}
