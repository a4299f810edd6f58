package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"oriel/internal/daemon"
	"oriel/internal/engine"
	"oriel/internal/mcpserver"
	"oriel/internal/tool"
	"oriel/internal/tools"
)

func (a *app) mcp() *cobra.Command {
	var noDaemon bool
	var listen string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Run the MCP server on stdio; this is what an editor runs",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := a.workdir()
			if err != nil {
				return err
			}
			caller, done, err := a.caller(noDaemon)
			if err != nil {
				return err
			}
			defer done()
			from := tool.Origin{Dir: dir, Env: os.Environ()}
			attached := newAttachment(cmd.Context(), caller, from)
			defer attached.end()
			o := mcpserver.Options{
				Version: version, Instructions: tools.Instructions, Tools: tools.Table().List(),
				Caller: attached, From: from, Attach: attached.hold,
			}
			if listen != "" {
				return a.serveHTTP(cmd.Context(), o, listen)
			}
			return mcpserver.Stdio(cmd.Context(), o, a.in, a.out)
		},
	}
	cmd.Flags().BoolVar(&noDaemon, "no-daemon", false, "keep everything in this process; it ends with the editor")
	cmd.Flags().StringVar(&listen, "http", "", "serve Streamable HTTP on this address, such as 127.0.0.1:7420, instead of stdio")
	return cmd
}

// caller is the choice of the mode: everything behind it is the same.
func (a *app) caller(noDaemon bool) (tool.Caller, func(), error) {
	if !noDaemon {
		return a.client(), func() {}, nil
	}
	home := daemon.DefaultHome()
	if err := home.Prepare(); err != nil {
		return nil, nil, err
	}
	e, err := engine.New(engine.Options{State: home.State(), Linger: a.linger(), Log: a.logLine})
	if err != nil {
		return nil, nil, err
	}
	return tools.Caller(e), func() { e.Close(context.Background()) }, nil
}

func (a *app) logLine(line string) { fmt.Fprintln(a.err, "oriel:", line) }

func (a *app) serveHTTP(ctx context.Context, o mcpserver.Options, listen string) error {
	token := os.Getenv("ORIEL_TOKEN")
	if token == "" {
		token = mcpserver.NewToken()
		fmt.Fprintf(a.err, "oriel: ORIEL_TOKEN is not set; the token of this run is %s\n", token)
	}
	s, err := mcpserver.ListenHTTP(ctx, o, mcpserver.HTTPOptions{Listen: listen, Token: token})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.err, "oriel: serving MCP at %s\n", s.URL())
	return s.Serve(ctx)
}
