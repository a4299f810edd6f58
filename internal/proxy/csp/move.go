package csp

import (
	"strings"

	"oriel/internal/proxy/origin"
)

// Move lets a policy that names the target's own origin mean the proxy's too:
// a source that is exactly the target gets its twin on the proxy beside it.
func Move(values []string, m origin.Map) []string {
	var out []string
	for i, v := range values {
		moved := moveLine(v, m)
		if moved == v {
			continue
		}
		if out == nil {
			out = append(out, values...)
		}
		out[i] = moved
	}
	if out == nil {
		return values
	}
	return out
}

func moveLine(value string, m origin.Map) string {
	if !strings.Contains(strings.ToLower(value), m.Target.Hostname()) {
		return value
	}
	ps := parseLine(value)
	for _, p := range ps {
		for _, d := range p.directives {
			if d.name == "report-uri" || d.name == "report-to" {
				continue
			}
			for _, t := range d.tokens {
				if twin := moveSource(t, m); twin != "" && !d.has(twin) {
					d.add(twin)
				}
			}
		}
	}
	return joinLine(ps)
}

// moveSource returns the proxy's twin of a source that names the target.
func moveSource(token string, m origin.Map) string {
	scheme, rest, ok := strings.Cut(token, "://")
	if !ok {
		scheme, rest = m.Target.Scheme, token
	}
	host, path := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	switch s := strings.ToLower(scheme); {
	case s == "ws" || s == "wss":
		if origin.Make(map[string]string{"ws": "http", "wss": "https"}[s], host) == m.Target {
			return m.Proxy.WS() + path
		}
	case origin.Make(s, host) == m.Target:
		return m.Proxy.String() + path
	}
	return ""
}
