// Package journal keeps what happened, in the order in which it happened,
// bounded per kind by count and by bytes. Producers (proxy, page, process)
// append; readers (tools, dashboard) select and follow. Nothing in it calls
// back up.
package journal

import (
	"encoding/json"
	"net/http"
	"time"
)

// Kind says what an Entry is about; exactly one of its typed parts is set.
type Kind string

// The kinds of entries, as proxylog names them.
const (
	KindHTTP        Kind = "http"
	KindError       Kind = "error"
	KindConsole     Kind = "console"
	KindNavigation  Kind = "navigation"
	KindPerformance Kind = "performance"
	KindScreenshot  Kind = "screenshot"
	KindWebSocket   Kind = "websocket"
	KindAction      Kind = "action"
)

// Entry is one fact. It is immutable once appended.
type Entry struct {
	Seq   uint64    `json:"seq"`            // position in the journal, assigned by Append; never reused
	Kind  Kind      `json:"kind"`           //
	Time  time.Time `json:"time"`           // when it began, on the proxy's clock
	Proxy string    `json:"proxy"`          // proxy id
	Page  string    `json:"page,omitempty"` // page id, when the fact came from a page or could be tied to one

	HTTP        *HTTP        `json:"http,omitempty"`
	Error       *PageError   `json:"error,omitempty"`
	Console     *Console     `json:"console,omitempty"`
	Navigation  *Navigation  `json:"navigation,omitempty"`
	Performance *Performance `json:"performance,omitempty"`
	Screenshot  *Screenshot  `json:"screenshot,omitempty"`
	WebSocket   *WebSocket   `json:"websocket,omitempty"`
	Action      *Action      `json:"action,omitempty"`
}

// HTTP is one exchange through the proxy. Headers, URL and bodies are already
// redacted when it reaches the journal.
type HTTP struct {
	Method       string        `json:"method"`
	URL          string        `json:"url"`    // as the browser asked for it: path and query on the proxy
	Status       int           `json:"status"` // 0 when no response arrived
	Proto        string        `json:"proto"`
	RequestHead  http.Header   `json:"requestHead,omitempty"`
	ResponseHead http.Header   `json:"responseHead,omitempty"`
	RequestBody  Body          `json:"requestBody"`
	ResponseBody Body          `json:"responseBody"`
	TTFB         time.Duration `json:"ttfbNs"`                // until the response's header
	Duration     time.Duration `json:"durationNs"`            // until the last byte
	Destination  string        `json:"destination,omitempty"` // Sec-Fetch-Dest, "" when the client did not say
	Error        string        `json:"error,omitempty"`       // why forwarding failed; "" when it did not
	Aborted      bool          `json:"aborted,omitempty"`     // the client went away before the end
	Injected     bool          `json:"injected,omitempty"`    // the agent's tag was put into this document
}

// Body is what was kept of a message body.
type Body struct {
	Size int64  `json:"size"`          // bytes on the wire
	Data []byte `json:"-"`             // at most the body limit, decoded; nil for binary media
	Cut  bool   `json:"cut,omitempty"` // Data is shorter than the body
}

// MarshalJSON writes what was kept as text: only media that are text are kept.
func (b Body) MarshalJSON() ([]byte, error) {
	type plain Body
	return json.Marshal(struct {
		plain
		Text string `json:"text,omitempty"`
	}{plain(b), string(b.Data)})
}

// PageError is an uncaught error, a rejection, a failed resource or a policy
// violation seen in a page.
type PageError struct {
	Source  string `json:"source"` // "error", "rejection", "resource", "csp"
	Message string `json:"message"`
	Stack   string `json:"stack,omitempty"`
	URL     string `json:"url"` // script or resource
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Count   int    `json:"count"` // how many identical ones were folded into this one; at least 1
}

// Console is one console call.
type Console struct {
	Level string `json:"level"` // log, info, warn, error, debug, assert …
	Text  string `json:"text"`
	Stack string `json:"stack,omitempty"`
	Count int    `json:"count"`
}

// Navigation is a document load or a same-document route change.
type Navigation struct {
	Type string `json:"type"` // "load", "push", "replace", "pop", "hash", "unload"
	From string `json:"from,omitempty"`
	To   string `json:"to"`
}

// Performance is one measured value, such as a Web Vital.
type Performance struct {
	Name   string  `json:"name"` // TTFB, FCP, LCP, CLS, INP, load, dcl …
	Value  float64 `json:"value"`
	Rating string  `json:"rating,omitempty"`
	Target string  `json:"target,omitempty"` // the element it is about, when known
}

// Screenshot says where an image was written.
type Screenshot struct {
	Name   string  `json:"name,omitempty"`
	Path   string  `json:"path"`
	Width  int     `json:"width"` // in pixels
	Height int     `json:"height"`
	Bytes  int     `json:"bytes"`
	Scale  float64 `json:"scale,omitempty"` // pixels per CSS pixel
	Mode   string  `json:"mode"`            // "exact": what the browser drew; "approximate": drawn again from the page's elements
}

// WebSocket is one connection through the proxy.
type WebSocket struct {
	URL      string        `json:"url"`
	Protocol string        `json:"protocol,omitempty"`
	Sent     int64         `json:"sent"`     // bytes client → target
	Received int64         `json:"received"` // bytes target → client
	Duration time.Duration `json:"durationNs"`
	Closed   bool          `json:"closed"` // false: the entry tells of the opening
	Error    string        `json:"error,omitempty"`
}

// Action is something a person (or a driver) did in the page.
type Action struct {
	Type   string `json:"type"`             // click, key, submit, input, popstate
	Target string `json:"target,omitempty"` // a short description of the element
}
