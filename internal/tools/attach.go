package tools

import (
	"context"

	"oriel/internal/tool"
	"oriel/internal/tools/session"
)

// Attach is the name of the call with which a front end says that an editor is
// there. It stays open as long as the editor does, reports progress once the
// autostart is under way, and is not listed.
const Attach = "attach"

var attachTool = tool.Define(Attach, tool.Doc{}, attach).Hide()

type attachIn struct{}

type attachOut struct{}

func (attachOut) Text() string { return "detached" }

func attach(s session.Session, ctx context.Context, _ attachIn) (attachOut, error) {
	s.Workspace.Attach(ctx, s.From.Env, func() { tool.Report(ctx, tool.Progress{Message: "attached"}) })
	return attachOut{}, nil
}
