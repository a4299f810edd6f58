package install

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
)

// Machine is what decides where clients keep their settings.
type Machine struct {
	OS   string // as runtime.GOOS
	Home string
	Env  func(string) string
	Look func(program string) (string, error) // finds a program in PATH
}

// Here is this machine and its user.
func Here() (Machine, error) {
	home, err := os.UserHomeDir()
	if err != nil { // no HOME, as in a service: the system knows it too
		if u, lookErr := user.Current(); lookErr == nil && u.HomeDir != "" {
			home, err = u.HomeDir, nil
		}
	}
	if err != nil {
		return Machine{}, fmt.Errorf("find the home folder: %w", err)
	}
	return Machine{OS: runtime.GOOS, Home: home, Env: os.Getenv, Look: exec.LookPath}, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (m Machine) home(path string) string { return filepath.Join(m.Home, filepath.FromSlash(path)) }

// either is the value of a variable, else another path.
func (m Machine) either(variable, path string) string {
	if v := m.Env(variable); v != "" {
		return v
	}
	return path
}

func (m Machine) roaming() string { return m.either("APPDATA", m.home("AppData/Roaming")) }

func (m Machine) xdg() string {
	if dir := m.Env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	return m.home(".config")
}

// config is where desktop programs keep settings.
func (m Machine) config() string {
	switch m.OS {
	case "windows":
		return m.roaming()
	case "darwin":
		return m.home("Library/Application Support")
	}
	return m.xdg()
}

// xdgOrRoaming is where programs keep settings that treat macOS like Linux and
// know no XDG_CONFIG_HOME.
func (m Machine) xdgOrRoaming(name string) string {
	if m.OS == "windows" {
		return filepath.Join(m.roaming(), name)
	}
	return m.home(".config/" + name)
}

func inHome(path string) func(Machine) string {
	return func(m Machine) string { return m.home(path) }
}

func inConfig(path string) func(Machine) string {
	return func(m Machine) string { return filepath.Join(m.config(), filepath.FromSlash(path)) }
}

func folders(path func(Machine) string) func(Machine) []string {
	return func(m Machine) []string { return []string{path(m)} }
}

// claudeCode is the file of the user's own scope.
func claudeCode(m Machine) string {
	if dir := m.Env("CLAUDE_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, ".claude.json")
	}
	return m.home(".claude.json")
}

// claudeDesktop is its folder. On Windows the packaged program reads a private
// copy of the roaming folder and never looks at the real one.
func claudeDesktop(m Machine) string {
	if m.OS != "windows" {
		return filepath.Join(m.config(), "Claude")
	}
	local := m.either("LOCALAPPDATA", m.home("AppData/Local"))
	packaged, _ := filepath.Glob(filepath.Join(local, "Packages", "Claude_*", "LocalCache", "Roaming", "Claude"))
	withFile := slices.IndexFunc(packaged, func(dir string) bool { return exists(filepath.Join(dir, "claude_desktop_config.json")) })
	switch {
	case withFile >= 0:
		return packaged[withFile]
	case len(packaged) > 0:
		return packaged[0]
	}
	return filepath.Join(m.roaming(), "Claude")
}

func zed(m Machine) string {
	switch m.OS {
	case "windows":
		return filepath.Join(m.roaming(), "Zed")
	case "darwin":
		return m.home(".config/zed")
	}
	return filepath.Join(m.xdg(), "zed")
}

func cline(m Machine) string {
	return m.either("CLINE_MCP_SETTINGS_PATH", inConfig("Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json")(m))
}
