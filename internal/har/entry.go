package har

import (
	"encoding/json"
	"hash/fnv"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Call is one fetch or XHR call of a visit. Times are milliseconds since the
// visit began.
type Call struct {
	ID     string
	Kind   string // fetch or xhr
	Method string
	URL    string
	Start  float64
	// End is when the body ended; meaningless unless Done.
	End    float64
	Done   bool
	At     time.Time
	Status int
	Error  string
	// Aborted: the page gave the call up.
	Aborted bool
	// Initiator is the call-time stack as V8 words it; empty when not recorded.
	Initiator string
	// BodyKey tells bodies apart; empty when there was none or it was not kept.
	BodyKey string
}

// Bounds of one entry.
const (
	maxFrames = 40
	maxText   = 4 << 10 // of a URL or a name
	maxTime   = 24 * 60 * 60 * 1000
)

type wireEntry struct {
	PageRef      string      `json:"pageref"`
	Started      stamp       `json:"startedDateTime"`
	Time         millis      `json:"time"`
	ResourceType string      `json:"_resourceType"`
	Initiator    *wireOrigin `json:"_initiator"`
	Comment      string      `json:"comment"`
	Request      struct {
		Method   string     `json:"method"`
		URL      string     `json:"url"`
		Headers  []wirePair `json:"headers"`
		BodySize int64      `json:"bodySize"`
		PostData *struct {
			Text   string     `json:"text"`
			Params []wirePair `json:"params"`
		} `json:"postData"`
	} `json:"request"`
	Response struct {
		Status      int        `json:"status"`
		Headers     []wirePair `json:"headers"`
		RedirectURL string     `json:"redirectURL"`
		Error       string     `json:"_error"`
		Content     struct {
			MimeType string          `json:"mimeType"`
			Text     json.RawMessage `json:"text"`
			Encoding string          `json:"encoding"`
		} `json:"content"`
	} `json:"response"`
}

// millis is a duration; anything but a number is not known.
type millis struct {
	value float64
	known bool
}

func (m *millis) UnmarshalJSON(b []byte) error {
	value, err := strconv.ParseFloat(string(b), 64)
	*m = millis{value, err == nil}
	return nil
}

type wirePair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// wireOrigin is Chrome's note on what made a request.
type wireOrigin struct {
	Type  string     `json:"type"`
	Stack *wireStack `json:"stack"`
}

type wireStack struct {
	Frames []struct {
		Function string `json:"functionName"`
		URL      string `json:"url"`
		Line     int    `json:"lineNumber"` // from 0
		Column   int    `json:"columnNumber"`
	} `json:"callFrames"`
	Parent *wireStack `json:"parent"`
}

// broken says what keeps an entry from being understood; ok: its time is one.
func (e *wireEntry) broken(ok bool) string {
	switch {
	case e.Request.URL == "":
		return "no request.url"
	case e.Started == "":
		return "no startedDateTime"
	case !ok:
		return "startedDateTime " + strconv.Quote(short(string(e.Started), 40)) + " is no ISO 8601 time"
	}
	return ""
}

// own types of requests, as Chrome names them.
var callTypes = []string{"fetch", "xhr"}

// kind is fetch or xhr for a call of the page's scripts, and empty for
// everything else a browser loads.
func (e *wireEntry) kind() string {
	address := strings.ToLower(e.Request.URL[:min(len(e.Request.URL), 8)])
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return ""
	}
	if strings.Contains(e.Request.URL, "/__devtool/") || header(e.Request.Headers, "Upgrade") != "" {
		return ""
	}
	if header(e.Request.Headers, "Access-Control-Request-Method") != "" {
		return "" // the browser's own question
	}
	if given := strings.ToLower(e.ResourceType); given != "" {
		if slices.Contains(callTypes, given) {
			return given
		}
		return ""
	}
	return e.guess()
}

// guess tells calls apart where the archive's writer did not: by what browsers
// send with them, else by what came back.
func (e *wireEntry) guess() string {
	if strings.EqualFold(header(e.Request.Headers, "X-Requested-With"), "XMLHttpRequest") {
		return "xhr"
	}
	answer := e.answerType()
	if answer == "text/event-stream" {
		return ""
	}
	if dest := header(e.Request.Headers, "Sec-Fetch-Dest"); dest != "" {
		if dest == "empty" && header(e.Request.Headers, "Sec-Fetch-Mode") != "navigate" {
			return "fetch"
		}
		return ""
	}
	asked := bare(header(e.Request.Headers, "Content-Type"))
	if isData(answer) || isData(asked) || isData(bare(header(e.Request.Headers, "Accept"))) {
		return "fetch"
	}
	// A script that writes and gets nothing back; a form would get a page.
	if e.Request.Method != "GET" && e.Request.Method != "POST" && answer != "text/html" {
		return "fetch"
	}
	return ""
}

