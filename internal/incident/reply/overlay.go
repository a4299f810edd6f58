package reply

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"oriel/internal/journal"
)

// overlayMark comes before the error in the page with which Vite's server
// answers for a module that it cannot build.
var overlayMark = []byte("const error = {")

// Printed is what such a page says, as the server's own output would say it;
// "" for any other answer.
func Printed(h *journal.HTTP) string {
	at := bytes.Index(h.ResponseBody.Data, overlayMark)
	if at < 0 {
		return ""
	}
	var e struct {
		Message, ID, Frame, Plugin string
		Loc                        struct {
			File         string
			Line, Column int
		}
	}
	if json.NewDecoder(bytes.NewReader(h.ResponseBody.Data[at+len(overlayMark)-1:])).Decode(&e) != nil || e.Message == "" || e.ID == "" {
		return ""
	}
	file := e.ID
	if e.Loc.Line > 0 {
		file = fmt.Sprintf("%s:%d:%d", cmp.Or(e.Loc.File, e.ID), e.Loc.Line, e.Loc.Column)
	}
	return fmt.Sprintf("[vite] Internal server error: %s\n  Plugin: %s\n  File: %s\n%s", e.Message, e.Plugin, file, e.Frame)
}
