package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"oriel/internal/tool"
	"oriel/internal/tools"
)

func (a *app) call() *cobra.Command {
	var noDaemon, raw bool
	cmd := &cobra.Command{
		Use:   "call TOOL [JSON]",
		Short: "Call a tool from the shell: the same answer as the assistant gets",
		Example: `  oriel call detect
  oriel call run '{"script_name": "dev"}'
  oriel call proc '{"action": "output", "id": "dev", "tail": 20}'`,
		Args: cobra.RangeArgs(0, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.listTools()
			}
			if err := listed(args[0]); err != nil {
				return a.show(tool.Fail(err))
			}
			call, err := a.newCall(args, raw)
			if err != nil {
				return err
			}
			caller, done, err := a.caller(noDaemon)
			if err != nil {
				return err
			}
			defer done()
			ctx := tool.WithProgress(cmd.Context(), a.showProgress)
			return a.show(caller.Call(ctx, call))
		},
	}
	cmd.Flags().BoolVar(&noDaemon, "no-daemon", false, "answer in this process; what the call starts ends with it")
	cmd.Flags().BoolVar(&raw, "raw", false, "print the whole typed result as JSON")
	return cmd
}

// listed refuses what is no tool, and what the assistant cannot call either.
func listed(name string) error {
	var names []string
	for _, t := range tools.Table().List() {
		if t.Name == name {
			return nil
		}
		names = append(names, t.Name)
	}
	return tool.Unknown(name, names)
}

func (a *app) listTools() error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, t := range tools.Table().List() {
		fmt.Fprintf(w, "%s\t%s\n", t.Name, t.Doc.Title)
	}
	return w.Flush()
}

func (a *app) newCall(args []string, raw bool) (tool.Call, error) {
	dir, err := a.workdir()
	if err != nil {
		return tool.Call{}, err
	}
	call := tool.Call{Tool: args[0], From: tool.Origin{Dir: dir, Env: os.Environ()}}
	if len(args) > 1 {
		call.Args = json.RawMessage(args[1])
	}
	if !raw {
		return call, nil
	}
	given := map[string]json.RawMessage{}
	if len(bytes.TrimSpace(call.Args)) > 0 && json.Unmarshal(call.Args, &given) != nil {
		return call, nil // the tool says what is wrong with it
	}
	given["raw"] = json.RawMessage("true")
	call.Args, err = json.Marshal(given)
	return call, err
}

func (a *app) show(res tool.Result) error {
	fmt.Fprintln(a.out, strings.TrimRight(res.Text, "\n"))
	if res.Image != nil {
		fmt.Fprintf(a.out, "(and an image, %s, %d bytes)\n", res.Image.MIME, len(res.Image.Data))
	}
	if res.IsError {
		return exitError(1)
	}
	return nil
}

// showProgress keeps a person company; in a pipe it is silent.
func (a *app) showProgress(p tool.Progress) {
	f, ok := a.err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || p.Message == "" {
		return
	}
	fmt.Fprintf(a.err, "%s\n", p.Message)
}
