// Package cli is the command line: one file per sub-command. It picks the mode
// and wires the parts by hand.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

// app is what every sub-command has at hand.
type app struct {
	in       io.Reader
	out, err io.Writer
	dir      string // --dir: the project's folder, instead of the current one
}

// exitError ends the program with a code, its words having been said already.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// Run is the whole program; it returns the exit code.
func Run(args []string, in io.Reader, out, errOut io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ignoreBrokenPipe()
	// The first signal asks, the second one takes Go's default way out.
	context.AfterFunc(ctx, stop)
	a := &app{in: in, out: out, err: errOut}
	cmd := a.root()
	cmd.SetArgs(args)
	cmd.SetIn(in)
	cmd.SetOut(out)
	cmd.SetErr(errOut)
	err := cmd.ExecuteContext(ctx)
	if code, ok := errors.AsType[exitError](err); ok {
		return int(code)
	}
	if err != nil {
		fmt.Fprintln(errOut, "oriel:", err)
		return 1
	}
	return 0
}

func (a *app) root() *cobra.Command {
	cmd := &cobra.Command{
		Use:           "oriel",
		Short:         "Eyes for an AI coding assistant: what the browser really shows, as MCP tools",
		Version:       versionLine(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cmd.SetVersionTemplate("{{.Version}}\n")
	cmd.PersistentFlags().StringVar(&a.dir, "dir", "", "the project's folder (default: the current one)")
	cmd.AddCommand(a.mcp(), a.demo(), a.audit(), a.call(), a.daemon(), a.install(), a.doctor())
	return cmd
}

// workdir is where calls come from.
func (a *app) workdir() (string, error) {
	if a.dir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return "", fmt.Errorf("find the current folder: %w", err)
		}
		return dir, nil
	}
	info, err := os.Stat(a.dir)
	if err != nil {
		return "", fmt.Errorf("--dir: %w", err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("--dir: %s is not a folder", a.dir)
	}
	return absolute(a.dir)
}
