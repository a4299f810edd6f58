package har

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"oriel/internal/journal"
)

// Meta is what an archive says besides its entries.
type Meta struct {
	Version string // of the program
	Origin  string // of the proxy, such as http://127.0.0.1:4000; paths are put behind it
	Comment string
}

// Write writes the HTTP and WebSocket entries as an archive, oldest first,
// whatever their order; entries of other kinds only lend pages their times.
// Bodies and headers are as stored, that is redacted.
func Write(w io.Writer, entries []journal.Entry, m Meta) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(New(entries, m)); err != nil {
		return fmt.Errorf("write archive: %w", err)
	}
	return nil
}

// New is the archive that Write writes.
func New(entries []journal.Entry, m Meta) Archive {
	sorted := slices.Clone(entries)
	slices.SortStableFunc(sorted, func(a, b journal.Entry) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Seq, b.Seq))
	})
	log := Log{
		Version: "1.2", Creator: Creator{"Oriel", cmp.Or(m.Version, "dev")}, Comment: m.Comment,
		Pages: []Page{}, Entries: []Entry{},
	}
	ended := endedSockets(sorted)
	for i := range sorted {
		e := &sorted[i]
		switch {
		case e.HTTP != nil:
			log.Entries = append(log.Entries, exchange(e, m.Origin))
		case e.WebSocket != nil && (e.WebSocket.Closed || !ended[socketKey(e)]):
			log.Entries = append(log.Entries, socket(e, m.Origin))
		}
	}
	log.Pages = pages(sorted, log.Entries)
	return Archive{log}
}

type socketID struct {
	page, url string
	began     time.Time
}

func socketKey(e *journal.Entry) socketID {
	return socketID{e.Proxy + " " + e.Page, e.WebSocket.URL, e.Time}
}

// endedSockets are those whose opening need not be told, because their end
// tells it all.
func endedSockets(entries []journal.Entry) map[socketID]bool {
	out := map[socketID]bool{}
	for i := range entries {
		if ws := entries[i].WebSocket; ws != nil && ws.Closed {
			out[socketKey(&entries[i])] = true
		}
	}
	return out
}

func exchange(e *journal.Entry, origin string) Entry {
	h := e.HTTP
	out := Entry{
		PageRef: e.Page, Started: e.Time.UTC(), Timings: timings(h.TTFB, h.Duration),
		ResourceType: resourceType(h.Destination),
		Request: Request{
			Method: h.Method, URL: absolute(origin, h.URL), HTTPVersion: cmp.Or(h.Proto, "HTTP/1.1"),
			Cookies: requestCookies(h.RequestHead), Headers: pairs(h.RequestHead), QueryString: query(h.URL),
			PostData: post(h), HeadersSize: -1, BodySize: h.RequestBody.Size,
		},
		Response: Response{
			Status: h.Status, StatusText: http.StatusText(h.Status), HTTPVersion: cmp.Or(h.Proto, "HTTP/1.1"),
			Cookies: responseCookies(h.ResponseHead), Headers: pairs(h.ResponseHead), Content: content(h),
			RedirectURL: h.ResponseHead.Get("Location"), HeadersSize: -1, BodySize: h.ResponseBody.Size, Error: h.Error,
		},
	}
	if h.Aborted {
		out.Comment = "the client went away before the end"
	}
	out.Time = out.Timings.Send + out.Timings.Wait + out.Timings.Receive
	return out
}

