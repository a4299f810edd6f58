// Package survey audits without an assistant: it makes the calls one would
// make, on the same tools, and gathers what a report needs. Archives of calls
// recorded elsewhere are judged by the same detectors.
package survey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"oriel/internal/audit"
	"oriel/internal/quote"
	"oriel/internal/report"
	"oriel/internal/tool"
)

// Desk is where calls are made from.
type Desk struct {
	Caller tool.Caller
	From   tool.Origin
}

// Target is a page to be audited and the proxy it is reached through.
type Target struct {
	Proxy string // the proxy's id
	// Page is the address as it was asked for, Through the same by way of the
	// proxy.
	Page, Through string

	origin, proxied string
}

// MaxQuiet is the longest that Settle waits for silence.
const MaxQuiet = 20 * time.Second

// arrival is how long a page may take to appear behind its proxy.
const arrival = time.Minute

// Front starts a proxy before the origin of address.
func (d Desk) Front(ctx context.Context, id, address string) (Target, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return Target{}, fmt.Errorf("%s is no address of a page: it must begin with http:// or https://", quote.Quoted(address, 200))
	}
	origin := u.Scheme + "://" + u.Host
	var info struct {
		URL string `json:"url"`
	}
	args := startArgs{Action: "start", ID: id, Target: origin, Raw: true}
	if err := d.ask(ctx, "proxy", args, &info); err != nil {
		return Target{}, err
	}
	proxied := strings.TrimSuffix(info.URL, "/")
	rest := *u
	rest.Scheme, rest.Host, rest.User = "", "", nil
	path := rest.String()
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return Target{Proxy: id, Page: address, Through: proxied + path, origin: origin, proxied: proxied}, nil
}

// Behind is a target whose proxy runs already: through is the address of the
// proxy, origin that of the server behind it, and its page is the first one.
func Behind(id, origin, through string) Target {
	return Target{Proxy: id, Page: origin + "/", Through: through + "/", origin: origin, proxied: through}
}

type startArgs struct {
	Action string `json:"action"`
	ID     string `json:"id"`
	Target string `json:"target_url"`
	Raw    bool   `json:"raw"`
}

type execArgs struct {
	Action string `json:"action"`
	ID     string `json:"id"`
	Code   string `json:"code"`
	Raw    bool   `json:"raw"`
}

type auditArgs struct {
	ID    string `json:"proxy_id"`
	Name  string `json:"name,omitempty"`
	Image bool   `json:"image,omitempty"`
	Raw   bool   `json:"raw"`
}

// calm is what the page says when it has come to rest, or has not.
type calm struct {
	Total, InFlight, Status int
	Restless                bool
	URL, Title              string
}

// quietCode waits until no call was made or under way for %d ms, at most %d ms
// long, and says what page this is.
const quietCode = `new Promise((done) => {
  const begun = performance.now();
  let last = -1, since = begun;
  const look = () => {
    const s = window.__devtool_api.getStats(), now = performance.now();
    if (s.total !== last || s.inFlight > 0 || document.readyState !== "complete") { last = s.total; since = now; }
    const restless = now - begun > %[2]d;
    if (now - since < %[1]d && !restless) { setTimeout(look, 50); return; }
    const nav = performance.getEntriesByType("navigation")[0];
    done({ Total: s.total, InFlight: s.inFlight, Restless: now - since < %[1]d, Status: (nav && nav.responseStatus) || 0, URL: location.href, Title: document.title });
  };
  look();
})`

// Audit waits until the page of a target has made its calls and been quiet for
// a while, and runs the named audits. A page that never comes to rest is judged
// as it is after some time, and that is noted.
func (d Desk) Audit(ctx context.Context, t Target, names []string, quiet time.Duration) (report.Data, error) {
	rest, err := d.settle(ctx, t, quiet)
	if err != nil {
		return report.Data{}, err
	}
	if rest.Status >= 400 {
		return report.Data{}, fmt.Errorf("%s answered %d: there is no page to audit", t.Page, rest.Status)
	}
	out, err := d.Judge(ctx, t, names)
	if err != nil {
		return report.Data{}, err
	}
	out.Title = rest.Title
	if now := t.direct(rest.URL); !samePage(now, t.Page) {
		out.Notes = append(out.Notes, "the page went on to "+quote.Quoted(now, 200))
	}
	switch {
	case rest.Restless && rest.InFlight > 0:
		out.Notes = append(out.Notes, fmt.Sprintf("judged after %s with %d calls still under way", MaxQuiet, rest.InFlight))
	case rest.Restless:
		out.Notes = append(out.Notes, fmt.Sprintf("judged after %s, the page was still making calls", MaxQuiet))
	}
	return out, nil
}

