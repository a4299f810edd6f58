package forward

import (
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"strings"
	"time"
)

func newTransport(c *Client) *http.Transport {
	return &http.Transport{
		DialContext:            c.dialer.dial,
		TLSClientConfig:        c.tls.Clone(),
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // codings are the browser's business
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    maxIdle,
		IdleConnTimeout:        idleFor,
		TLSHandshakeTimeout:    10 * time.Second,
		ExpectContinueTimeout:  2 * time.Second,
		MaxResponseHeaderBytes: maxHead,
		WriteBufferSize:        32 << 10,
		ReadBufferSize:         32 << 10,
	}
}

// doStd sends the request over http.Transport.
func (c *Client) doStd(r *Request) (*http.Response, error) {
	in := r.In
	out := &http.Request{
		Method:        in.Method,
		URL:           c.outURL(in),
		Host:          c.host,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        outHeader(r),
		ContentLength: in.ContentLength,
		Body:          r.Body,
		Trailer:       in.Trailer,
	}
	if out.Body == nil {
		out.Body = in.Body
	}
	if in.ContentLength == 0 {
		out.Body = nil
	}
	if out.Body != nil {
		// The transport may go on reading after the answer came; closing is
		// the server's, which knows whether its handler is still there.
		out.Body = unclosed{out.Body}
	}
	ctx := in.Context()
	if r.Info != nil {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
				if code != http.StatusContinue {
					r.Info(code, http.Header(h))
				}
				return nil
			},
		})
	}
	return c.std.RoundTrip(out.WithContext(ctx))
}

// unclosed keeps the transport from closing the server's body.
type unclosed struct{ io.Reader }

func (unclosed) Close() error { return nil }

// outURL makes the transport write the request target byte for byte. Opaque
// does, but for a path with two leading slashes, which it would take for a
// host.
func (c *Client) outURL(in *http.Request) *url.URL {
	u := &url.URL{Scheme: c.scheme, Host: c.host}
	if t := requestTarget(in); !strings.HasPrefix(t, "//") {
		u.Opaque = t
		return u
	}
	u.Path, u.RawPath = in.URL.Path, in.URL.RawPath
	u.RawQuery, u.ForceQuery = in.URL.RawQuery, in.URL.ForceQuery
	return u
}

// outHeader is the browser's header without what ends here, and with r.Set.
func outHeader(r *Request) http.Header {
	nominated := Nominated(r.In.Header)
	h := make(http.Header, len(r.In.Header)+len(r.Set))
	for name, values := range r.In.Header {
		if !Hop(name) && !contains(nominated, name) {
			h[name] = values
		}
	}
	for _, f := range r.Set {
		delete(h, f.Name)
		if f.Value != "" {
			h[f.Name] = []string{f.Value}
		}
	}
	if wantsTrailers(r.In.Header) {
		h["Te"] = []string{"trailers"}
	}
	if _, ok := h["User-Agent"]; !ok {
		h["User-Agent"] = []string{""} // else the transport adds its own
	}
	return h
}