func socket(e *journal.Entry, origin string) Entry {
	ws := e.WebSocket
	address := absolute(origin, ws.URL)
	if rest, ok := strings.CutPrefix(address, "http"); ok {
		address = "ws" + rest
	}
	out := Entry{
		PageRef: e.Page, Started: e.Time.UTC(), Timings: timings(0, ws.Duration),
		ResourceType: "websocket", Messages: &[]WebMessage{},
		Request: Request{
			Method: "GET", URL: address, HTTPVersion: "HTTP/1.1",
			Cookies: []Cookie{}, Headers: []Pair{}, QueryString: query(ws.URL), HeadersSize: -1, BodySize: ws.Sent,
		},
		Response: Response{
			Status: http.StatusSwitchingProtocols, StatusText: "Switching Protocols", HTTPVersion: "HTTP/1.1",
			Cookies: []Cookie{}, Headers: []Pair{}, Content: Content{Size: ws.Received, MimeType: "x-unknown"},
			HeadersSize: -1, BodySize: ws.Received, Error: ws.Error,
		},
		Comment: fmt.Sprintf("%d bytes sent, %d received; messages are not kept", ws.Sent, ws.Received),
	}
	if ws.Protocol != "" {
		out.Response.Headers = append(out.Response.Headers, Pair{"Sec-WebSocket-Protocol", ws.Protocol})
	}
	out.Time = out.Timings.Send + out.Timings.Wait + out.Timings.Receive
	return out
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func timings(ttfb, total time.Duration) Timings {
	ttfb = min(max(ttfb, 0), max(total, 0))
	return Timings{Blocked: -1, DNS: -1, Connect: -1, SSL: -1, Wait: ms(ttfb), Receive: ms(max(total, 0) - ttfb)}
}

// absolute puts origin before a path.
func absolute(origin, address string) string {
	if strings.HasPrefix(address, "/") || address == "" {
		return strings.TrimSuffix(cmp.Or(origin, "http://localhost"), "/") + address
	}
	return address
}

// resourceType translates a fetch destination to what Chrome calls it.
func resourceType(destination string) string {
	switch destination {
	case "", "empty":
		return "fetch"
	case "iframe", "frame":
		return "document"
	case "style":
		return "stylesheet"
	case "audio", "video", "track":
		return "media"
	case "document", "script", "image", "font", "manifest":
		return destination
	}
	return "other"
}

// pairs lists header fields by name, the values of one in their order.
func pairs(h http.Header) []Pair {
	out := []Pair{}
	for name, values := range h {
		for _, v := range values {
			out = append(out, Pair{name, v})
		}
	}
	slices.SortStableFunc(out, func(a, b Pair) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// query lists the parameters of a URL in their order; what cannot be decoded
// stays as it is.
func query(address string) []Pair {
	out := []Pair{}
	_, raw, _ := strings.Cut(address, "?")
	raw, _, _ = strings.Cut(raw, "#")
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		out = append(out, Pair{unescape(name), unescape(value)})
	}
	return out
}

func unescape(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

func requestCookies(h http.Header) []Cookie {
	out := []Cookie{}
	for _, line := range h.Values("Cookie") {
		for part := range strings.SplitSeq(line, ";") {
			if name, value, ok := strings.Cut(strings.TrimSpace(part), "="); ok {
				out = append(out, Cookie{name, value})
			}
		}
	}
	return out
}

func responseCookies(h http.Header) []Cookie {
	out := []Cookie{}
	for _, line := range h.Values("Set-Cookie") {
		first, _, _ := strings.Cut(line, ";")
		if name, value, ok := strings.Cut(first, "="); ok {
			out = append(out, Cookie{strings.TrimSpace(name), value})
		}
	}
	return out
}

// text returns data as text, and how it is encoded when it is not.
func text(data []byte) (string, string) {
	if utf8.Valid(data) {
		return string(data), ""
	}
	return base64.StdEncoding.EncodeToString(data), "base64"
}

func cutComment(b journal.Body) string {
	switch {
	case b.Cut:
		return fmt.Sprintf("cut: %d bytes kept of a body of %d bytes on the wire", len(b.Data), b.Size)
	case b.Data == nil && b.Size > 0:
		return "body not kept"
	}
	return ""
}

func post(h *journal.HTTP) *Post {
	if h.RequestBody.Size == 0 && len(h.RequestBody.Data) == 0 {
		return nil
	}
	p := &Post{
		MimeType: cmp.Or(h.RequestHead.Get("Content-Type"), "application/octet-stream"),
		Params:   []Pair{}, Comment: cutComment(h.RequestBody),
	}
	p.Text, p.Encoding = text(h.RequestBody.Data)
	if strings.HasPrefix(p.MimeType, "application/x-www-form-urlencoded") && !h.RequestBody.Cut && p.Encoding == "" {
		p.Params = query("?" + p.Text)
	}
	return p
}

func content(h *journal.HTTP) Content {
	b := h.ResponseBody
	c := Content{Size: b.Size, MimeType: cmp.Or(h.ResponseHead.Get("Content-Type"), "x-unknown"), Comment: cutComment(b)}
	if !b.Cut && len(b.Data) > 0 {
		c.Size = int64(len(b.Data)) // decoded, as the format wants it
	}
	c.Text, c.Encoding = text(b.Data)
	return c
}

// pages describes the pages that entries refer to, in the order of their first
// entry.
func pages(facts []journal.Entry, entries []Entry) []Page {
	out := []Page{}
	at := map[string]int{}
	for i := range entries {
		e := &entries[i]
		if e.PageRef == "" {
			continue
		}
		if _, known := at[e.PageRef]; !known {
			at[e.PageRef] = len(out)
			out = append(out, Page{Started: e.Started, ID: e.PageRef, Title: e.PageRef, Timings: PageTimings{-1, -1}})
		}
		if p := &out[at[e.PageRef]]; p.Title == p.ID && e.ResourceType == "document" {
			p.Title = e.Request.URL
		}
	}
	for i := range facts {
		p, ok := at[facts[i].Page]
		if !ok {
			continue
		}
		switch f := facts[i].Performance; {
		case f == nil:
		case strings.EqualFold(f.Name, "dcl"):
			out[p].Timings.ContentLoad = f.Value
		case strings.EqualFold(f.Name, "load"):
			out[p].Timings.Load = f.Value
		}
	}
	return out
}
