package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newUser is a world whose user has a home of their own, without any editor,
// and this program as oriel in PATH.
func newUser(t *testing.T) (w *world, home string) {
	t.Helper()
	w = newWorld(t)
	home = w.project("user", nil)
	bin := w.project("bin", nil)
	if err := os.Symlink(mustAbs(t, os.Args[0]), filepath.Join(bin, "oriel")); err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "HOME="+home, "PATH="+bin, "XDG_CONFIG_HOME=", "CLAUDE_CONFIG_DIR=", "CODEX_HOME=", "CLINE_MCP_SETTINGS_PATH=", "ORIEL_CHROME=", "ORIEL_BROWSER_URL=")
	return w, home
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// says runs oriel and looks for words in what it prints.
func (w *world) says(dir string, code int, args []string, words ...string) string {
	w.t.Helper()
	out, got := w.oriel(dir, args...)
	if got != code {
		w.t.Errorf("oriel %v: exit %d, want %d\n%s", args, got, code, out)
	}
	for _, word := range words {
		if !strings.Contains(out, word) {
			w.t.Errorf("oriel %v does not say %q:\n%s", args, word, out)
		}
	}
	return out
}

const seedEntry = `{
  "mcpServers": {
    "oriel": {
      "command": "oriel",
      "args": ["mcp"]
    }
  }
}
`

func TestInstallPrint(t *testing.T) {
	w, home := newUser(t)
	root := w.project("p", nil)
	if out := w.says(root, 0, []string{"install", "claude-code", "--print"}); out != seedEntry {
		t.Errorf("got %s", out)
	}
	w.says(root, 0, []string{"install", "codex", "--print", "--command", "/x/oriel"}, "[mcp_servers.oriel]\ncommand = \"/x/oriel\"\n")
	for _, dir := range []string{root, home} {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("something was written: %v, %v", entries, err)
		}
	}
}

func TestInstallInAProject(t *testing.T) {
	w, _ := newUser(t)
	root := w.project("p", map[string]string{".git/HEAD": "", "src/deep/x": ""})
	path := filepath.Join(root, ".mcp.json")
	w.says(filepath.Join(root, "src", "deep"), 0, []string{"install", "claude-code"}, "created "+path, "runs `oriel mcp`", "restart", "does not seem to be on this machine")
	text, err := os.ReadFile(path)
	if err != nil || string(text) != seedEntry {
		t.Errorf("got %s, %v", text, err)
	}
	w.says(root, 0, []string{"install", "claude-code"}, "already registered in Claude Code: "+path)
	again, err := os.ReadFile(path)
	if err != nil || string(again) != seedEntry {
		t.Errorf("got %s, %v", again, err)
	}
	w.says(root, 0, []string{"install"}, "CLIENT", path, "codex")
}

func TestInstallKeepsWhatIsThere(t *testing.T) {
	w, home := newUser(t)
	const before = "// mine\n{\n\t\"context_servers\": {\n\t\t\"old\": {\"command\": \"x\"}, // keep\n\t},\n}\n"
	w.project("user/.config/zed", map[string]string{"settings.json": before})
	path := filepath.Join(home, ".config", "zed", "settings.json")
	out := w.says("", 0, []string{"install", "zed"}, "added to "+path)
	if strings.Contains(out, "does not seem") {
		t.Errorf("Zed is here:\n%s", out)
	}
	const after = "// mine\n{\n\t\"context_servers\": {\n\t\t\"old\": {\"command\": \"x\"}, // keep\n\t\t\"oriel\": {\n\t\t\t\"command\": \"oriel\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t},\n\t},\n}\n"
	if text, err := os.ReadFile(path); err != nil || string(text) != after {
		t.Errorf("got %s, %v", text, err)
	}
}

func TestInstallOverAnother(t *testing.T) {
	w, home := newUser(t)
	const before = `{"mcpServers": {"oriel": {"command": "/old/oriel", "args": ["mcp"]}}}`
	w.project("user/.gemini", map[string]string{"settings.json": before})
	path := filepath.Join(home, ".gemini", "settings.json")
	w.says("", 1, []string{"install", "gemini"}, path+":1:26", "/old/oriel", "nothing was changed", "--force")
	if text, err := os.ReadFile(path); err != nil || string(text) != before {
		t.Errorf("got %s, %v", text, err)
	}
	w.says("", 0, []string{"install", "gemini", "--force"}, "now runs `oriel mcp`", "/old/oriel")
	if text, err := os.ReadFile(path); err != nil || string(text) != `{"mcpServers": {"oriel": {"command": "oriel", "args": ["mcp"]}}}` {
		t.Errorf("got %s, %v", text, err)
	}
}

func TestInstallRefuses(t *testing.T) {
	w, _ := newUser(t)
	root := w.project("p", map[string]string{".cursor/mcp.json": "{\n  \"mcpServers\": [}\n"})
	w.says(root, 1, []string{"install", "cursor"}, ".cursor/mcp.json:2:18", "nothing was changed")
	w.says(root, 1, []string{"install", "cursr"}, `did you mean "cursor"?`, "valid: claude-code")
	w.says(root, 1, []string{"install", "windsurf", "--project"}, "no settings of a project")
	w.says(root, 1, []string{"install", "cursor", "--user", "--project"}, "give --user or --project, not both")
	w.says(root, 1, []string{"install", "zed", "--command", "./missing"}, "--command: no program at")
}

func TestInstallFullPath(t *testing.T) {
	w, home := newUser(t)
	w.env = append(w.env, "PATH=/nowhere")
	w.says("", 0, []string{"install", "claude-code", "--user"}, "oriel is not in PATH", mustAbs(t, os.Args[0])+" mcp")
	if text, err := os.ReadFile(filepath.Join(home, ".claude.json")); err != nil || !strings.Contains(string(text), mustAbs(t, os.Args[0])) {
		t.Errorf("got %s, %v", text, err)
	}
	w.says(w.project("p", nil), 0, []string{"install", "vscode"}, "counts on this machine only")
}

func TestDedent(t *testing.T) {
	for text, want := range map[string]string{
		"{}":                                  "  {}",
		"{\n      \"a\": 1\n    }":            "  {\n    \"a\": 1\n  }",
		"{\r\n\t\t\"a\": \"\x1b[31m\"\r\n\t}": "  {\n  \t\"a\": \"[31m\"\n  }",
	} {
		if got := dedent(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
