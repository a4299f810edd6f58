package forward

import (
	"bufio"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
)

// Hop says whether a header is about one connection only, so that it must not
// travel further. Names nominated by Connection are not covered: see Nominated.
func Hop(name string) bool {
	switch name {
	case "Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization",
		"Te", "Trailer", "Transfer-Encoding", "Upgrade":
		return true
	}
	return false
}

// Nominated returns the canonical names that Connection lists besides the
// usual ones; these are hop-by-hop as well.
func Nominated(h http.Header) []string {
	var out []string
	for _, line := range h["Connection"] {
		if strings.EqualFold(line, "keep-alive") || strings.EqualFold(line, "close") {
			continue
		}
		for f := range strings.SplitSeq(line, ",") {
			name := textproto.CanonicalMIMEHeaderKey(textproto.TrimString(f))
			if name != "" && name != "Close" && !Hop(name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// IsUpgrade says whether the message asks for, or grants, another protocol.
func IsUpgrade(h http.Header) bool {
	if len(h["Upgrade"]) == 0 {
		return false
	}
	for _, line := range h["Connection"] {
		for f := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(textproto.TrimString(f), "upgrade") {
				return true
			}
		}
	}
	return false
}

// wantsTrailers says whether the client takes trailers: the one use of TE that
// end points are told about.
func wantsTrailers(h http.Header) bool {
	for _, line := range h["Te"] {
		for f := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(textproto.TrimString(f), "trailers") {
				return true
			}
		}
	}
	return false
}

// requestTarget is the path and query exactly as the browser wrote them.
func requestTarget(r *http.Request) string {
	if strings.HasPrefix(r.RequestURI, "/") || r.RequestURI == "*" {
		return r.RequestURI
	}
	return r.URL.RequestURI()
}

// writeHead writes the request line and header of r for the target. Names and
// values were checked when the server read them.
func writeHead(w *bufio.Writer, r *Request, host string, upgrade bool) {
	w.WriteString(r.In.Method)
	w.WriteByte(' ')
	w.WriteString(requestTarget(r.In))
	w.WriteString(" HTTP/1.1\r\nHost: ")
	w.WriteString(host)
	w.WriteString("\r\n")
	nominated := Nominated(r.In.Header)
	for name, values := range r.In.Header {
		if Hop(name) || name == "Content-Length" || r.override(name) || contains(nominated, name) {
			continue
		}
		for _, v := range values {
			writeField(w, name, v)
		}
	}
	for _, f := range r.Set {
		if f.Value != "" {
			writeField(w, f.Name, f.Value)
		}
	}
	if _, said := r.In.Header["Content-Length"]; said || r.In.ContentLength > 0 || mayHaveBody(r.In.Method) {
		// What follows is what the server read, whatever the header says of it.
		writeField(w, "Content-Length", strconv.FormatInt(max(0, r.In.ContentLength), 10))
	}
	if wantsTrailers(r.In.Header) {
		writeField(w, "Te", "trailers")
	}
	if upgrade {
		writeField(w, "Connection", "Upgrade")
		writeField(w, "Upgrade", strings.Join(r.In.Header["Upgrade"], ", "))
	}
	w.WriteString("\r\n")
}

func writeField(w *bufio.Writer, name, value string) {
	w.WriteString(name)
	w.WriteString(": ")
	w.WriteString(value)
	w.WriteString("\r\n")
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

func mayHaveBody(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}
