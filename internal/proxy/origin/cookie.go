package origin

import "strings"

// Cookie makes a Set-Cookie value of the target work on the proxy's origin.
// Domain is dropped when it is the target's (or one above it) and the proxy
// has another name. When the target speaks https and the proxy http, Secure is
// dropped, since not every browser takes it over plain http even on loopback;
// it stays where the cookie could not exist without it (__Host-, __Secure-,
// SameSite=None, Partitioned) and the proxy is on loopback. All else is kept
// byte for byte.
func (m Map) Cookie(line string) string {
	parts := strings.Split(line, ";")
	keepDomain := m.Proxy.Hostname() == m.Target.Hostname()
	downgrade := m.Target.Scheme == "https" && m.Proxy.Scheme == "http"
	needsSecure := bound(parts)
	out := parts[:1]
	for _, p := range parts[1:] {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		switch {
		case name == "domain" && !keepDomain && domainMatch(m.Target.Hostname(), value):
			continue
		case name == "secure" && downgrade && !(needsSecure && m.Proxy.Loopback()):
			continue
		case name == "samesite" && downgrade && !m.Proxy.Loopback() && strings.EqualFold(value, "none"):
			continue // without Secure it would be refused
		}
		out = append(out, p)
	}
	if len(out) == len(parts) {
		return line
	}
	return strings.Join(out, ";")
}

// bound says whether browsers refuse the cookie without Secure.
func bound(parts []string) bool {
	name := strings.ToLower(strings.TrimSpace(parts[0]))
	if strings.HasPrefix(name, "__host-") || strings.HasPrefix(name, "__secure-") {
		return true
	}
	for _, p := range parts[1:] {
		n, v, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(n, "partitioned") || strings.EqualFold(n, "samesite") && strings.EqualFold(strings.TrimSpace(v), "none") {
			return true
		}
	}
	return false
}

// domainMatch says whether a browser on host accepts the Domain attribute.
func domainMatch(host, domain string) bool {
	domain = strings.ToLower(strings.TrimPrefix(domain, "."))
	return domain != "" && (host == domain || strings.HasSuffix(host, "."+domain))
}
