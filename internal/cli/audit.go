package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"oriel/internal/audit"
	"oriel/internal/browser"
	"oriel/internal/engine"
	"oriel/internal/project"
	"oriel/internal/quote"
	"oriel/internal/report"
	"oriel/internal/report/formats"
	"oriel/internal/survey"
	"oriel/internal/tool"
	"oriel/internal/tools"
)

// Exit codes of oriel audit: what was found is told from what went wrong.
const (
	exitBelow = 1
	exitSetup = 2
)

// archived are the audits that a recording has enough for.
var archived = []string{"api"}

// auditing is one run of oriel audit.
type auditing struct {
	*app
	har              []string
	formats, outputs []string
	only             []string
	minScore         int
	quiet            time.Duration
	browser          string
}

func (a *app) audit() *cobra.Command {
	run := &auditing{app: a}
	cmd := &cobra.Command{
		Use:   "audit URL… | --har FILE",
		Short: "Audit pages or a recorded HAR file, for CI: reports, and an exit code",
		Long: `Opens each page in a headless Chromium through a proxy, waits until its calls have settled, and runs all eight audits;
or judges the calls of a HAR file by the same rules, without a browser.

A page's score is the weighted mean of its audits. Exit code: 0 when every page reaches --min-score, 1 when one does not,
2 when there is nothing to judge by.`,
		Example: `  oriel audit http://localhost:3000/ --min-score 80
  oriel audit http://localhost:3000/shop --only api,loading --output report.html
  oriel audit --har recording.har --format github,sarif --output audit.sarif`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, urls []string) error { return run.ended(run.run(cmd.Context(), urls)) },
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return run.ended(err) })
	f := cmd.Flags()
	f.StringSliceVar(&run.har, "har", nil, "judge this HAR file instead of opening pages (- for standard input)")
	f.StringSliceVar(&run.formats, "format", nil, "what to write: "+strings.Join(formats.Names(), ", ")+" (default text)")
	f.StringSliceVar(&run.outputs, "output", nil, "write to this file the format that its name asks for; the other format goes to standard output")
	f.StringSliceVar(&run.only, "only", nil, "audits to run: "+strings.Join(audit.Names(), ", ")+" (default all; of a recording only api)")
	f.IntVar(&run.minScore, "min-score", 0, "exit 1 when a page scores below this")
	f.DurationVar(&run.quiet, "wait", 1500*time.Millisecond, "how long a page must have made no call before it is judged")
	f.StringVar(&run.browser, "browser", "", "the Chromium to use (default: the one that is found)")
	return cmd
}

// ended turns every failure into the exit code of its kind.
func (a *auditing) ended(err error) error {
	if _, coded := errors.AsType[exitError](err); coded || err == nil {
		return err
	}
	fmt.Fprintln(a.err, "oriel audit:", err)
	return exitError(exitSetup)
}

func (a *auditing) run(ctx context.Context, urls []string) error {
	if err := a.check(urls); err != nil {
		return err
	}
	outputs, err := formats.Plan(a.formats, a.outputs)
	if err != nil {
		return err
	}
	var all []report.Data
	if len(a.har) > 0 {
		all, err = a.archives(ctx)
	} else {
		all, err = a.pages(ctx, urls)
	}
	if err != nil {
		return err
	}
	for _, o := range outputs {
		if err := o.Write(a.out, all, formats.Options{Version: version, MinScore: a.minScore}); err != nil {
			return err
		}
	}
	return a.hold(all)
}

// hold says which pages are below the bar, and what to look at first there.
func (a *auditing) hold(all []report.Data) error {
	failed := false
	for _, d := range all {
		if d.Score() >= a.minScore {
			continue
		}
		failed = true
		line := fmt.Sprintf("oriel audit: score %d is below %d", d.Score(), a.minScore)
		if len(all) > 1 {
			line += ": " + quote.Text(d.Page, 200)
		}
		var low []string
		for _, r := range d.Overall().Audits {
			if _, alone := d.Alone(); !alone && !r.Empty() && r.Score < a.minScore {
				low = append(low, fmt.Sprintf("%s %d", r.Audit, r.Score))
			}
		}
		if len(low) > 0 {
			line += " (" + strings.Join(low, ", ") + ")"
		}
		fmt.Fprintln(a.err, line)
	}
	if failed {
		return exitError(exitBelow)
	}
	return nil
}