// Judge runs the named audits on a target's page as it is now. One that fails
// is told among the rest; when all do, there is nothing to tell.
func (d Desk) Judge(ctx context.Context, t Target, names []string) (report.Data, error) {
	out := report.Data{Page: t.Page}
	var failed []error
	for i, name := range names {
		tool.Report(ctx, tool.Progress{Done: float64(i), Total: float64(len(names)), Message: name + " of " + t.Page})
		judged, calls, err := d.judge(ctx, t, name)
		if ctx.Err() != nil {
			return report.Data{}, ctx.Err()
		}
		if err != nil {
			failed = append(failed, err)
			out.Failed = append(out.Failed, audit.Unmeasured{Audit: name, Why: quote.Text(err.Error(), 300)})
			continue
		}
		out.Audits = append(out.Audits, judged)
		out.Calls = append(out.Calls, calls...)
	}
	if len(out.Audits) == 0 {
		return report.Data{}, fmt.Errorf("audit %s: %w", t.Page, errors.Join(failed...))
	}
	return out, nil
}

// judge runs one audit. That of the calls brings them along.
func (d Desk) judge(ctx context.Context, t Target, name string) (audit.Report, []report.Call, error) {
	var judged struct {
		audit.Report
		Timeline []report.Call `json:"timeline"`
	}
	var err error
	if name == "api" {
		err = d.ask(ctx, "api_audit", auditArgs{ID: t.Proxy, Image: true, Raw: true}, &judged)
	} else {
		err = d.ask(ctx, "audit", auditArgs{ID: t.Proxy, Name: name, Raw: true}, &judged)
	}
	for i := range judged.Timeline {
		judged.Timeline[i].URL = t.direct(judged.Timeline[i].URL)
	}
	return judged.Report, judged.Timeline, err
}

func (d Desk) settle(ctx context.Context, t Target, quiet time.Duration) (calm, error) {
	code := fmt.Sprintf(quietCode, quiet.Milliseconds(), MaxQuiet.Milliseconds())
	var answer struct {
		Value calm `json:"value"`
	}
	for deadline := time.Now().Add(arrival); ; {
		err := d.ask(ctx, "proxy", execArgs{Action: "exec", ID: t.Proxy, Code: code, Raw: true}, &answer)
		if err == nil {
			return answer.Value, nil
		}
		if ctx.Err() != nil {
			return calm{}, ctx.Err()
		}
		if time.Now().After(deadline) {
			return calm{}, fmt.Errorf("%s did not come up behind its proxy: %w", t.Page, err)
		}
		select {
		case <-ctx.Done():
			return calm{}, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// direct is an address as it is without the proxy.
func (t Target) direct(address string) string {
	if rest, ok := strings.CutPrefix(address, t.proxied); ok && (rest == "" || rest[0] == '/' || rest[0] == '?' || rest[0] == '#') {
		return t.origin + rest
	}
	return address
}

// samePage compares without fragments and the slash of an empty path.
func samePage(a, b string) bool {
	plain := func(s string) string {
		s, _, _ = strings.Cut(s, "#")
		return strings.TrimSuffix(s, "/")
	}
	return plain(a) == plain(b)
}

// ask calls a tool for its raw answer.
func (d Desk) ask(ctx context.Context, name string, args, into any) error {
	data, err := json.Marshal(args)
	if err != nil {
		return fmt.Errorf("call %s: %w", name, err)
	}
	res := d.Caller.Call(ctx, tool.Call{Tool: name, Args: data, From: d.From})
	if res.IsError {
		return errors.New(tool.ErrorMessage(res))
	}
	if err := json.Unmarshal(res.Data, into); err != nil {
		return fmt.Errorf("read the answer of %s: %w", name, err)
	}
	return nil
}
