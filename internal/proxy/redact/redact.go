// Package redact takes secrets out of recorded traffic before it is kept. What
// was cut reads [redacted]; names, structure and everything else stay, so that
// a record still shows which credential was sent, never its value.
package redact

import (
	"net/http"
	"strings"
)

// Mark stands where a secret was.
const Mark = "[redacted]"

// Rules decide which names hold secrets. It is safe for concurrent use.
type Rules struct {
	exact map[string]bool
	globs []string
	cache verdicts
}

// New returns the built-in rules and names of the user's: compared without
// case, '-' and '_'; '*' stands for anything.
func New(names []string) *Rules {
	r := &Rules{exact: map[string]bool{}}
	for _, n := range names {
		n = normal(n)
		switch {
		case n == "":
		case strings.Contains(n, "*"):
			r.globs = append(r.globs, n)
		default:
			r.exact[n] = true
		}
	}
	return r
}

// Header redacts h in place: entries are replaced, their old values are not
// written to, so that others may still hold them.
func (r *Rules) Header(h http.Header) {
	for name, values := range h {
		switch name {
		case "Accept", "Accept-Encoding", "Accept-Language", "Cache-Control", "Connection", "Content-Length", "Content-Type",
			"Date", "Etag", "Host", "If-Modified-Since", "If-None-Match", "Last-Modified", "Origin", "Pragma", "Server", "User-Agent", "Vary",
			"Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site", "Sec-Fetch-User", "Upgrade-Insecure-Requests":
			if len(r.globs) == 0 && len(r.exact) == 0 {
				continue
			}
		case "Cookie":
			h[name] = each(values, cookies)
			continue
		case "Set-Cookie":
			h[name] = each(values, setCookie)
			continue
		case "Authorization", "Proxy-Authorization":
			h[name] = each(values, credentials)
			continue
		case "Referer", "Location", "Content-Location", "Refresh":
			h[name] = each(values, r.URL)
			continue
		}
		if r.Secret(name) {
			h[name] = each(values, func(string) string { return Mark })
		}
	}
}

func each(values []string, f func(string) string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = f(v)
	}
	return out
}

// credentials keeps the scheme of an Authorization header.
func credentials(v string) string {
	scheme, _, ok := strings.Cut(v, " ")
	if !ok || len(scheme) > 20 {
		return Mark
	}
	return scheme + " " + Mark
}

// cookies keeps the names of a Cookie header.
func cookies(v string) string {
	parts := strings.Split(v, ";")
	for i, p := range parts {
		lead := p[:len(p)-len(strings.TrimLeft(p, " "))]
		name, _, ok := strings.Cut(p[len(lead):], "=")
		if !ok {
			parts[i] = lead + Mark
			continue
		}
		parts[i] = lead + name + "=" + Mark
	}
	return strings.Join(parts, ";")
}

// setCookie keeps the name and the attributes of a Set-Cookie header.
func setCookie(v string) string {
	pair, attrs, more := strings.Cut(v, ";")
	name, _, ok := strings.Cut(pair, "=")
	if !ok {
		name = ""
	} else {
		name += "="
	}
	if !more {
		return name + Mark
	}
	return name + Mark + ";" + attrs
}

// URL redacts the secret parameters of a URL's query (and fragment, where some
// sign-in flows put tokens) and the password before its host.
func (r *Rules) URL(u string) string {
	if i := strings.Index(u, "://"); i >= 0 {
		end := len(u)
		if j := strings.IndexAny(u[i+3:], "/?#"); j >= 0 {
			end = i + 3 + j
		}
		if at := strings.LastIndexByte(u[:end], '@'); at > i {
			u = u[:i+3] + Mark + u[at:]
		}
	}
	i := strings.IndexAny(u, "?#")
	if i < 0 {
		return u
	}
	return u[:i+1] + r.Form(u[i+1:])
}

// Form redacts the secret values of a urlencoded form or query.
func (r *Rules) Form(q string) string {
	var b strings.Builder
	done := 0 // q[:done] is in b
	for start := 0; start < len(q); {
		end := start
		for end < len(q) && q[end] != '&' && q[end] != ';' && q[end] != '#' && q[end] != '?' {
			end++
		}
		if name, value, ok := strings.Cut(q[start:end], "="); ok && value != "" && r.Secret(unescape(name)) {
			b.WriteString(q[done : start+len(name)+1])
			b.WriteString(Mark)
			done = end
		}
		start = end + 1
	}
	if done == 0 {
		return q
	}
	b.WriteString(q[done:])
	return b.String()
}