func (a *auditing) check(urls []string) error {
	switch {
	case len(urls) == 0 && len(a.har) == 0:
		return errors.New("nothing to audit: name the address of a page, or a recording with --har FILE")
	case len(urls) > 0 && len(a.har) > 0:
		return errors.New("either addresses or --har, not both")
	case a.minScore < 0 || a.minScore > 100:
		return fmt.Errorf("--min-score %d: a score is 0 to 100", a.minScore)
	case a.quiet <= 0 || a.quiet > survey.MaxQuiet:
		return fmt.Errorf("--wait %s: more than 0 and at most %s", a.quiet, survey.MaxQuiet)
	}
	valid := audit.Names()
	if len(a.har) > 0 {
		valid = slices.Clone(archived)
	}
	if a.only == nil {
		a.only = slices.Clone(valid)
	}
	if len(a.only) == 0 {
		return fmt.Errorf("--only names no audit (valid: %s)", strings.Join(valid, ", "))
	}
	for _, name := range a.only {
		if !slices.Contains(valid, name) {
			return fmt.Errorf("--only: unknown audit %q (valid: %s)", name, strings.Join(valid, ", "))
		}
	}
	a.only = slices.DeleteFunc(valid, func(name string) bool { return !slices.Contains(a.only, name) })
	return nil
}

func (a *auditing) archives(ctx context.Context) ([]report.Data, error) {
	dir, err := a.workdir()
	if err != nil {
		return nil, err
	}
	// This process lives for one answer: collecting garbage less often makes
	// that come a sixth sooner.
	debug.SetGCPercent(400)
	var all []report.Data
	for _, file := range a.har {
		some, err := a.archive(ctx, file, project.Root(dir))
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

func (a *auditing) archive(ctx context.Context, file, root string) ([]report.Data, error) {
	var r io.Reader = a.in
	name := "standard input"
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("read HAR: %w", err)
		}
		defer f.Close()
		r, name = f, filepath.Base(file)
	}
	return survey.Archive(ctx, name, r, root)
}

// pages audits each address in a browser and an engine of this run alone:
// nothing that is remembered from elsewhere, nothing left behind.
func (a *auditing) pages(ctx context.Context, urls []string) ([]report.Data, error) {
	dir, err := a.workdir()
	if err != nil {
		return nil, err
	}
	state, err := os.MkdirTemp("", "oriel-audit-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for this run: %w", err)
	}
	defer os.RemoveAll(state)
	e, err := engine.New(engine.Options{State: state, Linger: a.linger()})
	if err != nil {
		return nil, err
	}
	defer e.Close(context.WithoutCancel(ctx))
	b, err := a.openBrowser(ctx, filepath.Join(state, "profiles"))
	if err != nil {
		return nil, err
	}
	defer b.Close(context.WithoutCancel(ctx))
	desk := survey.Desk{Caller: tools.Caller(e), From: tool.Origin{Dir: dir, Env: os.Environ()}}
	var all []report.Data
	for i, address := range urls {
		a.showProgress(tool.Progress{Message: "opening " + address})
		d, err := a.page(tool.WithProgress(ctx, a.showProgress), b, desk, fmt.Sprintf("audit-%d", i+1), address)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// openBrowser starts a Chromium, or joins the one that the environment names.
func (a *auditing) openBrowser(ctx context.Context, dir string) (*browser.Browser, error) {
	o := browser.Options{Path: a.browser, Headless: true, Dir: dir, Env: os.Environ()}
	if endpoint := os.Getenv(browser.URLEnv); endpoint != "" && a.browser == "" {
		return browser.Attach(ctx, endpoint, o)
	}
	return browser.Launch(ctx, o)
}

func (a *auditing) page(ctx context.Context, b *browser.Browser, desk survey.Desk, id, address string) (report.Data, error) {
	t, err := desk.Front(ctx, id, address)
	if err != nil {
		return report.Data{}, err
	}
	tab, err := b.Open(ctx, t.Through, browser.Look{})
	if err != nil {
		return report.Data{}, err
	}
	defer tab.Close(context.WithoutCancel(ctx))
	if err := answered(ctx, tab, address); err != nil {
		return report.Data{}, err
	}
	return desk.Audit(ctx, t, a.only, a.quiet)
}

// answered fails when the server did not give a page. That would be no API
// calls and the best of scores.
func answered(ctx context.Context, tab *browser.Tab, address string) error {
	value, err := tab.Eval(ctx, `(performance.getEntriesByType("navigation")[0] || {}).responseStatus || 0`)
	if err != nil {
		return fmt.Errorf("look at %s: %w", address, err)
	}
	var status int
	if err := json.Unmarshal(value, &status); err != nil {
		return fmt.Errorf("look at %s: %w", address, err)
	}
	switch {
	case status == http.StatusBadGateway:
		return fmt.Errorf("%s does not answer (502): is its server running?", address)
	case status >= 400:
		return fmt.Errorf("%s answered %d: there is no page to audit", address, status)
	}
	return nil
}
