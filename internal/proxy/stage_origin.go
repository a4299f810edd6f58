package proxy

import "oriel/internal/proxy/origin"

// originRequest tells the target its own origin where the browser named the
// proxy's, and hides that there is a proxy (see the package comment).
func (x *exchange) originRequest() {
	back := x.names.Swap()
	for _, name := range [...]string{"Origin", "Referer"} {
		if v := x.in.Header[name]; len(v) == 1 {
			if moved := back.URL(v[0]); moved != v[0] {
				x.set(name, moved)
			}
		}
	}
	for _, name := range [...]string{"X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Forwarded-Server", "Forwarded"} {
		if _, ok := x.in.Header[name]; ok {
			x.set(name, "")
		}
	}
}

// originResponse tells the browser the proxy's origin where the target named
// its own. Cross-origin headers are left: what the target allows to others it
// allows to others.
func (x *exchange) originResponse() {
	for _, name := range [...]string{"Location", "Content-Location", "Sourcemap", "X-Sourcemap"} {
		x.each(name, x.names.URL)
	}
	x.each("Refresh", x.names.Refresh)
	x.each("Set-Cookie", x.names.Cookie)
	if x.named {
		x.others()
	}
	delete(x.head, "Alt-Svc") // another way to the target would be a way around us
	// The promise to speak https is the target's: for the proxy's host name,
	// which other servers share, it would stay long after the proxy is gone.
	delete(x.head, "Strict-Transport-Security")
}

// others moves the rest: a value that is a URL of the target, as frameworks
// lead their scripts by (Hx-Redirect, X-Inertia-Location) or a server says back
// what it was sent, and one in brackets or quotes (Link, Reporting-Endpoints).
func (x *exchange) others() {
	for name, values := range x.head {
		switch name {
		case "Access-Control-Allow-Origin", "Timing-Allow-Origin", enforceHeader, reportHeader, "Set-Cookie":
			continue
		}
		if origin.Named(values, x.p.targetText) {
			x.each(name, x.names.Inside)
		}
	}
}

// each changes the values of a header of the browser's.
func (x *exchange) each(name string, f func(string) string) {
	old := x.head[name]
	if len(old) == 0 {
		return
	}
	values := make([]string, len(old)) // the old ones are the record's too
	for i, v := range old {
		values[i] = f(v)
	}
	x.head[name] = values
}
