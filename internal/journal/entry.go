// Package journal keeps what happened, in the order in which it happened,
// bounded per kind by count and by bytes. Producers (proxy, page, process)
// append; readers (tools, dashboard) select and follow. Nothing in it calls
// back up.
package journal

import (
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
	Seq   uint64    // position in the journal, assigned by Append; never reused
	Kind  Kind      //
	Time  time.Time // when it began, on the proxy's clock
	Proxy string    // proxy id
	Page  string    // page id, when the fact came from a page or could be tied to one

	HTTP        *HTTP        `json:",omitempty"`
	Error       *PageError   `json:",omitempty"`
	Console     *Console     `json:",omitempty"`
	Navigation  *Navigation  `json:",omitempty"`
	Performance *Performance `json:",omitempty"`
	Screenshot  *Screenshot  `json:",omitempty"`
	WebSocket   *WebSocket   `json:",omitempty"`
	Action      *Action      `json:",omitempty"`
}

// HTTP is one exchange through the proxy. Headers, URL and bodies are already
// redacted when it reaches the journal.
type HTTP struct {
	Method       string
	URL          string // as the browser asked for it: path and query on the proxy
	Status       int    // 0 when no response arrived
	Proto        string
	RequestHead  http.Header
	ResponseHead http.Header
	RequestBody  Body
	ResponseBody Body
	TTFB         time.Duration // until the response's header
	Duration     time.Duration // until the last byte
	Destination  string        // Sec-Fetch-Dest, "" when the client did not say
	Error        string        // why forwarding failed; "" when it did not
	Aborted      bool          // the client went away before the end
	Injected     bool          // the agent's tag was put into this document
}

// Body is what was kept of a message body.
type Body struct {
	Size int64  // bytes on the wire
	Data []byte // at most the body limit, decoded; nil for binary media
	Cut  bool   // Data is shorter than the body
}

// PageError is an uncaught error, a rejection, a failed resource or a policy
// violation seen in a page.
type PageError struct {
	Source  string // "error", "rejection", "resource", "csp"
	Message string
	Stack   string
	URL     string // script or resource
	Line    int
	Column  int
	Count   int // how many identical ones were folded into this one; at least 1
}

// Console is one console call.
type Console struct {
	Level string // log, info, warn, error, debug, assert …
	Text  string
	Stack string
	Count int
}

// Navigation is a document load or a same-document route change.
type Navigation struct {
	Type string // "load", "push", "replace", "pop", "hash", "unload"
	From string
	To   string
}

// Performance is one measured value, such as a Web Vital.
type Performance struct {
	Name   string // TTFB, FCP, LCP, CLS, INP, load, dcl …
	Value  float64
	Rating string
	Target string // the element it is about, when known
}

// Screenshot says where an image was written.
type Screenshot struct {
	Name          string
	Path          string
	Width, Height int
}

// WebSocket is one connection through the proxy.
type WebSocket struct {
	URL      string
	Protocol string
	Sent     int64 // bytes client → target
	Received int64 // bytes target → client
	Duration time.Duration
	Closed   bool // false: the entry tells of the opening
	Error    string
}

// Action is something a person (or a driver) did in the page.
type Action struct {
	Type   string // click, key, submit, input, popstate
	Target string // a short description of the element
}
