package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
)

// machine is a user's empty home on some system.
func machine(t *testing.T, goos string, env map[string]string) Machine {
	t.Helper()
	return Machine{
		OS: goos, Home: t.TempDir(),
		Env:  func(name string) string { return env[name] },
		Look: func(string) (string, error) { return "", errors.New("not found") },
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func client(t *testing.T, name string) Client {
	t.Helper()
	c, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const (
	mcpServersFile = "{\n  \"mcpServers\": {\n    \"oriel\": {\n      \"command\": \"oriel\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"
	vscodeFile     = "{\n  \"servers\": {\n    \"oriel\": {\n      \"type\": \"stdio\",\n      \"command\": \"oriel\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"
	zedFile        = "{\n  \"context_servers\": {\n    \"oriel\": {\n      \"command\": \"oriel\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n"
	codexFile      = "[mcp_servers.oriel]\ncommand = \"oriel\"\nargs = [\"mcp\"]\n"
)

func TestEveryClient(t *testing.T) {
	const support = "Library/Application Support/"
	tests := []struct {
		name, project          string
		linux, darwin, windows string
		want                   string
		defaultScope           Scope
	}{
		{"claude-code", ".mcp.json", ".claude.json", ".claude.json", ".claude.json", mcpServersFile, Project},
		{"claude-desktop", "", ".config/Claude/claude_desktop_config.json", support + "Claude/claude_desktop_config.json", "AppData/Roaming/Claude/claude_desktop_config.json", mcpServersFile, User},
		{"cursor", ".cursor/mcp.json", ".cursor/mcp.json", ".cursor/mcp.json", ".cursor/mcp.json", mcpServersFile, Project},
		{"vscode", ".vscode/mcp.json", ".config/Code/User/mcp.json", support + "Code/User/mcp.json", "AppData/Roaming/Code/User/mcp.json", vscodeFile, Project},
		{"devin", ".devin/mcp_config.json", ".config/devin/mcp_config.json", ".config/devin/mcp_config.json", "AppData/Roaming/devin/mcp_config.json", mcpServersFile, User},
		{"windsurf", "", ".codeium/windsurf/mcp_config.json", ".codeium/windsurf/mcp_config.json", ".codeium/windsurf/mcp_config.json", mcpServersFile, User},
		{"zed", ".zed/settings.json", ".config/zed/settings.json", ".config/zed/settings.json", "AppData/Roaming/Zed/settings.json", zedFile, User},
		{"cline", "", ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", support + "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", "AppData/Roaming/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json", mcpServersFile, User},
		{"cline-cli", "", ".cline/data/settings/cline_mcp_settings.json", ".cline/data/settings/cline_mcp_settings.json", ".cline/data/settings/cline_mcp_settings.json", mcpServersFile, User},
		{"roo", ".roo/mcp.json", ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json", support + "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json", "AppData/Roaming/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json", mcpServersFile, Project},
		{"gemini", ".gemini/settings.json", ".gemini/settings.json", ".gemini/settings.json", ".gemini/settings.json", mcpServersFile, User},
		{"codex", ".codex/config.toml", ".codex/config.toml", ".codex/config.toml", ".codex/config.toml", codexFile, User},
	}
	if len(tests) != len(Clients()) {
		t.Errorf("%d clients, %d of them tested", len(Clients()), len(tests))
	}
	for _, tt := range tests {
		c := client(t, tt.name)
		if c.Default != tt.defaultScope || c.Scopes()[0] != tt.defaultScope {
			t.Errorf("%s: default scope %s", tt.name, c.Default)
		}
		if got := c.Render(Serve("oriel")); got != tt.want {
			t.Errorf("%s: prints %s", tt.name, got)
		}
		for goos, want := range map[string]string{"linux": tt.linux, "darwin": tt.darwin, "windows": tt.windows} {
			t.Run(tt.name+"/"+goos, func(t *testing.T) {
				m := machine(t, goos, nil)
				if sign := c.Sign(m); sign != "" {
					t.Errorf("there before it is: %s", sign)
				}
				path := register(t, c, m, t.TempDir(), User)
				if rel, _ := filepath.Rel(m.Home, path); filepath.ToSlash(rel) != want {
					t.Errorf("wrote %s, want %s", rel, want)
				}
				if got := read(t, path); got != tt.want {
					t.Errorf("wrote %s", got)
				}
				if c.Sign(m) == "" {
					t.Error("not seen afterwards")
				}
				if info, err := os.Stat(path); err != nil || (runtime.GOOS != "windows" && info.Mode().Perm() != 0o600) {
					t.Errorf("mode %v, %v", info.Mode(), err)
				}
			})
		}
		root := t.TempDir()
		m := machine(t, "linux", nil)
		if tt.project == "" {
			if _, err := c.Path(m, root, Project); err == nil || len(c.Scopes()) != 1 {
				t.Errorf("%s has a project scope", tt.name)
			}
			continue
		}
		if path := register(t, c, m, root, Project); path != filepath.Join(root, tt.project) || read(t, path) != tt.want {
			t.Errorf("%s wrote %s: %s", tt.name, path, read(t, path))
		}
	}
}

// register does it twice: the second time changes nothing.
func register(t *testing.T, c Client, m Machine, root string, scope Scope) string {
	t.Helper()
	path, err := c.Path(m, root, scope)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := c.Lookup(path); found != nil || err != nil {
		t.Fatalf("found before: %v, %v", found, err)
	}
	o := Options{Private: scope == User}
	done, err := c.Register(path, Serve("oriel"), o)
	if err != nil || done.Outcome != Created || done.Path != path {
		t.Fatalf("got %+v, %v", done, err)
	}
	before := read(t, path)
	done, err = c.Register(path, Serve("oriel"), o)
	if err != nil || done.Outcome != Already || read(t, path) != before {
		t.Fatalf("the second time: %+v, %v", done, err)
	}
	if found, err := c.Lookup(path); err != nil || found == nil || !found.same(Serve("oriel")) {
		t.Fatalf("found afterwards: %+v, %v", found, err)
	}
	return path
}

func TestPlacesFromTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	packaged := filepath.Join(dir, "Packages", "Claude_abc", "LocalCache", "Roaming", "Claude")
	if err := os.MkdirAll(packaged, 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ client, goos, variable, value, want string }{
		{"claude-code", "linux", "CLAUDE_CONFIG_DIR", dir, filepath.Join(dir, ".claude.json")},
		{"codex", "darwin", "CODEX_HOME", dir, filepath.Join(dir, "config.toml")},
		{"zed", "linux", "XDG_CONFIG_HOME", dir, filepath.Join(dir, "zed", "settings.json")},
		{"vscode", "linux", "XDG_CONFIG_HOME", dir, filepath.Join(dir, "Code", "User", "mcp.json")},
		{"vscode", "windows", "APPDATA", dir, filepath.Join(dir, "Code", "User", "mcp.json")},
		{"claude-desktop", "windows", "APPDATA", dir, filepath.Join(dir, "Claude", "claude_desktop_config.json")},
		{"claude-desktop", "windows", "LOCALAPPDATA", dir, filepath.Join(packaged, "claude_desktop_config.json")},
		{"cline", "linux", "CLINE_MCP_SETTINGS_PATH", dir, dir},
	}
	for _, tt := range tests {
		m := machine(t, tt.goos, map[string]string{tt.variable: tt.value})
		got, err := client(t, tt.client).Path(m, "", User)
		if err != nil || got != tt.want {
			t.Errorf("%s on %s with %s: got %s, %v", tt.client, tt.goos, tt.variable, got, err)
		}
	}
	// XDG says that a relative path is none; macOS knows no XDG for VS Code.
	for goos, value := range map[string]string{"linux": "relative", "darwin": dir} {
		m := machine(t, goos, map[string]string{"XDG_CONFIG_HOME": value})
		if got, _ := client(t, "vscode").Path(m, "", User); !strings.HasPrefix(got, m.Home) {
			t.Errorf("%s: got %s", goos, got)
		}
	}
}

func TestUnknownClient(t *testing.T) {
	for name, want := range map[string]string{"cursr": `did you mean "cursor"?`, "claude_code": `did you mean "claude-code"?`, "emacs": `unknown client "emacs" (valid: claude-code, claude-desktop,`} {
		if _, err := Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSignInPath(t *testing.T) {
	m := machine(t, "linux", nil)
	m.Look = func(name string) (string, error) {
		if name == "code" {
			return "/opt/code", nil
		}
		return "", errors.New("not found")
	}
	for _, c := range Clients() {
		if got := c.Sign(m); (got != "") != (c.Name == "vscode") {
			t.Errorf("%s: %q", c.Name, got)
		}
	}
}

func TestAnotherEntry(t *testing.T) {
	tests := []struct{ name, client, src, text, forced string }{
		{
			"another command", "cursor",
			"{\n\t// mine\n\t\"mcpServers\": {\"oriel\": {\"command\": \"/old/oriel\", \"args\": [\"mcp\"]}, \"b\": {}},\n}",
			`{"command": "/old/oriel", "args": ["mcp"]}`,
			"{\n\t// mine\n\t\"mcpServers\": {\"oriel\": {\"command\": \"oriel\", \"args\": [\"mcp\"]}, \"b\": {}},\n}",
		},
		{"other arguments", "gemini", `{"mcpServers":{"oriel":{"command":"oriel","args":["mcp","--no-daemon"]}}}`, `{"command":"oriel","args":["mcp","--no-daemon"]}`, `{"mcpServers":{"oriel":{"command":"oriel","args":["mcp"]}}}`},
		{"a remote one", "vscode", `{"servers":{"oriel":{"type":"http","url":"x"}}}`, `{"type":"http","url":"x"}`, `{"servers":{"oriel":{"type":"stdio","command":"oriel","args":["mcp"]}}}`},
		{"no object", "zed", `{"context_servers":{"oriel":[]}}`, `[]`, `{"context_servers":{"oriel":{"command":"oriel","args":["mcp"]}}}`},
		{
			"a table", "codex",
			"model = \"x\"\n\n[mcp_servers.oriel] # old\ncommand = \"old\"\nargs = [\n  \"a\", # b\n]\n\n# next\n[mcp_servers.oriel.env]\nA = \"1\"\n[tui]\n",
			"[mcp_servers.oriel] # old\ncommand = \"old\"\nargs = [\n  \"a\", # b\n]",
			"model = \"x\"\n\n[mcp_servers.oriel]\ncommand = \"oriel\"\nargs = [\"mcp\"]\n\n# next\n[mcp_servers.oriel.env]\nA = \"1\"\n[tui]\n",
		},
		{"the last table, quoted", "codex", "[ 'mcp_servers' . \"oriel\" ]\ncommand = 'old'", "[ 'mcp_servers' . \"oriel\" ]\ncommand = 'old'", codexFile},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, path := client(t, tt.client), filepath.Join(t.TempDir(), "settings")
			write(t, path, tt.src)
			_, err := c.Register(path, Serve("oriel"), Options{})
			other, ok := errors.AsType[*DifferentError](err)
			if !ok || other.Text != tt.text || read(t, path) != tt.src {
				t.Fatalf("got %v, %+v, and the file is %s", err, other, read(t, path))
			}
			done, err := c.Register(path, Serve("oriel"), Options{Force: true})
			if err != nil || done.Outcome != Replaced || done.Old != tt.text {
				t.Fatalf("forced: %+v, %v", done, err)
			}
			if diff := cmp.Diff(tt.forced, read(t, path)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestSameEntryWithMore(t *testing.T) {
	tests := []struct {
		client, src string
		disabled    bool
	}{
		{"cline", `{"mcpServers":{"oriel":{"args":["mcp"],"command":"oriel","env":{"A":"1"},"alwaysAllow":["detect"]}}}`, false},
		{"cline", `{"mcpServers":{"oriel":{"args":["mcp"],"command":"oriel","disabled":true}}}`, true},
		{"zed", `{"context_servers":{"oriel":{"enabled":false,"command":"oriel","args":["mcp",]/**/}}}`, true},
		{"vscode", `{"servers":{"oriel":{"command":"oriel","args":["mcp"]}}}`, false},
		{"codex", "mcp_servers.oriel = {command = 'oriel', args = ['mcp'], enabled = false}", true},
		{"codex", "[mcp_servers]\noriel.command = 'oriel'\noriel.args = ['mcp']\n", false},
	}
	for _, tt := range tests {
		path := filepath.Join(t.TempDir(), "settings")
		write(t, path, tt.src)
		done, err := client(t, tt.client).Register(path, Serve("oriel"), Options{Force: true})
		if err != nil || done.Outcome != Already || done.Disabled != tt.disabled || read(t, path) != tt.src {
			t.Errorf("%s: got %+v, %v", tt.src, done, err)
		}
	}
}

func TestRefusedAndUnchanged(t *testing.T) {
	tests := []struct{ name, client, src, want string }{
		{"broken", "claude-code", "{\n  \"mcpServers\": {\n    \"a\": 1\n    \"b\": 2\n  }\n}", `4:5: '"' where ',' or "}" is expected; nothing was changed`},
		{"half", "claude-code", "{", `1:1: "{" is never closed; nothing was changed`},
		{"array for servers", "windsurf", `{"mcpServers": []}`, `1:16: "mcpServers" is an array where an object is expected`},
		{"array for the file", "vscode", "\n[]", "2:1: the file is an array where an object is expected"},
		{"broken TOML", "codex", "a = 1\nb = [\n", ":2:"},
		{"TOML twice", "codex", "a = 1\na = 2\n", "nothing was changed"},
		{"text for servers", "codex", "mcp_servers = 'x'\n", "mcp_servers is no table"},
		{"closed inline table", "codex", "mcp_servers = {a = {command = 'x'}}\n", "add it by hand:\n[mcp_servers.oriel]"},
		{"inline entry", "codex", "mcp_servers.oriel = {command = 'x'}\n", "change it by hand"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "settings")
			write(t, path, tt.src)
			_, err := client(t, tt.client).Register(path, Serve("oriel"), Options{Force: true})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), path) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if entries, _ := os.ReadDir(dir); len(entries) != 1 || read(t, path) != tt.src {
				t.Errorf("something was written: %v", entries)
			}
		})
	}
}

func TestTOMLIsKept(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"other keys", "# c\nmodel = \"x\" # d\n[mcp_servers.other]\ncommand='y'\n", "# c\nmodel = \"x\" # d\n[mcp_servers.other]\ncommand='y'\n\n" + codexFile},
		{"no line end", "[a]\nb = 1", "[a]\nb = 1\n\n" + codexFile},
		{"CRLF", "[a]\r\nb = 1\r\n", "[a]\r\nb = 1\r\n\r\n" + strings.ReplaceAll(codexFile, "\n", "\r\n")},
		{"empty", "", codexFile},
		{"byte order mark", "\ufeff[a]\n", "\ufeff[a]\n\n" + codexFile},
		{"header in a string", "a = '''\n[mcp_servers.oriel]\n'''\n", "a = '''\n[mcp_servers.oriel]\n'''\n\n" + codexFile},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.toml")
			write(t, path, tt.src)
			if done, err := client(t, "codex").Register(path, Serve("oriel"), Options{}); err != nil || done.Outcome != Added {
				t.Fatalf("%+v, %v", done, err)
			}
			if diff := cmp.Diff(tt.want, read(t, path)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestCommandsWithOddCharacters(t *testing.T) {
	for _, command := range []string{`C:\Program Files\Oriel\oriel.exe`, "/tmp/a \"b\"/ö\x7f/<oriel>", "/a/'b'/\t/oriel"} {
		for _, c := range Clients() {
			path := filepath.Join(t.TempDir(), "settings")
			if _, err := c.Register(path, Serve(command), Options{}); err != nil {
				t.Errorf("%s: %v", c.Name, err)
				continue
			}
			if found, err := c.Lookup(path); err != nil || found.Command != command {
				t.Errorf("%s: %+v, %v", c.Name, found, err)
			}
		}
	}
}

func TestNoteAboutPlainJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings")
	write(t, path, "{\n  // mine\n}")
	done, err := client(t, "claude-desktop").Register(path, Serve("oriel"), Options{})
	if err != nil || len(done.Notes) != 1 || !strings.Contains(done.Notes[0], "a comment at 2:3") {
		t.Errorf("%+v, %v", done, err)
	}
	write(t, path, "{\n  // mine\n}")
	if done, err := client(t, "zed").Register(path, Serve("oriel"), Options{}); err != nil || len(done.Notes) != 0 {
		t.Errorf("%+v, %v", done, err)
	}
}

// FuzzTOML: what was there stays, byte for byte, before what is added.
func FuzzTOML(f *testing.F) {
	for _, s := range []string{"", "a=1", "[mcp_servers]\n", "[mcp_servers.x]\ncommand='y'\n", "a = '''\n[b]'''", "\ufeffa=1\r\n", "[[mcp_servers]]\n", "mcp_servers={}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		found, _, err := tomlFormat{}.find(src)
		if err != nil || found != nil {
			return
		}
		out, err := tomlFormat{}.add(src, Serve("oriel"), false)
		if err != nil || !strings.HasPrefix(string(out), string(src)) {
			t.Fatalf("%q became %q: %v", src, out, err)
		}
		after, _, err := tomlFormat{}.find(out)
		if err != nil || after == nil || !after.same(Serve("oriel")) {
			return // Register finds out too, and writes nothing
		}
		var before, now map[string]any
		if toml.Unmarshal([]byte(strings.TrimPrefix(string(src), "\ufeff")), &before) != nil {
			return
		}
		if err := toml.Unmarshal([]byte(strings.TrimPrefix(string(out), "\ufeff")), &now); err != nil {
			t.Fatal(err)
		}
		if servers, ok := now["mcp_servers"].(map[string]any); ok {
			delete(servers, "oriel")
			if _, had := before["mcp_servers"]; !had && len(servers) == 0 {
				delete(now, "mcp_servers")
			}
		}
		if got, want := fmt.Sprint(now), fmt.Sprint(before); got != want {
			t.Fatalf("%q became %q", want, got)
		}
	})
}
