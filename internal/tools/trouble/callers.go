package trouble

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"oriel/internal/page"
)

// callersCode asks a page which of its calls went wrong, and who made them.
const callersCode = `JSON.stringify(__devtool_api.getFailedCalls().slice(-60).map((c) => ({ method: c.method, url: c.url, status: c.status ?? 0, stack: c.initiator ?? "" })))`

const (
	callersWithin = 700 * time.Millisecond // a busy page is not waited for: the answer is about its errors
	maxAsked      = 4                      // pages of one proxy
	maxCallers    = 60
	maxStack      = 8 << 10
)

// callKey is what the page and the log both know of a call.
type callKey struct {
	method, path string
	status       int
}

type callMade struct {
	Method string `json:"method"`
	URL    string `json:"url"`
	Status int    `json:"status"`
	Stack  string `json:"stack"`
}

// callers finds the stack of the code that made a failed call, in the pages
// that are open. They are asked once, and only if somebody wants to know.
func callers(s Session) func(ctx context.Context, proxy, method, address string, status int) string {
	known := map[string]map[callKey]string{}
	return func(ctx context.Context, proxy, method, address string, status int) string {
		made, ok := known[proxy]
		if !ok {
			made = askCallers(ctx, s, proxy)
			known[proxy] = made
		}
		u, err := url.Parse(address)
		if err != nil {
			return ""
		}
		return made[callKey{method, u.Path, status}]
	}
}

func askCallers(ctx context.Context, s Session, proxy string) map[callKey]string {
	made := map[callKey]string{}
	p, err := s.Proxy(proxy)
	if err != nil || proxy == "" {
		return made
	}
	ctx, cancel := context.WithTimeout(ctx, callersWithin)
	defer cancel()
	asked := 0
	for _, pg := range p.Hub.Pages() {
		if !pg.Info().Connected || asked == maxAsked {
			continue
		}
		asked++
		for _, c := range failedCalls(ctx, pg) {
			u, err := url.Parse(c.URL)
			if err == nil && len(c.Stack) <= maxStack {
				made[callKey{c.Method, u.Path, c.Status}] = c.Stack
			}
		}
	}
	return made
}

// failedCalls are the page's own words; what is no answer is none.
func failedCalls(ctx context.Context, pg *page.Page) []callMade {
	v, err := pg.Exec(ctx, callersCode, page.ExecOptions{Timeout: callersWithin, Limit: page.MaxExecLimit})
	if err != nil {
		return nil
	}
	var text string
	var calls []callMade
	if json.Unmarshal(v.JSON, &text) != nil || json.Unmarshal([]byte(text), &calls) != nil {
		return nil
	}
	return calls[:min(len(calls), maxCallers)]
}