func (e *wireEntry) answerType() string {
	if t := bare(e.Response.Content.MimeType); t != "" && t != "x-unknown" {
		return t
	}
	return bare(header(e.Response.Headers, "Content-Type"))
}

func (e *wireEntry) isDocument() bool {
	switch {
	case e.ResourceType != "":
		return e.ResourceType == "document"
	case header(e.Request.Headers, "Sec-Fetch-Dest") != "":
		return header(e.Request.Headers, "Sec-Fetch-Dest") == "document"
	}
	return e.Response.Status/100 == 2 && e.answerType() == "text/html"
}

func (e *wireEntry) call(kind string, at time.Time) Call {
	c := Call{
		Kind: kind, Method: strings.ToUpper(short(e.Request.Method, 40)), URL: withoutFragment(short(e.Request.URL, maxText)),
		At: at, Status: e.Response.Status, Initiator: e.Initiator.text(), BodyKey: e.bodyKey(),
	}
	if c.Method == "" {
		c.Method = "GET"
	}
	if e.Time.known && e.Time.value >= 0 && e.Time.value <= maxTime {
		c.End, c.Done = e.Time.value, true
	}
	why := e.Response.Error
	switch {
	case strings.Contains(why, "ERR_ABORTED") || strings.Contains(why, "NS_BINDING_ABORTED") || strings.HasPrefix(e.Comment, "the client went away"):
		c.Aborted, c.Error = true, "aborted"
	case why != "":
		c.Error = short(why, 200)
	case c.Status <= 0 && c.Done:
		c.Error = "no response"
	}
	c.Status = max(c.Status, 0)
	return c
}

// bodyKey is empty also when there was a body that the archive does not hold.
func (e *wireEntry) bodyKey() string {
	p := e.Request.PostData
	if p == nil || (p.Text == "" && len(p.Params) == 0) {
		return ""
	}
	h := fnv.New64a()
	h.Write([]byte(p.Text))
	if p.Text == "" {
		for _, f := range p.Params {
			h.Write([]byte(f.Name + "\x00" + f.Value + "\x00"))
		}
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

// redirect is where the answer sent the browser, absolute.
func (e *wireEntry) redirect() string {
	to := e.Response.RedirectURL
	if to == "" {
		to = header(e.Response.Headers, "Location")
	}
	base, err := url.Parse(e.Request.URL)
	if err != nil || to == "" {
		return ""
	}
	u, err := base.Parse(to)
	if err != nil {
		return ""
	}
	return u.String()
}

// text words the stack as the engine that made it would have.
func (o *wireOrigin) text() string {
	if o == nil {
		return ""
	}
	var b strings.Builder
	frames, async := 0, ""
	for s := o.Stack; s != nil && frames < maxFrames; s = s.Parent {
		for _, f := range s.Frames {
			if frames++; frames > maxFrames {
				break
			}
			place := short(f.URL, maxText) + ":" + strconv.Itoa(f.Line+1) + ":" + strconv.Itoa(f.Column+1)
			if f.URL == "" {
				place = "<anonymous>"
			}
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			if f.Function == "" {
				b.WriteString("    at " + async + place)
			} else {
				b.WriteString("    at " + async + short(f.Function, 200) + " (" + place + ")")
			}
		}
		async = "async "
	}
	return b.String()
}

func header(list []wirePair, name string) string {
	for _, h := range list {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}

// bare is a media type without its parameters.
func bare(contentType string) string {
	first, _, _ := strings.Cut(contentType, ",")
	t, _, err := mime.ParseMediaType(first)
	if err != nil {
		t, _, _ = strings.Cut(first, ";")
		t = strings.ToLower(strings.TrimSpace(t))
	}
	return t
}

// isData says that a media type carries data for scripts.
func isData(t string) bool {
	return slices.Contains([]string{"application/json", "text/json", "application/x-ndjson", "application/graphql", "application/grpc-web", "application/msgpack", "application/x-protobuf"}, t) ||
		(strings.HasSuffix(t, "+json") && t != "application/manifest+json")
}

func withoutFragment(address string) string {
	address, _, _ = strings.Cut(address, "#")
	return address
}

func short(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}
