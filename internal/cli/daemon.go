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
func linger() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("ORIEL_LINGER")); err == nil && d >= 0 {
		return d
	}
	return config.DefaultLinger
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
	e, err = engine.New(engine.Options{State: home.State(), Linger: linger(), Log: log})
	if err != nil {
		return err
	}
	log(fmt.Sprintf("%s started, pid %d", versionLine(), os.Getpid()))
	load := func() daemon.Load { return daemon.Load(e.Load()) }
	err = daemon.Serve(ctx, daemon.Options{Home: home, Build: build(), Caller: tools.Caller(e), Load: load, IdleFor: linger()})
	log("ending")
	e.Close(context.Background())
	log("ended")
	return err
}

func (a *app) client() *daemon.Client {
	home := daemon.DefaultHome()
	// The daemon outlives whoever starts it, also a process that Oriel runs.
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, process.MarkerEnv+"=") })
	spawn := func() error { return daemon.SpawnSelf(home, env, "daemon", "serve") }
	return &daemon.Client{Home: home, Build: build(), Spawn: spawn}
}

func (a *app) daemonStart(ctx context.Context) error {
	c := a.client()
	if err := c.Start(ctx); err != nil {
		return err
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
