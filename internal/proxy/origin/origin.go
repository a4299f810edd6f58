// Package origin makes a target and the proxy before it look like one place:
// the target is told its own origin, the browser is told the proxy's. Only
// what names the target's exact origin is changed, never another host.
package origin

import (
	"net"
	"net/url"
	"strings"
)

// Origin is a scheme and a host with an explicit or default port.
type Origin struct {
	Scheme string // http or https
	Host   string // as written in a URL: host or host:port, lower case
}

// Of returns the origin of a URL.
func Of(u *url.URL) Origin {
	return Make(u.Scheme, u.Host)
}

// Make returns an origin with the default port left out, so that equal origins
// are equal values.
func Make(scheme, host string) Origin {
	scheme, host = strings.ToLower(scheme), strings.ToLower(host)
	if port := defaultPort(scheme); port != "" {
		host = strings.TrimSuffix(host, port)
	}
	return Origin{Scheme: scheme, Host: host}
}

func defaultPort(scheme string) string {
	switch scheme {
	case "http", "ws":
		return ":80"
	case "https", "wss":
		return ":443"
	}
	return ""
}

// String is the origin as browsers serialise it.
func (o Origin) String() string { return o.Scheme + "://" + o.Host }

// WS is the same place for WebSockets.
func (o Origin) WS() string {
	if o.Scheme == "https" {
		return "wss://" + o.Host
	}
	return "ws://" + o.Host
}

// Hostname is the host without its port and brackets.
func (o Origin) Hostname() string {
	if h, _, err := net.SplitHostPort(o.Host); err == nil {
		return h
	}
	return strings.Trim(o.Host, "[]")
}

// Loopback says whether browsers take the origin for trustworthy although it
// speaks plain http.
func (o Origin) Loopback() bool {
	h := o.Hostname()
	if h == "localhost" || strings.HasSuffix(h, ".localhost") {
		return true
	}
	ip := net.ParseIP(h)
	return ip != nil && ip.IsLoopback()
}

// Map is a pair of origins and translates between them.
type Map struct {
	Target Origin // where the site believes it is
	Proxy  Origin // where the browser sees it
}

// Swap is the map in the other direction.
func (m Map) Swap() Map { return Map{Target: m.Proxy, Proxy: m.Target} }

// URL moves an absolute or scheme-relative URL from the target's origin to the
// proxy's. Every other reference is returned as it is; the part after the
// origin never changes.
func (m Map) URL(ref string) string {
	trimmed := strings.TrimLeft(ref, " \t")
	scheme, rest := m.Target.Scheme, ""
	switch i := strings.Index(trimmed, "//"); {
	case i == 0:
		rest = trimmed[2:]
	case i > 1 && trimmed[i-1] == ':':
		scheme, rest = trimmed[:i-1], trimmed[i+2:]
	default:
		return ref
	}
	host, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#\\"); i >= 0 {
		host, tail = rest[:i], rest[i:]
	}
	if strings.Contains(host, "@") || Make(scheme, host) != m.Target {
		return ref
	}
	return m.Proxy.String() + tail
}

// Named says whether one of a header's values has that origin's text in it.
func Named(values []string, origin string) bool {
	for _, v := range values {
		if len(v) >= len(origin) && strings.Contains(v, origin) {
			return true
		}
	}
	return false
}

// Inside moves a value that is a URL of the target, and URLs of the target that
// stand in it between angle brackets or behind a quotation mark.
func (m Map) Inside(v string) string {
	if moved := m.URL(v); moved != v {
		return moved
	}
	own := m.Target.String()
	var b strings.Builder
	for {
		i := strings.Index(v, own)
		if i < 0 {
			return b.String() + v
		}
		end := i + len(own)
		b.WriteString(v[:i])
		if i > 0 && (v[i-1] == '<' || v[i-1] == '"') && end < len(v) && strings.IndexByte("/?#>\"", v[end]) >= 0 {
			b.WriteString(m.Proxy.String())
		} else {
			b.WriteString(own)
		}
		v = v[end:]
	}
}

// Refresh moves the URL of a Refresh header.
func (m Map) Refresh(v string) string {
	i := strings.IndexAny(v, ";,")
	if i < 0 {
		return v
	}
	rest := v[i+1:]
	at := i + 1 + len(rest) - len(strings.TrimLeft(rest, " \t"))
	if len(v)-at >= 3 && strings.EqualFold(v[at:at+3], "url") {
		eq := strings.IndexByte(v[at:], '=')
		if eq < 0 {
			return v
		}
		at += eq + 1
		at += len(v[at:]) - len(strings.TrimLeft(v[at:], " \t"))
	}
	quote := ""
	if at < len(v) && (v[at] == '\'' || v[at] == '"') {
		quote = v[at : at+1]
		at++
	}
	ref := v[at:]
	tail := ""
	if quote != "" {
		if end := strings.Index(ref, quote); end >= 0 {
			ref, tail = ref[:end], ref[end:]
		}
	}
	return v[:at] + m.URL(ref) + tail
}
