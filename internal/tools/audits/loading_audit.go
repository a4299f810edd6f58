package audits

import (
	"context"

	"oriel/internal/tool"
)

// Loading is the tool.
var Loading = tool.Define("loading_audit", tool.Doc{
	Title: "Loading-UX (spinner) audit",
	Text:  "Scores a page's loading indicators: spinner cascades, fragmentation.",
	Hints: tool.Hints{ReadOnly: true},
}, loadingAudit)

type loadingAuditIn struct {
	ProxyID string `json:"proxy_id" alias:"id" required:"true"`
}

func loadingAudit(s Session, ctx context.Context, in loadingAuditIn) (reportOut, error) {
	return one(s, ctx, in.ProxyID, "loading")
}

// one runs one audit.
func one(s Session, ctx context.Context, proxyID, name string) (reportOut, error) {
	v, err := visit(s, proxyID)
	if err != nil {
		return reportOut{}, err
	}
	if err := v.look(ctx); err != nil {
		return reportOut{}, err
	}
	a, err := v.run(ctx, name)
	if err != nil {
		return reportOut{}, err
	}
	return v.tell(a), nil
}
