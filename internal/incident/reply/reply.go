// Package reply reads answers of servers: why they say no, and which of them are
// answers to the same question.
package reply

import (
	"encoding/json"
	"net/http"
	"strings"

	"oriel/internal/journal"
	"oriel/internal/lazyre"
)

// Reason is what an API says about its failure.
func Reason(h *journal.HTTP) string {
	if strings.HasPrefix(h.ResponseHead.Get("Content-Type"), "text/plain") {
		return plainReason(h)
	}
	if len(h.ResponseBody.Data) == 0 || len(h.ResponseBody.Data) > 64<<10 || h.ResponseBody.Data[0] != '{' {
		return ""
	}
	var body struct {
		Error, Message, Detail, Title json.RawMessage
	}
	if json.Unmarshal(h.ResponseBody.Data, &body) != nil {
		return ""
	}
	for _, raw := range []json.RawMessage{body.Error, body.Message, body.Detail, body.Title} {
		var text string
		var nested struct{ Message string }
		if json.Unmarshal(raw, &text) == nil && text != "" {
			return text
		}
		if json.Unmarshal(raw, &nested) == nil && nested.Message != "" {
			return nested.Message
		}
	}
	return ""
}

// plainReason is a short answer's only line, unless it merely says the status
// in words.
func plainReason(h *journal.HTTP) string {
	line := strings.TrimSpace(string(h.ResponseBody.Data[:min(len(h.ResponseBody.Data), maxReason+1)]))
	said := strings.ToLower(line)
	if line == "" || len(line) > maxReason || strings.ContainsAny(line, "\r\n") || strings.Contains(said, strings.ToLower(http.StatusText(h.Status))) || said == "404 page not found" {
		return ""
	}
	return line
}

// maxReason is how long a plain answer may be to be taken for a reason.
const maxReason = 160

var idForm = lazyre.New(`/(?:\d+|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|[0-9a-fA-F]{16,}|[0-9A-HJKMNP-TV-Z]{26})(?:/|$)`)

// Template is a path with its ids taken out.
func Template(path string) string {
	for range 4 {
		next := idForm.ReplaceAllStringFunc(path, func(m string) string {
			if strings.HasSuffix(m, "/") {
				return "/{id}/"
			}
			return "/{id}"
		})
		if next == path {
			break
		}
		path = next
	}
	return path
}
