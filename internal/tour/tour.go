// Package tour shows what an assistant would see: it makes the calls one would
// make on the sample shop, and prints call and answer.
package tour

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"oriel/internal/audit"
	"oriel/internal/browser"
	"oriel/internal/report"
	"oriel/internal/survey"
	"oriel/internal/tool"
)

// Tour is one walk through the shop.
type Tour struct {
	Out    io.Writer
	Caller tool.Caller
	From   tool.Origin
	Shop   string // where the shop itself is served
	// Fixed says that it is the repaired shop; Keep leaves all running at the
	// end, until the context is done.
	Fixed, Keep bool
}

// Walk makes the calls in order.
func (t *Tour) Walk(ctx context.Context) error {
	t.say("a sample shop is served at %s", t.Shop)
	if err := t.call(ctx, "proxy", fmt.Sprintf(`{"action":"start","id":"shop","target_url":%q}`, t.Shop)); err != nil {
		return err
	}
	if err := t.visit(ctx); err != nil {
		return err
	}
	return t.judge(ctx)
}

// visit brings a page before the proxy: Chromium where there is one, else a
// person's own browser.
func (t *Tour) visit(ctx context.Context) error {
	if _, err := browser.Find(os.Getenv); err != nil && os.Getenv(browser.URLEnv) == "" {
		url, err := t.proxyURL(ctx)
		if err != nil {
			return err
		}
		t.say("no Chromium was found on this machine: open %s in a browser of yours", url)
		return t.settled(ctx, time.Hour)
	}
	if err := t.call(ctx, "browser", `{"action":"open","proxy_id":"shop"}`); err != nil {
		return err
	}
	return t.settled(ctx, time.Minute)
}

// settled waits until the page has made its calls: some, and none for a while.
func (t *Tour) settled(ctx context.Context, patience time.Duration) error {
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
		res := t.Caller.Call(ctx, tool.Call{Tool: "proxy", Args: args, From: t.From})
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
func (t *Tour) judge(ctx context.Context) error {
	if err := t.audit(ctx); err != nil {
		return err
	}
	if err := t.call(ctx, "get_errors", `{}`); err != nil {
		return err
	}
	switch {
	case t.Keep:
		url, err := t.proxyURL(ctx)
		if err != nil {
			return err
		}
		t.say("still running for your own browser: %s (Ctrl-C ends it)", url)
		<-ctx.Done()
	case !t.Fixed:
		t.say("next: oriel demo --fixed serves the repaired shop, and the audit says what is fixed; --keep leaves it running")
	}
	return nil
}

// audit runs every audit once. The main one is shown whole, the others as the
// verdict on all, and a report for people is written from the same answers.
func (t *Tour) audit(ctx context.Context) error {
	url, err := t.proxyURL(ctx)
	if err != nil {
		return err
	}
	data, err := survey.Desk{Caller: t.Caller, From: t.From}.Judge(ctx, survey.Behind("shop", t.Shop, url), audit.Names())
	if err != nil {
		return err
	}
	for _, r := range data.Audits {
		if r.Audit == "api" {
			t.show("api_audit", `{"proxy_id":"shop"}`, r.Text(audit.TextOptions{ID: "shop"}))
		}
	}
	t.show("audit", `{"proxy_id":"shop"}`, data.Overall().Text(audit.TextOptions{ID: "shop"}))
	file := filepath.Join(t.From.Dir, "report.html")
	if t.Fixed {
		file = filepath.Join(t.From.Dir, "report-fixed.html")
	}
	var page bytes.Buffer
	if err := report.HTML(&page, []report.Data{data}); err != nil {
		return err
	}
	if err := os.WriteFile(file, page.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	t.say("the same as a picture, for a browser: %s", file)
	return nil
}

func (t *Tour) proxyURL(ctx context.Context) (string, error) {
	res := t.Caller.Call(ctx, tool.Call{Tool: "proxy", Args: json.RawMessage(`{"action":"status","id":"shop","raw":true}`), From: t.From})
	var info struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(res.Data, &info); res.IsError || err != nil {
		return "", errors.New(tool.ErrorMessage(res))
	}
	return info.URL, nil
}

// call makes a call and shows it as an assistant's transcript would.
func (t *Tour) call(ctx context.Context, name, args string) error {
	res := t.Caller.Call(ctx, tool.Call{Tool: name, Args: json.RawMessage(args), From: t.From})
	t.show(name, args, res.Text)
	if res.IsError {
		return errors.New(tool.ErrorMessage(res))
	}
	return nil
}

func (t *Tour) show(name, args, text string) {
	fmt.Fprintf(t.Out, "\n> %s %s\n%s\n", name, args, strings.TrimRight(text, "\n"))
}

func (t *Tour) say(format string, args ...any) {
	fmt.Fprintf(t.Out, "\n# "+format+"\n", args...)
}
