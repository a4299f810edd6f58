package engine

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"oriel/internal/audit"
)

// history is what earlier audits found, kept across restarts: an assistant
// that repairs something wants to hear that it is repaired.
type history struct {
	audit.History
	path string
}

func openHistory(state string) *history {
	h := &history{path: filepath.Join(state, "audits.json")}
	if data, err := os.ReadFile(h.path); err == nil {
		// A damaged file costs the comparison, not the audit.
		_ = h.Load(bytes.NewReader(data))
	}
	return h
}

// Compare holds reports on a page against its last audits, and remembers them.
func (w *Workspace) Compare(p *Proxy, page string, reports ...*audit.Report) {
	h := w.engine.history
	for _, r := range reports {
		h.Compare(audit.Key{Project: w.Root, Proxy: p.Spec.ID, Path: audit.PagePath(page), Audit: r.Audit}, r)
	}
	var buf bytes.Buffer
	err := h.Save(&buf)
	if err == nil {
		err = os.WriteFile(h.path, buf.Bytes(), 0o600)
	}
	if err != nil {
		w.engine.opts.Log(fmt.Sprintf("keep the history of audits: %v", err))
	}
}
