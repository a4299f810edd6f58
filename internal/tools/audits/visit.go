// Package audits is the tools that judge a page: api_audit, loading_audit and
// audit, which runs all eight.
package audits

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"oriel/internal/audit"
	"oriel/internal/engine"
	"oriel/internal/page"
	"oriel/internal/quote"
	"oriel/internal/report"
	"oriel/internal/sourcemap"
	"oriel/internal/tool"
	"oriel/internal/tools/session"
)

// Session is what the handlers here work on.
type Session = session.Session

// reportOut is the answer of one audit.
type reportOut struct {
	audit.Report
	// Timeline is what the chart shows; only there when it was asked for.
	Timeline []report.Call `json:"timeline,omitempty"`
	options  audit.TextOptions
	chart    *tool.Image
}

// Image is the calls on a time axis, with the findings marked.
func (o reportOut) Image() *tool.Image { return o.chart }

// Text is the compact form of the report.
func (o reportOut) Text() string { return o.Report.Text(o.options) }

// visited is a page that is being judged.
type visited struct {
	s    Session
	p    *engine.Proxy
	pg   *page.Page
	url  string // as it was when the visit began
	seen string // what the audits are told, as JSON
}

// visit finds the page that is meant: the one in front, behind that proxy.
func visit(s Session, proxyID string) (*visited, error) {
	p, err := s.Proxy(proxyID)
	if err != nil {
		return nil, err
	}
	pg, err := p.Hub.Pick("")
	if errors.Is(err, page.ErrNone) {
		return nil, fmt.Errorf("no page is open on proxy %s: open %s in a browser, then re-run", p.Spec.ID, p.URL())
	}
	if err != nil {
		return nil, err
	}
	return &visited{s: s, p: p, pg: pg, url: pg.Info().URL, seen: "{}"}, nil
}

// look finds out what the proxy saw of the page's document.
func (v *visited) look(ctx context.Context) error {
	value, err := v.pg.Exec(ctx, `(performance.getEntriesByType("navigation")[0] || {}).name || location.href`, page.ExecOptions{})
	if _, ok := errors.AsType[*page.ExecError](err); err != nil && !ok {
		return err
	}
	var document string
	if err == nil && json.Unmarshal(value.JSON, &document) == nil {
		v.seen = input(v.s.Journal, v.p, v.pg.Info().ID, document)
	}
	return nil
}

// auditError is an audit that came to no report, in a page that is still there.
type auditError struct{ error }

func (e auditError) Unwrap() error { return e.error }

// helper is the audit's name under __devtool.
func helper(name string) string { return "audit" + strings.ToUpper(name[:1]) + name[1:] }

// bundle is the one that brings the audit.
func bundle(name string) string {
	if name == "api" {
		return name
	}
	return "audits"
}

// auditCode runs one audit of the lazily loaded bundle. What it needs to find
// the calls in the log comes along.
const auditCode = `
const tool = window.__devtool;
if (!tool || !window.__devtool_api) return { missing: true };
try { await tool.load("%[4]s") } catch { return { missing: true } }
if (typeof tool.%[1]s !== "function") return { missing: true };
const began = performance.now();
const report = await tool.%[1]s(%[2]s);
const ms = performance.now() - began;
const calls = %[3]t ? window.__devtool_api.getCalls().map((c) => ({ id: c.id, method: c.method, url: c.url, timestamp: c.timestamp, start: c.start, end: c.end, status: c.status, error: c.error, aborted: c.aborted })) : [];
return { report: JSON.stringify(report), calls: JSON.stringify(calls), url: location.href, ms };`

// answer is what auditCode returns. The parts are strings, so that no bound of
// exec on depth or width cuts them.
type answer struct {
	Missing bool    `json:"missing"`
	Report  string  `json:"report"`
	Calls   string  `json:"calls"`
	URL     string  `json:"url"`
	Ms      float64 `json:"ms"`
}

// audited is one audit's report, complete but for its comparison with the last.
type audited struct {
	report audit.Report
	calls  []call
	page   string
	ms     float64
}

// run runs one audit in the page. What goes wrong with that audit alone is an
// auditError.
func (v *visited) run(ctx context.Context, name string) (audited, error) {
	a, err := v.ask(ctx, fmt.Sprintf(auditCode, helper(name), v.seen, name == "api", bundle(name)), auditError{fmt.Errorf("audit-%s module not loaded", name)})
	if err != nil {
		return audited{}, err
	}
	r, err := audit.Parse([]byte(a.Report))
	if err == nil && r.Audit != name {
		err = fmt.Errorf("the page answered the %s audit with that of %s", name, r.Audit)
	}
	if err != nil {
		return audited{}, auditError{err}
	}
	locate(ctx, v.s.Sources(v.p), &r)
	trace(v.s.Root, v.p.URL(), &r)
	out := audited{report: r, calls: readCalls([]byte(a.Calls)), page: a.URL, ms: math.Round(min(max(a.Ms, 0), 1e6))}
	link(&out.report, out.calls, v.s.Journal, v.p)
	return out, nil
}

// ask runs code of ours in the page.
func (v *visited) ask(ctx context.Context, code string, notLoaded error) (answer, error) {
	var a answer
	value, err := v.pg.Exec(ctx, code, page.ExecOptions{Limit: page.MaxExecLimit})
	if failure, ok := errors.AsType[*page.ExecError](err); ok {
		if failure.Why == page.WhyBlocked || strings.Contains(failure.Message, "could not be loaded") {
			return a, notLoaded
		}
		return a, auditError{fmt.Errorf("the audit failed in the page: %s", quote.Text(failure.Error(), 500))}
	}
	if errors.Is(err, page.ErrTimeout) {
		return a, auditError{err}
	}
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(value.JSON, &a); err != nil {
		return a, auditError{fmt.Errorf("read the page's report: %w", err)}
	}
	if a.Missing {
		return a, notLoaded
	}
	return a, nil
}

// compare holds the reports against the last audits of this page.
func (v *visited) compare(reports []audit.Report) {
	list := make([]*audit.Report, len(reports))
	for i := range reports {
		list[i] = &reports[i]
	}
	v.s.Compare(v.p, v.url, list...)
}

// tell makes the answer of one audit.
func (v *visited) tell(a audited) reportOut {
	v.s.Compare(v.p, v.url, &a.report)
	return reportOut{Report: a.report, options: v.options()}
}

func (v *visited) options() audit.TextOptions {
	o := audit.TextOptions{ID: v.p.Spec.ID}
	if len(v.s.Proxies()) > 1 {
		o.Proxy = o.ID
	}
	return o
}

// locate names the source line behind each finding.
func locate(ctx context.Context, sources *sourcemap.Resolver, r *audit.Report) {
	r.Locate(func(stacks []string) (audit.Initiator, bool) {
		f, ok := sources.CommonCulprit(ctx, stacks)
		if !ok {
			return audit.Initiator{}, false
		}
		return audit.Initiator{File: f.File, Line: f.Line, Column: f.Column, Function: f.Function, Compiled: !f.Mapped && !f.InProject}, true
	})
}
