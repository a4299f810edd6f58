package proxy

import (
	"net/http"
	"slices"
	"strings"

	"oriel/internal/proxy/csp"
)

const (
	enforceHeader = "Content-Security-Policy"
	reportHeader  = "Content-Security-Policy-Report-Only"

	requiredHeader = "Sec-Required-Csp" // what <iframe csp> asks of the frame
)

// policyResponse makes the page's policies let the agent in, and mean the
// proxy where they name the target.
func (x *exchange) policyResponse() {
	for _, name := range [...]string{enforceHeader, reportHeader} {
		if v := x.head[name]; len(v) > 0 {
			x.head[name] = csp.Move(v, x.names)
		}
	}
	if !x.judgeDocument() {
		return
	}
	if required := x.in.Header[requiredHeader]; len(required) > 0 {
		x.obey(required)
		return
	}
	if len(x.head[enforceHeader])+len(x.head[reportHeader]) == 0 {
		return
	}
	enforce, report, v := csp.Headers(x.head[enforceHeader], x.head[reportHeader], x.grant())
	if v.Sandboxed {
		x.doc.inject = false
		x.doc.note = "not instrumented: the page's Content-Security-Policy has sandbox without allow-scripts"
		return
	}
	put(x.head, enforceHeader, enforce)
	put(x.head, reportHeader, report)
	x.doc.nonce, x.doc.typed, x.doc.noInline = v.Nonce, v.Typed, !v.Inline
}

// obey leaves the policies of a frame as they are that must obey those required
// of it (<iframe csp>): the browser enforces these whatever the answer says, and
// shows no frame whose own policies allow more. The agent stays out where it
// cannot do without an addition.
func (x *exchange) obey(required []string) {
	all := slices.Concat(x.head[enforceHeader], required)
	enforce, report, v := csp.Headers(all, x.head[reportHeader], x.grant())
	if v.Sandboxed || !slices.Equal(all, enforce) || !slices.Equal(x.head[reportHeader], report) {
		x.doc.inject = false
		x.doc.note = "not instrumented: the policy that the embedding page demands of this frame leaves no room for the agent"
		return
	}
	x.doc.nonce, x.doc.typed, x.doc.noInline = v.Nonce, v.Typed, !v.Inline
}

func put(h http.Header, name string, values []string) {
	if len(values) > 0 {
		h[name] = values
	}
}

// grant is what the agent needs of this page's policy.
func (x *exchange) grant() csp.Grant {
	return csp.Grant{
		Origin: x.names.Proxy.String(), WSOrigin: x.names.Proxy.WS(), Path: Prefix,
		Nonce: x.p.nonce, TrustedTypes: "oriel",
	}
}

// amendMeta is what becomes of a policy in the document itself.
func (x *exchange) amendMeta(policy string) string {
	moved := csp.Move([]string{policy}, x.names)
	return csp.Meta(strings.Join(moved, ""), x.grant(), x.doc.nonce, x.doc.typed)
}
