//go:build unix

package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"oriel/internal/daemon"
	"oriel/internal/install"
	"oriel/internal/tool"
)

// patient is a machine with nothing on it; env is its environment.
func patient(t *testing.T, env map[string]string) Patient {
	t.Helper()
	// Not t.TempDir: a socket's path must be short.
	dir, err := os.MkdirTemp("", "od")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	root := filepath.Join(dir, "project", ".git")
	if err := os.MkdirAll(root, 0o755); err != nil {
		t.Fatal(err)
	}
	if env == nil {
		env = map[string]string{}
	}
	return Patient{
		Dir: filepath.Dir(root), Executable: filepath.Join(dir, "oriel"), Version: "1.2.3",
		Home: daemon.Home{Dir: filepath.Join(dir, "home", "d")}, Build: "1.2.3+x",
		Machine: install.Machine{
			OS: "linux", Home: filepath.Join(dir, "home"),
			Env: func(name string) string { return env[name] },
			Look: func(name string) (string, error) {
				for _, d := range filepath.SplitList(env["PATH"]) {
					if _, err := os.Stat(filepath.Join(d, name)); err == nil {
						return filepath.Join(d, name), nil
					}
				}
				return "", errors.New("not found")
			},
		},
	}
}

func write(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

// expect compares a check with a status and parts of its words.
func expect(t *testing.T, c Check, status Status, parts ...string) {
	t.Helper()
	if c.Status != status {
		t.Errorf("got %+v, want %s", c, status)
	}
	for _, part := range parts {
		if !strings.Contains(c.Detail+"; "+c.Fix, part) {
			t.Errorf("%+v does not say %q", c, part)
		}
	}
}

func TestBrowser(t *testing.T) {
	dir := t.TempDir()
	good := write(t, filepath.Join(dir, "good"), "#!/bin/sh\necho Chromium 1.2; echo more\n", 0o755)
	bad := write(t, filepath.Join(dir, "bad"), "#!/bin/sh\nexit 3\n", 0o755)
	silent := write(t, filepath.Join(dir, "silent"), "#!/bin/sh\n", 0o755)
	check := func(env map[string]string) Check { return patient(t, env).browser(t.Context()) }
	expect(t, check(map[string]string{"ORIEL_CHROME": good}), OK, "Chromium 1.2, "+good)
	expect(t, check(map[string]string{"ORIEL_CHROME": bad}), Warn, "does not say its version: exit status 3")
	expect(t, check(map[string]string{"ORIEL_CHROME": silent}), Warn, "does not say its version")
	expect(t, check(map[string]string{"ORIEL_CHROME": dir + "/none"}), Fail, "there is no program", "correct ORIEL_CHROME")
}

func TestHowToInstallABrowser(t *testing.T) {
	for program, want := range map[string]string{"apt-get": "apt-get install chromium", "dnf": "dnf install", "brew": "brew install --cask", "winget": "winget install"} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, program), "", 0o755)
		if got := installChromium(patient(t, map[string]string{"PATH": dir}).Machine); !strings.Contains(got, want) {
			t.Errorf("%s: got %s", program, got)
		}
	}
	if got := installChromium(patient(t, nil).Machine); !strings.Contains(got, "ORIEL_CHROME") {
		t.Errorf("got %s", got)
	}
}

