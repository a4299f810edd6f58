// Package har writes journal entries as HTTP Archive 1.2, in the form that
// browsers' developer tools import: no null where a list belongs, -1 where a
// time is unknown, absolute URLs.
package har

import "time"

// The parts of an archive. Names are the format's.

// Archive is a whole file.
type Archive struct {
	Log Log `json:"log"`
}

// Log is the archive's one top-level object.
type Log struct {
	Version string  `json:"version"`
	Creator Creator `json:"creator"`
	Pages   []Page  `json:"pages"`
	Entries []Entry `json:"entries"`
	Comment string  `json:"comment,omitempty"`
}

// Creator is the program that wrote the archive.
type Creator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Page is one document that entries refer to.
type Page struct {
	Started time.Time   `json:"startedDateTime"`
	ID      string      `json:"id"`
	Title   string      `json:"title"`
	Timings PageTimings `json:"pageTimings"`
}

// PageTimings are milliseconds from the page's start, -1 when unknown.
type PageTimings struct {
	ContentLoad float64 `json:"onContentLoad"`
	Load        float64 `json:"onLoad"`
}

// Entry is one exchange.
type Entry struct {
	PageRef      string        `json:"pageref,omitempty"`
	Started      time.Time     `json:"startedDateTime"`
	Time         float64       `json:"time"` // ms; the sum of the timings that are known
	Request      Request       `json:"request"`
	Response     Response      `json:"response"`
	Cache        Cache         `json:"cache"`
	Timings      Timings       `json:"timings"`
	Comment      string        `json:"comment,omitempty"`
	ResourceType string        `json:"_resourceType,omitempty"`
	Messages     *[]WebMessage `json:"_webSocketMessages,omitempty"`
}

// WebMessage is a message on a WebSocket. Oriel counts them but keeps none.
type WebMessage struct {
	Type   string  `json:"type"`
	Time   float64 `json:"time"`
	Opcode int     `json:"opcode"`
	Data   string  `json:"data"`
}

// Cache is always empty: the proxy does not see the browser's.
type Cache struct{}

// Request is an exchange's request.
type Request struct {
	Method      string   `json:"method"`
	URL         string   `json:"url"`
	HTTPVersion string   `json:"httpVersion"`
	Cookies     []Cookie `json:"cookies"`
	Headers     []Pair   `json:"headers"`
	QueryString []Pair   `json:"queryString"`
	PostData    *Post    `json:"postData,omitempty"`
	HeadersSize int      `json:"headersSize"`
	BodySize    int64    `json:"bodySize"`
}

// Response is an exchange's response; Status 0 means that none arrived.
type Response struct {
	Status      int      `json:"status"`
	StatusText  string   `json:"statusText"`
	HTTPVersion string   `json:"httpVersion"`
	Cookies     []Cookie `json:"cookies"`
	Headers     []Pair   `json:"headers"`
	Content     Content  `json:"content"`
	RedirectURL string   `json:"redirectURL"`
	HeadersSize int      `json:"headersSize"`
	BodySize    int64    `json:"bodySize"`
	Error       string   `json:"_error,omitempty"`
}

// Pair is a header field or a query parameter.
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Cookie is a cookie's name and its value as stored, that is redacted.
type Cookie struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Post is a request's body.
type Post struct {
	MimeType string `json:"mimeType"`
	Params   []Pair `json:"params"`
	Text     string `json:"text"`
	Encoding string `json:"_encoding,omitempty"`
	Comment  string `json:"comment,omitempty"`
}

// Content is a response's body.
type Content struct {
	Size     int64  `json:"size"`
	MimeType string `json:"mimeType"`
	Text     string `json:"text,omitempty"`
	Encoding string `json:"encoding,omitempty"`
	Comment  string `json:"comment,omitempty"`
}

// Timings are milliseconds, -1 for a phase that does not apply or is unknown.
type Timings struct {
	Blocked float64 `json:"blocked"`
	DNS     float64 `json:"dns"`
	Connect float64 `json:"connect"`
	SSL     float64 `json:"ssl"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
}
