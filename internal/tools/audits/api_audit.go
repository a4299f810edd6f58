package audits

import (
	"context"

	"oriel/internal/report"
	"oriel/internal/tool"
)

// API is the tool.
var API = tool.Define("api_audit", tool.Doc{
	Title: "API-efficiency audit",
	Text:  "Scores how a proxied page uses fetch/XHR: serial waterfalls, N+1 fan-out, duplicate requests, chatty loads, with the source lines to change. Load the page and exercise the flow first.",
	Hints: tool.Hints{ReadOnly: true},
}, apiAudit)

type apiAuditIn struct {
	ProxyID string `json:"proxy_id" alias:"id" required:"true"`
	Image   bool   `json:"image" doc:"also a chart"`
}

func apiAudit(s Session, ctx context.Context, in apiAuditIn) (reportOut, error) {
	v, err := visit(s, in.ProxyID)
	if err != nil {
		return reportOut{}, err
	}
	a, err := v.run(ctx, "api")
	if err != nil {
		return reportOut{}, err
	}
	out := v.tell(a)
	if in.Image {
		err = out.draw(a.calls, a.page)
	}
	return out, err
}

// draw adds the chart and what it shows.
func (o *reportOut) draw(calls []call, page string) error {
	o.Timeline = timeline(calls)
	data, err := report.PNG(o.Report, o.Timeline, page)
	if err != nil {
		return err
	}
	o.chart = &tool.Image{MIME: "image/png", Data: data}
	return nil
}