func TestRemoteBrowser(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	check := func(url string) []Check {
		return patient(t, map[string]string{remoteEnv: url}).remoteBrowser(t.Context())
	}
	expect(t, check("ws://" + address + "/?token=secret")[0], OK, address)
	if c := check("ws://" + address + "/?token=secret")[0]; strings.Contains(c.Detail, "secret") {
		t.Errorf("shows the token: %+v", c)
	}
	l.Close()
	expect(t, check("ws://" + address)[0], Fail, "nobody answers at "+address)
	expect(t, check("localhost")[0], Fail, "no URL")
	if got := check(""); len(got) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestNode(t *testing.T) {
	dir := t.TempDir()
	p := patient(t, nil)
	expect(t, p.node(t.Context()), OK, "does not need it")
	write(t, filepath.Join(p.Dir, "package.json"), "{}", 0o644)
	expect(t, p.node(t.Context()), Warn, "package.json", "nodejs.org")
	write(t, filepath.Join(dir, "node"), "#!/bin/sh\necho v22.1.0\n", 0o755)
	expect(t, patient(t, map[string]string{"PATH": dir}).node(t.Context()), OK, "v22.1.0, "+dir)
}

func TestHome(t *testing.T) {
	p := patient(t, nil)
	expect(t, p.home(), OK, "made when it is needed")
	if _, err := os.Stat(p.Home.Dir); err == nil {
		t.Error("the doctor made the folder")
	}
	if err := p.Home.Prepare(); err != nil {
		t.Fatal(err)
	}
	expect(t, p.home(), OK, "private")
	if err := os.Chmod(p.Home.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	expect(t, p.home(), Warn, "entered by others", "chmod 700")
	p.Home.Dir = write(t, filepath.Join(t.TempDir(), "file"), "", 0o600)
	expect(t, p.home(), Fail, "no folder", "ORIEL_HOME")
}

// TestSocketLength holds the doctor's limit and the daemon's together.
func TestSocketLength(t *testing.T) {
	p := patient(t, nil)
	base := p.Home.Dir
	for n := 95; n <= 110; n++ {
		p.Home.Dir = base + strings.Repeat("x", n-len(p.Home.Socket())+len(p.Home.Dir)-len(base))
		if len(p.Home.Socket()) != n {
			t.Fatalf("length %d, want %d", len(p.Home.Socket()), n)
		}
		if says, does := p.home().Status != Fail, p.Home.Prepare() == nil; says != does {
			t.Errorf("%d bytes: the doctor says %v, the daemon %v", n, says, does)
		}
	}
}

type deaf struct{}

func (deaf) Call(context.Context, tool.Call) tool.Result { return tool.Result{} }

func TestDaemon(t *testing.T) {
	p := patient(t, nil)
	expect(t, p.daemon(t.Context()), OK, "not running")
	if err := p.Home.Prepare(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	release, err := daemon.Lock(ctx, p.Home)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	load := daemon.Load{}
	ended := make(chan error, 1)
	go func() {
		ended <- daemon.Serve(ctx, daemon.Options{Home: p.Home, Build: "1.2.3+x", Caller: deaf{}, IdleFor: time.Hour, Load: func() daemon.Load { return load }})
	}()
	client := daemon.Client{Home: p.Home, Build: p.Build}
	for deadline := time.Now().Add(30 * time.Second); ; {
		if _, err := client.Status(ctx); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the daemon does not answer")
		}
	}
	expect(t, p.daemon(t.Context()), OK, "build 1.2.3+x", "0 processes")
	p.Build = "2.0.0+y"
	expect(t, p.daemon(t.Context()), Warn, "build 1.2.3+x, this is 2.0.0+y", "next call replaces it")
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("serve: %v", err)
	}
	expect(t, p.daemon(t.Context()), OK, "not running")
}

func TestThisMachine(t *testing.T) {
	p := patient(t, nil)
	expect(t, p.loopback(t.Context())[0], OK, "127.0.0.1")
	expect(t, temporary(), OK, os.TempDir())
	t.Setenv("TMPDIR", "/nowhere/at/all")
	expect(t, temporary(), Fail, "/nowhere/at/all", "TMPDIR")
	if got := p.limits(t.Context()); len(got) != 1 || strings.Contains(got[0].Detail, "unknown") {
		t.Errorf("got %+v", got)
	}
}

func TestLimit(t *testing.T) {
	for text, want := range map[string]Status{"unlimited": OK, "1024": OK, "1023": Warn, "256": Warn, "": Warn, "many": Warn} {
		if got := judgeLimit("x", text); got.Status != want {
			t.Errorf("%q: got %+v", text, got)
		}
	}
}

func TestProject(t *testing.T) {
	p := patient(t, nil)
	sub := filepath.Join(p.Dir, "src")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	p.Dir = sub
	file := filepath.Join(p.root(), ".oriel.kdl")
	expect(t, p.project()[0], OK, "no .oriel.kdl")
	write(t, file, "scripts {\n  dev {\n    run \"npm start\"\n  }\n}\n", 0o644)
	expect(t, p.project()[0], OK, file, "scripts: 1, proxies: 0")
	write(t, file, "scripts {\n  dev {\n    runn \"npm start\"\n    run \"x\"\n  }\n}\n", 0o644)
	expect(t, p.project()[0], Warn, file+":3:5", `"run"`)
	write(t, file, strings.Repeat("nonsense 1\n", 30), 0o644)
	if got := p.project(); len(got) != maxProblems+1 {
		t.Errorf("%d lines", len(got))
	} else {
		expect(t, got[maxProblems], Warn, "and 20 more problems")
	}
}

func TestEditors(t *testing.T) {
	p := patient(t, nil)
	find := func(what string) Check {
		t.Helper()
		checks := p.editors()
		i := slices.IndexFunc(checks, func(c Check) bool { return c.What == what })
		if i < 0 {
			t.Fatalf("nothing about %s: %+v", what, checks)
		}
		return checks[i]
	}
	expect(t, find("editors"), Warn, "none that Oriel knows")

	cursor := filepath.Join(p.Machine.Home, ".cursor", "mcp.json")
	write(t, cursor, "{}", 0o644)
	expect(t, find("Cursor"), OK, "not registered in it", "oriel install cursor")
	expect(t, find("editors"), Warn, "registered in none", "oriel install cursor")

	write(t, cursor, "{\n]", 0o644)
	expect(t, find("Cursor"), Warn, cursor+":2:1", "correct the file")

	write(t, cursor, `{"mcpServers": {"oriel": {"command": "/gone/oriel", "args": ["mcp"]}}}`, 0o644)
	expect(t, find("Cursor"), Warn, "/gone/oriel", "oriel install cursor --user --force")

	write(t, cursor, `{"mcpServers": {"oriel": {"url": "http://x"}}}`, 0o644)
	expect(t, find("Cursor"), Warn, "runs no command")

	exe := write(t, p.Executable, "#!/bin/sh\n", 0o755)
	write(t, cursor, `{"mcpServers": {"oriel": {"command": "`+exe+`", "disabled": true}}}`, 0o644)
	expect(t, find("Cursor"), Warn, "switched off")

	write(t, cursor, `{"mcpServers": {"oriel": {"command": "`+exe+`", "args": ["mcp"]}}}`, 0o644)
	expect(t, find("Cursor"), OK, cursor, exe)
	if got := p.editors(); len(got) != 1 {
		t.Errorf("got %+v", got)
	}

	project := filepath.Join(p.Dir, ".vscode", "mcp.json")
	write(t, project, `{"servers": {"oriel": {"command": "`+exe+`"}}}`, 0o644)
	expect(t, find("VS Code"), OK, project)
}

func TestText(t *testing.T) {
	checks := []Check{{OK, "a", "fine", ""}, {Fail, "long", "broken", "mend it"}}
	var b strings.Builder
	if err := Text(&b, checks, false); err != nil {
		t.Fatal(err)
	}
	if want := "ok    a     — fine\nfail  long  — broken; mend it\n"; b.String() != want {
		t.Errorf("got %q", b.String())
	}
	b.Reset()
	if err := Text(&b, checks, true); err != nil || !strings.HasPrefix(b.String(), "\x1b[32mok  \x1b[0m  a") {
		t.Errorf("got %q, %v", b.String(), err)
	}
}

func TestJSON(t *testing.T) {
	var b strings.Builder
	if err := JSON(&b, []Check{{Warn, "a", "<b>", ""}, {Fail, "c", "d", "e"}}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Status Status
		Checks []Check
	}
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil || got.Status != Fail || len(got.Checks) != 2 || got.Checks[1].Fix != "e" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestWorst(t *testing.T) {
	for _, tt := range []struct {
		in   []Status
		want Status
	}{{nil, OK}, {[]Status{OK, Warn, OK}, Warn}, {[]Status{Fail, Warn}, Fail}} {
		var checks []Check
		for _, s := range tt.in {
			checks = append(checks, Check{Status: s})
		}
		if got := Worst(checks); got != tt.want {
			t.Errorf("%v: got %s", tt.in, got)
		}
	}
}
