package proxy

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"oriel/internal/proxy/origin"
)

// hosts are the names under which the proxy may be asked. A page of another
// site can make its own name resolve to 127.0.0.1 (DNS rebinding) and would
// then read the target as its own origin; but it cannot choose the Host
// header, which says that other name. Addresses cannot be rebound.
type hosts struct {
	names  map[string]bool
	anyIP  bool // bound to all addresses: any address is one of ours
	public *url.URL
}

func newHosts(bound net.Addr, listen string, public *url.URL) hosts {
	h := hosts{names: map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true}, public: public}
	if name, _, err := net.SplitHostPort(listen); err == nil && name != "" {
		h.names[strings.ToLower(name)] = true
	}
	if a, ok := bound.(*net.TCPAddr); ok {
		h.anyIP = a.IP.IsUnspecified()
		h.names[a.IP.String()] = true
	}
	if public != nil {
		h.names[strings.ToLower(public.Hostname())] = true
	}
	return h
}

// allow checks a Host header.
func (h hosts) allow(host string) bool {
	name := strings.ToLower(origin.Origin{Host: host}.Hostname())
	name = strings.TrimSuffix(name, ".")
	if h.names[name] || strings.HasSuffix(name, ".localhost") {
		return true
	}
	if !h.anyIP {
		return false
	}
	_, err := netip.ParseAddr(name)
	return err == nil
}

// origin is where the browser that sent r sees the proxy: always the name it
// asked for, so that a redirect never leads to another one.
func (h hosts) origin(r *http.Request) origin.Origin {
	if h.public != nil && strings.EqualFold(r.Host, h.public.Host) {
		return origin.Make(h.public.Scheme, r.Host)
	}
	if r.TLS != nil {
		return origin.Make("https", r.Host)
	}
	return origin.Make("http", r.Host)
}
