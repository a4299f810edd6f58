// Package install registers Oriel in the MCP settings of editors and other
// clients.
//
// Settings belong to the user: an entry is added to the text that is there,
// nothing else changes, an entry of the same name is only replaced on demand,
// and a file that is not understood is left alone. Which file, and which form
// in it, is one table.
package install

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"oriel/internal/nearest"
)

// Name is what the server is called in every client's settings.
const Name = "oriel"

// Scope says for whom a registration counts.
type Scope string

// The scopes: one project, or every project of this user.
const (
	Project Scope = "project"
	User    Scope = "user"
)

// Client is one program that runs MCP servers.
type Client struct {
	Name  string
	Title string
	// Default is the scope meant when none is named.
	Default Scope

	project  string               // the settings file in a project; "" when there is none
	user     func(Machine) string // the user's settings file
	signs    func(Machine) []string
	commands []string // programs in PATH that show the client is here
	app      string   // the application's name on macOS
	format   format
	after    string // what makes it see the entry
}

const restart = "restart the editor; oriel then shows as connected"

// clients is the table, in the order in which they are listed.
var clients = []Client{
	{
		Name: "claude-code", Title: "Claude Code", Default: Project, format: mcpServers,
		project: ".mcp.json", user: claudeCode, commands: []string{"claude"},
		signs: func(m Machine) []string { return []string{claudeCode(m), m.home(".claude")} },
		after: "restart Claude Code, and approve the server when it asks; /mcp then shows oriel as connected",
	},
	{
		Name: "claude-desktop", Title: "Claude Desktop", Default: User, format: mcpServers, app: "Claude",
		user:  func(m Machine) string { return filepath.Join(claudeDesktop(m), "claude_desktop_config.json") },
		signs: func(m Machine) []string { return []string{claudeDesktop(m)} },
		after: "quit Claude Desktop and start it again; oriel then shows as connected",
	},
	{
		Name: "cursor", Title: "Cursor", Default: Project, format: mcpServersWithComments, app: "Cursor",
		project: ".cursor/mcp.json", user: inHome(".cursor/mcp.json"), commands: []string{"cursor"},
		signs: folders(inHome(".cursor")), after: restart,
	},
	{
		Name: "vscode", Title: "VS Code", Default: Project, app: "Visual Studio Code",
		format:  jsonFormat{key: "servers", typed: true, comments: true},
		project: ".vscode/mcp.json", user: inConfig("Code/User/mcp.json"), commands: []string{"code"},
		signs: folders(inConfig("Code/User")), after: restart,
	},
	{
		Name: "devin", Title: "Devin Desktop (once Windsurf)", Default: User, format: mcpServers, app: "Devin",
		project: ".devin/mcp_config.json", commands: []string{"devin"},
		user:  func(m Machine) string { return filepath.Join(m.xdgOrRoaming("devin"), "mcp_config.json") },
		signs: func(m Machine) []string { return []string{m.xdgOrRoaming("devin")} }, after: restart,
	},
	{
		Name: "windsurf", Title: "Windsurf", Default: User, format: mcpServers, app: "Windsurf",
		user: inHome(".codeium/windsurf/mcp_config.json"), commands: []string{"windsurf"},
		signs: folders(inHome(".codeium/windsurf")), after: restart,
	},
	{
		Name: "zed", Title: "Zed", Default: User, app: "Zed", format: jsonFormat{key: "context_servers", comments: true},
		project: ".zed/settings.json", commands: []string{"zed", "zeditor"},
		user:  func(m Machine) string { return filepath.Join(zed(m), "settings.json") },
		signs: func(m Machine) []string { return []string{zed(m)} }, after: restart,
	},
	{
		Name: "cline", Title: "Cline (in VS Code)", Default: User, format: mcpServers,
		user: cline, signs: folders(inConfig("Code/User/globalStorage/saoudrizwan.claude-dev")), after: restart,
	},
	{
		Name: "cline-cli", Title: "Cline (command line)", Default: User, format: mcpServers,
		user: func(m Machine) string {
			return m.either("CLINE_MCP_SETTINGS_PATH", m.home(".cline/data/settings/cline_mcp_settings.json"))
		},
		commands: []string{"cline"}, signs: folders(inHome(".cline")), after: "start Cline again; oriel then shows as connected",
	},
	{
		Name: "roo", Title: "Roo Code", Default: Project, format: mcpServers, project: ".roo/mcp.json",
		user:  inConfig("Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
		signs: folders(inConfig("Code/User/globalStorage/rooveterinaryinc.roo-cline")), after: restart,
	},
	{
		Name: "gemini", Title: "Gemini CLI", Default: User, format: mcpServersWithComments,
		project: ".gemini/settings.json", user: inHome(".gemini/settings.json"), commands: []string{"gemini"},
		signs: folders(inHome(".gemini")), after: "start Gemini CLI again; /mcp then shows oriel as connected",
	},
	{
		Name: "codex", Title: "Codex", Default: User, format: tomlFormat{}, project: ".codex/config.toml", commands: []string{"codex"},
		user:  func(m Machine) string { return filepath.Join(m.either("CODEX_HOME", m.home(".codex")), "config.toml") },
		signs: func(m Machine) []string { return []string{m.either("CODEX_HOME", m.home(".codex"))} },
		after: "start Codex again; /mcp then shows oriel as connected",
	},
}

// Clients lists every client that can be set up.
func Clients() []Client { return slices.Clone(clients) }

// Find returns the client of that name.
func Find(name string) (Client, error) {
	var names []string
	for _, c := range clients {
		if c.Name == name {
			return c, nil
		}
		names = append(names, c.Name)
	}
	hint := ""
	if near := nearest.Of(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %q? ", near)
	}
	return Client{}, fmt.Errorf("unknown client %q (%svalid: %s)", name, hint, strings.Join(names, ", "))
}

// Scopes are the ones the client knows, the default first.
func (c Client) Scopes() []Scope {
	if c.project == "" {
		return []Scope{User}
	}
	if c.Default == Project {
		return []Scope{Project, User}
	}
	return []Scope{User, Project}
}

// Path is the settings file for a scope; root is the project's folder.
func (c Client) Path(m Machine, root string, scope Scope) (string, error) {
	if scope == User {
		return c.user(m), nil
	}
	if c.project == "" {
		return "", fmt.Errorf("%s has no settings of a project, only the user's: %s", c.Title, c.user(m))
	}
	return filepath.Join(root, filepath.FromSlash(c.project)), nil
}

// After says what makes the client see a new entry.
func (c Client) After() string { return c.after }

// Render is the entry as a settings file of this client that holds nothing
// else.
func (c Client) Render(e Entry) string { return c.format.render(e) }

// Sign is what shows that the client is on this machine: a file, folder or
// program; "" when nothing does.
func (c Client) Sign(m Machine) string {
	for _, path := range c.signs(m) {
		if exists(path) {
			return path
		}
	}
	if c.app != "" && m.OS == "darwin" {
		for _, dir := range []string{"/Applications", m.home("Applications")} {
			if path := filepath.Join(dir, c.app+".app"); exists(path) {
				return path
			}
		}
	}
	for _, name := range c.commands {
		if path, err := m.Look(name); err == nil {
			return path
		}
	}
	return ""
}
