package har

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// source is a script or source map that the archive holds.
type source struct {
	body []byte
	head http.Header
}

// Fetch returns a script or source map as it was recorded. It never goes to
// the network: what the archive does not hold is not to be had.
func (r *Recording) Fetch(_ context.Context, address string) ([]byte, http.Header, error) {
	s, ok := r.sources[withoutFragment(address)]
	if !ok {
		return nil, nil, fmt.Errorf("fetch %s: not in the archive", address)
	}
	return s.body, s.head, nil
}

// Scripts are the addresses of what Fetch returns, in no order.
func (r *Recording) Scripts() []string {
	list := make([]string, 0, len(r.sources))
	for address := range r.sources {
		list = append(list, address)
	}
	return list
}

// keepSource remembers a script's text, while there is room.
func (r *Recording) keepSource(e *wireEntry) {
	raw := e.Response.Content.Text
	if len(raw) < 3 || e.Response.Status != http.StatusOK || r.kept+len(raw) > maxSources {
		return
	}
	t := e.answerType()
	path, _, _ := strings.Cut(e.Request.URL, "?")
	if e.ResourceType != "script" && !strings.Contains(t, "javascript") && !strings.HasSuffix(path, ".map") {
		return
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return
	}
	body := []byte(text)
	if e.Response.Content.Encoding == "base64" {
		decoded, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return
		}
		body = decoded
	}
	head := http.Header{}
	for _, name := range []string{"Content-Type", "SourceMap", "X-SourceMap"} {
		if v := header(e.Response.Headers, name); v != "" {
			head.Set(name, v)
		}
	}
	r.kept += len(body)
	r.sources[withoutFragment(e.Request.URL)] = source{body, head}
}
