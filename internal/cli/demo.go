package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"oriel/internal/daemon"
	"oriel/internal/demo"
	"oriel/internal/engine"
	"oriel/internal/tool"
	"oriel/internal/tools"
	"oriel/internal/tour"
)

func (a *app) demo() *cobra.Command {
	var fixed, keep bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show the main job on a built-in sample shop, in a real browser",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := a.demonstrate(cmd.Context(), fixed, keep)
			if errors.Is(err, context.Canceled) && cmd.Context().Err() != nil {
				return nil
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&fixed, "fixed", false, "serve the repaired shop")
	cmd.Flags().BoolVar(&keep, "keep", false, "leave shop and proxy running for your own browser, until Ctrl-C")
	return cmd
}

// demonstrate prepares the shop and an engine of its own, and walks through.
func (a *app) demonstrate(ctx context.Context, fixed, keep bool) error {
	home := daemon.DefaultHome()
	if err := home.Prepare(); err != nil {
		return err
	}
	// One folder for all demonstrations, so that the second one can tell what
	// was repaired since the first.
	root := filepath.Join(home.Dir, "demo")
	if err := os.MkdirAll(root, 0o700); err != nil {
		return fmt.Errorf("make the sample project: %w", err)
	}
	if err := os.WriteFile(filepath.Join(root, ".oriel.kdl"), []byte("// the sample project of oriel demo\n"), 0o600); err != nil {
		return fmt.Errorf("make the sample project: %w", err)
	}
	e, err := engine.New(engine.Options{State: home.State(), Linger: a.linger()})
	if err != nil {
		return err
	}
	defer e.Close(context.WithoutCancel(ctx))
	shop, stop, err := serveShop(fixed)
	if err != nil {
		return err
	}
	defer stop()
	t := tour.Tour{Out: a.out, Caller: tools.Caller(e), From: tool.Origin{Dir: root, Env: os.Environ()}, Shop: shop, Fixed: fixed, Keep: keep}
	return t.Walk(ctx)
}

// serveShop runs the built-in shop on a port of its own.
func serveShop(fixed bool) (url string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("serve the sample shop: %w", err)
	}
	s := &http.Server{Handler: demo.Handler(demo.Options{Fixed: fixed})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Serve(l)
	}()
	return "http://" + l.Addr().String(), func() { s.Close(); <-done }, nil
}
