// Package audits is the tools that judge a page: api_audit.
package audits

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"oriel/internal/audit"
	"oriel/internal/page"
	"oriel/internal/report"
	"oriel/internal/sourcemap"
	"oriel/internal/tool"
	"oriel/internal/tools/session"
)

// Session is what the handlers here work on.
type Session = session.Session

// API is the tool.
var API = tool.Define("api_audit", tool.Doc{
	Title: "API-efficiency audit",
	Text:  "Scores how a proxied page uses fetch/XHR: serial waterfalls, N+1 fan-out, duplicate requests, chatty loads, with the source lines to change. Reads the calls since the page was loaded, so load the page and exercise the flow first.",
	Hints: tool.Hints{ReadOnly: true},
}, apiAudit)

type apiAuditIn struct {
	ProxyID string `json:"proxy_id" alias:"id" required:"true" doc:"proxy to audit"`
	Image   bool   `json:"image" doc:"also a chart"`
}

type reportOut struct {
	audit.Report
	// Timeline is what the chart shows; only there when it was asked for.
	Timeline []report.Call `json:"timeline,omitempty"`
	proxy    string
	chart    *tool.Image
}

// Image is the calls on a time axis, with the findings marked.
func (o reportOut) Image() *tool.Image { return o.chart }

// Text is the compact form of the report.
func (o reportOut) Text() string { return o.Report.Text(audit.TextOptions{Proxy: o.proxy}) }

func apiAudit(s Session, ctx context.Context, in apiAuditIn) (reportOut, error) {
	return runAudit(s, ctx, in, "auditApi", errors.New("audit-api module not loaded"))
}

// auditCode runs one audit of the lazily loaded bundle. What it needs to find
// the calls in the log comes along.
const auditCode = `
const tool = window.__devtool;
if (!tool || !window.__devtool_api) return { missing: true };
try { await tool.load("audits") } catch { return { missing: true } }
const report = await tool.%s();
const calls = window.__devtool_api.getCalls().map((c) => ({ id: c.id, method: c.method, url: c.url, timestamp: c.timestamp, start: c.start, end: c.end, status: c.status, error: c.error, aborted: c.aborted }));
return { report: JSON.stringify(report), calls: JSON.stringify(calls), url: location.href };`

// answer is what auditCode returns. The parts are strings, so that no bound of
// exec on depth or width cuts them.
type answer struct {
	Missing bool   `json:"missing"`
	Report  string `json:"report"`
	Calls   string `json:"calls"`
	URL     string `json:"url"`
}

func runAudit(s Session, ctx context.Context, in apiAuditIn, helper string, notLoaded error) (reportOut, error) {
	proxyID := in.ProxyID
	p, err := s.Proxy(proxyID)
	if err != nil {
		return reportOut{}, err
	}
	pg, err := p.Hub.Pick("")
	if errors.Is(err, page.ErrNone) {
		return reportOut{}, fmt.Errorf("no page is open on proxy %s: open %s in a browser, then re-run", proxyID, p.URL())
	}
	if err != nil {
		return reportOut{}, err
	}
	a, err := ask(ctx, pg, fmt.Sprintf(auditCode, helper), notLoaded)
	if err != nil {
		return reportOut{}, err
	}
	judged, err := audit.Parse([]byte(a.Report))
	if err != nil {
		return reportOut{}, err
	}
	locate(ctx, s.Sources(p), &judged)
	calls := readCalls([]byte(a.Calls))
	link(&judged, calls, s.Journal, p)
	s.Compare(p, pg.Info().URL, &judged)
	out := reportOut{Report: judged}
	if len(s.Proxies()) > 1 {
		out.proxy = proxyID
	}
	if in.Image {
		err = out.draw(calls, a.URL)
	}
	return out, err
}

// draw adds the chart and what it shows.
func (o *reportOut) draw(calls []call, page string) error {
	o.Timeline = timeline(calls)
	data, err := report.PNG(report.Data{Report: o.Report, Calls: o.Timeline, Page: page})
	if err != nil {
		return err
	}
	o.chart = &tool.Image{MIME: "image/png", Data: data}
	return nil
}

// ask runs the audit in the page.
func ask(ctx context.Context, pg *page.Page, code string, notLoaded error) (answer, error) {
	var a answer
	v, err := pg.Exec(ctx, code, page.ExecOptions{Limit: page.MaxExecLimit})
	if failure, ok := errors.AsType[*page.ExecError](err); ok {
		if failure.Why == page.WhyBlocked || strings.Contains(failure.Message, "could not be loaded") {
			return a, notLoaded
		}
		return a, fmt.Errorf("the audit failed in the page: %s", failure.Error())
	}
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(v.JSON, &a); err != nil {
		return a, fmt.Errorf("read the page's report: %w", err)
	}
	if a.Missing {
		return a, notLoaded
	}
	return a, nil
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
