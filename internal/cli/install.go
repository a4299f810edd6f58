package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"oriel/internal/install"
	"oriel/internal/project"
	"oriel/internal/quote"
)

// installFlags are what `oriel install` was asked for.
type installFlags struct {
	user, project, print, force bool
	command                     string
}

func (a *app) install() *cobra.Command {
	var f installFlags
	cmd := &cobra.Command{
		Use:   "install [CLIENT]",
		Short: "Register the server in an editor's MCP settings; without CLIENT, list the editors",
		Long: `Register the server in an editor's MCP settings. The entry is added to the
settings that are there; everything else in the file, comments and layout
included, stays as it is.`,
		Example: `  oriel install
  oriel install claude-code
  oriel install cursor --user
  oriel install vscode --print`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if f.user && f.project {
				return errors.New("give --user or --project, not both")
			}
			if len(args) == 0 {
				return a.listClients()
			}
			client, err := install.Find(args[0])
			if err != nil {
				return err
			}
			if f.print {
				return a.printEntry(client, f)
			}
			return a.register(client, f)
		},
	}
	for _, c := range install.Clients() {
		cmd.ValidArgs = append(cmd.ValidArgs, cobra.CompletionWithDesc(c.Name, c.Title))
	}
	cmd.Flags().BoolVar(&f.user, "user", false, "for every project of yours: the user's settings")
	cmd.Flags().BoolVar(&f.project, "project", false, "for this project alone: the settings in its folder")
	cmd.Flags().BoolVar(&f.print, "print", false, "print the entry instead of writing it")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace another entry named oriel")
	cmd.Flags().StringVar(&f.command, "command", "", "what the editor runs (default: oriel if it is in PATH, else this program's path)")
	return cmd
}

// serverCommand is what the editor will run.
func (a *app) serverCommand(m install.Machine, f installFlags) (install.Command, error) {
	if f.command != "" {
		return m.Named(f.command)
	}
	exe, err := os.Executable()
	if err != nil {
		return install.Command{}, fmt.Errorf("find this program: %w", err)
	}
	return m.Self(exe), nil
}

// printEntry shows the registration of the plain name, as documentation does,
// unless another command is asked for.
func (a *app) printEntry(client install.Client, f installFlags) error {
	command := install.Name
	if f.command != "" {
		command = f.command
	}
	_, err := fmt.Fprint(a.out, client.Render(install.Serve(command)))
	return err
}

func (a *app) register(client install.Client, f installFlags) error {
	m, err := install.Here()
	if err != nil {
		return err
	}
	dir, err := a.workdir()
	if err != nil {
		return err
	}
	scope := client.Default
	if f.user {
		scope = install.User
	}
	if f.project {
		scope = install.Project
	}
	path, err := client.Path(m, project.Root(dir), scope)
	if err != nil {
		return err
	}
	command, err := a.serverCommand(m, f)
	if err != nil {
		return err
	}
	seen := client.Sign(m) != ""
	done, err := client.Register(path, install.Serve(command.Path), install.Options{Force: f.force, Private: scope == install.User})
	if other, ok := errors.AsType[*install.DifferentError](err); ok {
		return a.sayDifferent(client, other, command)
	}
	if err != nil {
		return err
	}
	a.sayDone(client, done, command)
	if scope == install.Project && filepath.IsAbs(command.Path) {
		fmt.Fprintln(a.out, "note: a full path counts on this machine only; do not commit it for others")
	}
	if !seen {
		fmt.Fprintf(a.out, "note: %s does not seem to be on this machine\n", client.Title)
	}
	if done.Outcome != install.Already {
		fmt.Fprintln(a.out, client.After())
	}
	return nil
}

func (a *app) sayDifferent(client install.Client, other *install.DifferentError, command install.Command) error {
	fmt.Fprintf(a.err, "oriel: %v; nothing was changed. It says:\n%s\n", other, dedent(other.Text))
	fmt.Fprintf(a.err, "It would become (with --force):\n%s\n", quote.Block(strings.TrimSpace(client.Render(install.Serve(command.Path))), 2000, "  "))
	return exitError(1)
}

func (a *app) sayDone(client install.Client, done install.Done, command install.Command) {
	entry := quote.Text(command.Path, 500) + " mcp"
	switch done.Outcome {
	case install.Already:
		fmt.Fprintf(a.out, "oriel is already registered in %s: %s\n", client.Title, done.Path)
		if done.Disabled {
			fmt.Fprintf(a.out, "note: the entry is switched off there; switch it on in %s\n", client.Title)
		}
	case install.Replaced:
		fmt.Fprintf(a.out, "registered oriel in %s: %s now runs `%s`\nthe entry before was:\n%s\n", client.Title, done.Path, entry, dedent(done.Old))
	case install.Created:
		fmt.Fprintf(a.out, "registered oriel in %s: created %s, which runs `%s`\n", client.Title, done.Path, entry)
	default:
		fmt.Fprintf(a.out, "registered oriel in %s: added to %s, runs `%s`\n", client.Title, done.Path, entry)
	}
	if command.Note != "" && done.Outcome != install.Already {
		fmt.Fprintln(a.out, "note:", command.Note)
	}
	for _, note := range done.Notes {
		fmt.Fprintln(a.out, "note:", note)
	}
}

// dedent shows a value from the middle of a file as if it stood alone.
func dedent(text string) string {
	last := text[strings.LastIndexByte(text, '\n')+1:]
	indent := last[:len(last)-len(strings.TrimLeft(last, " \t"))]
	return quote.Block(strings.ReplaceAll(text, "\n"+indent, "\n"), 2000, "  ")
}

// listClients shows every client, whether it seems to be here, and where oriel
// is registered in it.
func (a *app) listClients() error {
	m, err := install.Here()
	if err != nil {
		return err
	}
	dir, err := a.workdir()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "CLIENT\tEDITOR\tHERE\tREGISTERED IN")
	for _, c := range install.Clients() {
		here := "-"
		if c.Sign(m) != "" {
			here = "yes"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", c.Name, c.Title, here, registeredIn(c, m, project.Root(dir)))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(a.out, "\nregister with: oriel install CLIENT")
	return nil
}

func registeredIn(c install.Client, m install.Machine, root string) string {
	var places []string
	for _, scope := range c.Scopes() {
		path, err := c.Path(m, root, scope)
		if err != nil {
			continue
		}
		found, err := c.Lookup(path)
		switch {
		case err != nil:
			places = append(places, quote.Text(err.Error(), 300))
		case found != nil && found.Disabled:
			places = append(places, path+" (switched off)")
		case found != nil:
			places = append(places, path)
		}
	}
	if len(places) == 0 {
		return "-"
	}
	return strings.Join(places, ", ")
}
