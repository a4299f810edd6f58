package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"oriel/internal/audit"
	"oriel/internal/browser"
	"oriel/internal/daemon"
	"oriel/internal/demo"
	"oriel/internal/engine"
	"oriel/internal/report"
	"oriel/internal/survey"
	"oriel/internal/tool"
	"oriel/internal/tools"
)

func (a *app) demo() *cobra.Command {
	var fixed, keep bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show the main job on a built-in sample shop, in a real browser",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &demonstration{app: a, keep: keep, fixed: fixed}
			err := d.run(cmd.Context())
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

// demonstration plays an assistant: it makes the calls an assistant would
// make, and shows call and answer.
type demonstration struct {
	*app
	keep, fixed bool

	caller tool.Caller
	from   tool.Origin
	shop   string // where the shop itself is served
}

func (d *demonstration) run(ctx context.Context) error {
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
	e, err := engine.New(engine.Options{State: home.State(), Linger: d.linger()})
	if err != nil {
		return err
	}
	defer e.Close(context.WithoutCancel(ctx))
	d.caller, d.from = tools.Caller(e), tool.Origin{Dir: root, Env: os.Environ()}

	shop, stop, err := serveShop(d.fixed)
	if err != nil {
		return err
	}
	defer stop()
	d.shop = shop
	d.say("a sample shop is served at %s", shop)
	if err := d.call(ctx, "proxy", fmt.Sprintf(`{"action":"start","id":"shop","target_url":%q}`, shop)); err != nil {
		return err
	}
	if err := d.visit(ctx); err != nil {
		return err
	}
	return d.judge(ctx)
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

// visit brings a page before the proxy: Chromium where there is one, else a
// person's own browser.
func (d *demonstration) visit(ctx context.Context) error {
	if _, err := browser.Find(os.Getenv); err != nil && os.Getenv(browser.URLEnv) == "" {
		url, err := d.proxyURL(ctx)
		if err != nil {
			return err
		}
		d.say("no Chromium was found on this machine: open %s in a browser of yours", url)
		return d.settled(ctx, time.Hour)
	}
	if err := d.call(ctx, "browser", `{"action":"open","proxy_id":"shop"}`); err != nil {
		return err
	}
	return d.settled(ctx, time.Minute)
}

// settled waits until the page has made its calls: some, and none for a while.
func (d *demonstration) settled(ctx context.Context, patience time.Duration) error {
	const quiet = `new Promise((done) => {
  let last = -1, since = performance.now();
  const look = () => {
    const s = window.__devtool_api.getStats();
    if (s.total !== last || s.inFlight > 0) { last = s.total; since = performance.now(); }
    if (last > 0 && performance.now() - since > 1200) done(last); else setTimeout(look, 50);
  };
  look();
})`
	args, err := json.Marshal(map[string]string{"action": "exec", "id": "shop", "code": quiet})
	if err != nil {
		return err
	}
	deadline := time.Now().Add(patience)
	for {
		res := d.caller.Call(ctx, tool.Call{Tool: "proxy", Args: args, From: d.from})
		if !res.IsError {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the sample page made no calls: %s", tool.ErrorMessage(res))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// judge asks what an assistant would ask now.
func (d *demonstration) judge(ctx context.Context) error {
	if err := d.audit(ctx); err != nil {
		return err
	}
	if err := d.call(ctx, "get_errors", `{}`); err != nil {
		return err
	}
	switch {
	case d.keep:
		url, err := d.proxyURL(ctx)
		if err != nil {
			return err
		}
		d.say("still running for your own browser: %s (Ctrl-C ends it)", url)
		<-ctx.Done()
	case !d.fixed:
		d.say("next: oriel demo --fixed serves the repaired shop, and the audit says what is fixed; --keep leaves it running")
	}
	return nil
}

// audit makes the main call once: its text is shown, and a report for people
// is written from the same answer.
func (d *demonstration) audit(ctx context.Context) error {
	url, err := d.proxyURL(ctx)
	if err != nil {
		return err
	}
	fmt.Fprint(d.out, "\n> api_audit {\"proxy_id\":\"shop\"}\n")
	data, err := survey.Desk{Caller: d.caller, From: d.from}.Judge(ctx, survey.Behind("shop", d.shop, url))
	if err != nil {
		return err
	}
	fmt.Fprintln(d.out, strings.TrimRight(data.Report.Text(audit.TextOptions{}), "\n"))
	file := filepath.Join(d.from.Dir, "report.html")
	if d.fixed {
		file = filepath.Join(d.from.Dir, "report-fixed.html")
	}
	var page bytes.Buffer
	if err := report.HTML(&page, []report.Data{data}); err != nil {
		return err
	}
	if err := os.WriteFile(file, page.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	d.say("the same as a picture, for a browser: %s", file)
	return nil
}

func (d *demonstration) proxyURL(ctx context.Context) (string, error) {
	res := d.caller.Call(ctx, tool.Call{Tool: "proxy", Args: json.RawMessage(`{"action":"status","id":"shop","raw":true}`), From: d.from})
	var info struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(res.Data, &info); res.IsError || err != nil {
		return "", errors.New(tool.ErrorMessage(res))
	}
	return info.URL, nil
}

// call makes a call and shows it as an assistant's transcript would.
func (d *demonstration) call(ctx context.Context, name, args string) error {
	fmt.Fprintf(d.out, "\n> %s %s\n", name, args)
	res := d.caller.Call(ctx, tool.Call{Tool: name, Args: json.RawMessage(args), From: d.from})
	fmt.Fprintln(d.out, strings.TrimRight(res.Text, "\n"))
	if res.IsError {
		return errors.New(tool.ErrorMessage(res))
	}
	return nil
}

func (d *demonstration) say(format string, args ...any) {
	fmt.Fprintf(d.out, "\n# "+format+"\n", args...)
}
