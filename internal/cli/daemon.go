package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"oriel/internal/config"
	"oriel/internal/daemon"
	"oriel/internal/engine"
	"oriel/internal/process"
	"oriel/internal/tools"
)

func (a *app) daemon() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: "The background process that keeps dev servers and proxies alive across editor restarts",
		Args:  cobra.NoArgs, // a sub-command that does not exist is a mistake
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	sub := func(use, short string, run func(context.Context) error) *cobra.Command {
		return &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
			return run(cmd.Context())
		}}
	}
	serve := sub("serve", "Be the daemon, in the foreground", a.daemonServe)
	serve.Hidden = true
	cmd.AddCommand(
		sub("start", "Start it, if it is not running", a.daemonStart),
		sub("stop", "End it, and everything it started", a.daemonStop),
		sub("status", "Say whether it runs and what it keeps", a.daemonStatus),
		sub("logs", "Print its log", a.daemonLogs),
		serve,
	)
	return cmd
}

// linger is how long an unused project, and then an idle daemon, is kept.
func (a *app) linger() time.Duration {
	text := os.Getenv("ORIEL_LINGER")
	if text == "" {
		return config.DefaultLinger
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		a.logLine(fmt.Sprintf("ORIEL_LINGER: expected a duration such as 10m, got %q; %s holds", text, config.DefaultLinger))
		return config.DefaultLinger
	}
	return d
}

func (a *app) daemonServe(ctx context.Context) error {
	home := daemon.DefaultHome()
	log := func(line string) { fmt.Fprintf(a.out, "%s %s\n", time.Now().Format(time.RFC3339), line) }
	var e *engine.Engine
	release, err := daemon.Lock(ctx, home)
	if errors.Is(err, daemon.ErrRunning) {
		return nil // somebody else was faster; the clients will find it
	}
	if err != nil {
		return err
	}
	defer release()
	// Only the holder of the lock may judge what a predecessor left behind.
	e, err = engine.New(engine.Options{State: home.State(), Linger: a.linger(), Log: log})
	if err != nil {
		return err
	}
	log(fmt.Sprintf("%s started, pid %d", versionLine(), os.Getpid()))
	load := func() daemon.Load { return daemon.Load(e.Load()) }
	err = daemon.Serve(ctx, daemon.Options{Home: home, Build: build(), Caller: tools.Caller(e), Load: load, IdleFor: a.linger()})
	log("ending")
	e.Close(context.Background())
	log("ended")
	return err
}

func (a *app) client() *daemon.Client {
	home := daemon.DefaultHome()
	// The daemon outlives whoever starts it, also a process that Oriel runs.
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, process.MarkerEnv+"=") })
	spawn := func() (<-chan error, error) { return daemon.SpawnSelf(home, env, "daemon", "serve") }
	return &daemon.Client{Home: home, Build: build(), Spawn: spawn}
}

func (a *app) daemonStart(ctx context.Context) error {
	c := a.client()
	if err := c.Start(ctx); err != nil {
		return err
	}
	if st, err := c.Status(ctx); err == nil && st.Build != build() {
		return fmt.Errorf("another version is running: %s, pid %d, keeping %s; `oriel daemon stop` ends it and them", st.Build, st.PID, st.Load)
	}
	return a.daemonStatus(ctx)
}

func (a *app) daemonStop(ctx context.Context) error {
	err := a.client().Stop(ctx)
	if errors.Is(err, daemon.ErrNotRunning) {
		fmt.Fprintln(a.out, "no oriel daemon is running")
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(a.out, "the oriel daemon has ended, and everything it started")
	return nil
}

func (a *app) daemonStatus(ctx context.Context) error {
	st, err := a.client().Status(ctx)
	if errors.Is(err, daemon.ErrNotRunning) {
		fmt.Fprintln(a.out, "no oriel daemon is running; the first call that needs one starts it")
		return exitError(3)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "oriel daemon %s, pid %d, up %s: %s\n", st.Build, st.PID, time.Since(st.Started).Round(time.Second), st.Load)
	return nil
}

func (a *app) daemonLogs(context.Context) error {
	f, err := os.Open(daemon.DefaultHome().Log())
	if errors.Is(err, os.ErrNotExist) {
		fmt.Fprintln(a.out, "no daemon has run yet")
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the daemon's log: %w", err)
	}
	defer f.Close()
	_, err = io.Copy(a.out, f)
	return err
}
