package origin

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// Hosts are the names under which the proxy may be asked. A page of another
// site can make its own name resolve to 127.0.0.1 (DNS rebinding) and would
// then read the target as its own origin; but it cannot choose the Host
// header, which says that other name. Addresses cannot be rebound.
type Hosts struct {
	names  map[string]bool
	anyIP  bool // bound to all addresses: any address is one of ours
	public *url.URL
}

// NewHosts returns the names of a proxy that was told to listen on listen, is
// bound to bound, and is reached at public when that is not nil.
func NewHosts(bound net.Addr, listen string, public *url.URL) Hosts {
	h := Hosts{names: map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true}, public: public}
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

// Allow checks a Host header.
func (h Hosts) Allow(host string) bool {
	name := strings.ToLower(Origin{Host: host}.Hostname())
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

// Of is where the browser that sent r sees the proxy: always the name it
// asked for, so that a redirect never leads to another one.
func (h Hosts) Of(r *http.Request) Origin {
	if h.public != nil && strings.EqualFold(r.Host, h.public.Host) {
		return Make(h.public.Scheme, r.Host)
	}
	if r.TLS != nil {
		return Make("https", r.Host)
	}
	return Make("http", r.Host)
}
