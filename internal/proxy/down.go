package proxy

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// upPath tells the page below whether the target answers again.
const upPath = Prefix + "target"

// serveDevtool serves what is under Prefix.
func (p *Proxy) serveDevtool(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == upPath:
		w.Header().Set("Cache-Control", "no-store")
		if p.Up(r.Context()) != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	case p.cfg.Devtool != nil:
		p.cfg.Devtool.ServeHTTP(w, r)
	default:
		http.NotFound(w, r)
	}
}

// writeDown answers for a target that cannot be reached: a page that says so
// and reloads when it is back for those who look at pages, JSON or text for
// the others.
func (x *exchange) writeDown(err error) {
	why := x.explain(err)
	h := x.w.Header()
	clear(h)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	accept := x.in.Header.Get("Accept")
	var body string
	switch {
	case isDocument(x.in):
		h.Set("Content-Type", "text/html; charset=utf-8")
		body = downPage(x.p.target.String(), why, x.in.Method == http.MethodGet)
	case strings.Contains(accept, "json"):
		h.Set("Content-Type", "application/json")
		data, _ := json.Marshal(struct {
			Error string `json:"error"`
		}{why})
		body = string(data) + "\n"
	default:
		h.Set("Content-Type", "text/plain; charset=utf-8")
		body = why + "\n"
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(http.StatusBadGateway)
	io.WriteString(x.w, body)
}

// explain words an error of the way to the target for the person whose target
// it is.
func (x *exchange) explain(err error) string {
	target := x.p.target.String()
	var op *net.OpError
	var cert *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &cert):
		return fmt.Sprintf("the certificate of %s is not trusted (%v): allow it with insecure-tls", target, cert.Err)
	case errors.As(err, &record):
		return fmt.Sprintf("%s does not speak TLS: is it http?", target)
	case errors.As(err, &op) && op.Op == "dial":
		return fmt.Sprintf("nothing answers at %s: %v", target, op.Err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Sprintf("%s broke off its answer: %v", target, err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("%s did not answer in time", target)
	}
	return fmt.Sprintf("no answer from %s: %v", target, err)
}

func downPage(target, why string, reload bool) string {
	t, w := html.EscapeString(target), html.EscapeString(why)
	script := ""
	if reload {
		script = `<p>This page reloads when it is back.</p><script>
setInterval(function(){fetch("` + upPath + `",{cache:"no-store"}).then(function(r){if(r.status===204)location.reload()},function(){})},700)
</script>`
	}
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>502: ` + t + ` is not answering</title>
<meta name="viewport" content="width=device-width"><style>
:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:15vh auto;padding:0 1rem}
code{overflow-wrap:anywhere}p{margin:.6em 0}</style></head><body>
<h1>The target is not answering</h1><p><code>` + t + `</code></p><p>` + w + `</p>` + script + `</body></html>
`
}

// refuse answers a request that is not for this proxy.
func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Connection", "close")
	http.Error(w, why, status)
}

// quoteHost makes a foreign name safe to show.
func quoteHost(host string) string {
	if len(host) > 100 {
		host = host[:100]
	}
	return strconv.QuoteToASCII(host)
}
