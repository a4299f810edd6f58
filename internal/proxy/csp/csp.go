// Package csp adds to a page's Content-Security-Policy just what the agent
// needs to run, load its modules and reach its channel. A policy is never
// removed, and one that already allows the agent is not touched: the page's
// nonce is reused, 'self' is enough, and else one source that covers nothing
// but the reserved path is added.
package csp

import (
	"strings"
)

// Grant is what the agent needs.
type Grant struct {
	Origin       string // of the page in the browser, as http://127.0.0.1:4100
	WSOrigin     string // the same place for WebSockets
	Path         string // reserved path with slashes around, /__devtool/
	Nonce        string // used where nothing but a nonce can help (strict-dynamic without one)
	TrustedTypes string // policy name the agent creates where Trusted Types are required
}

// Verdict is what a page's policies mean for the agent.
type Verdict struct {
	Nonce     string // for the script tag; "" when none is wanted
	Sandboxed bool   // no script runs in this page: nothing was changed
	Typed     bool   // Trusted Types are required by one of the policies
	Inline    bool   // an inline script with that nonce may run, and nobody reports it
}

// Headers amends the values of Content-Security-Policy and of its report-only
// sibling, and returns new slices; the arguments stay as they are. Report-only
// policies are amended alike, so that the agent causes no reports.
func Headers(enforce, report []string, g Grant) ([]string, []string, Verdict) {
	pe, pr := parseAll(enforce), parseAll(report)
	var v Verdict
	for _, line := range pe {
		for _, p := range line {
			v.Sandboxed = v.Sandboxed || p.sandboxed()
			v.Typed = v.Typed || p.typed()
		}
	}
	if v.Sandboxed {
		return enforce, report, v
	}
	for _, line := range pr {
		for _, p := range line {
			v.Typed = v.Typed || p.typed()
		}
	}
	v.Nonce = firstNonce(pe)
	if v.Nonce == "" {
		v.Nonce = firstNonce(pr)
	}
	nonce := v.Nonce
	if nonce == "" {
		nonce = g.Nonce
	}
	used := false
	for _, lines := range [][][]*policy{pe, pr} {
		for _, line := range lines {
			for _, p := range line {
				used = p.grant(g, nonce, v.Typed) || used
			}
		}
	}
	if used {
		v.Nonce = nonce
	}
	v.Inline = true
	for _, lines := range [][][]*policy{pe, pr} {
		for _, line := range lines {
			for _, p := range line {
				v.Inline = v.Inline && p.inline(v.Nonce)
			}
		}
	}
	return joinAll(pe), joinAll(pr), v
}

// Meta amends the content of a <meta http-equiv="Content-Security-Policy">.
// The script tag stands before it and ran already, so only what the agent does
// later counts. typed is the header's verdict.
func Meta(content string, g Grant, nonce string, typed bool) string {
	if nonce == "" {
		nonce = g.Nonce
	}
	ps := parseLine(content)
	for _, p := range ps {
		typed = typed || p.typed()
	}
	for _, p := range ps {
		p.grant(g, nonce, typed)
	}
	return joinLine(ps)
}

func firstNonce(lines [][]*policy) string {
	for _, line := range lines {
		for _, p := range line {
			if d := p.effective("script-src-elem", "script-src", "default-src"); d != nil {
				if n := d.nonce(); n != "" {
					return n
				}
			}
		}
	}
	return ""
}

// grant amends one policy and says whether its script list relies on the tag
// carrying nonce.
func (p *policy) grant(g Grant, nonce string, typed bool) (usesNonce bool) {
	if d := p.effective("script-src-elem", "script-src", "default-src"); d != nil {
		switch {
		case d.has("'nonce-"+nonce+"'") && nonce != "":
			usesNonce = true
		case d.hasFold("'strict-dynamic'"):
			p.allow(d, "script-src", "'nonce-"+nonce+"'")
			usesNonce = true
		case !d.matches(g.Origin):
			p.allow(d, "script-src", g.Origin+g.Path)
		}
	}
	if d := p.effective("connect-src", "default-src"); d != nil && !(d.matches(g.Origin) && d.matches(g.WSOrigin)) {
		p.allow(d, "connect-src", g.Origin+g.Path, g.WSOrigin+g.Path)
	}
	if d := p.effective("trusted-types"); d != nil && typed && g.TrustedTypes != "" && !d.has("*") && !d.has(g.TrustedTypes) {
		d.add(g.TrustedTypes)
	}
	return usesNonce
}

// allow adds sources to the directive, or, when it is only the fallback, to a
// copy of it under the name that is really meant, so that nothing else gains.
func (p *policy) allow(d *directive, name string, sources ...string) {
	if d.name == "default-src" {
		d = &directive{raw: " " + name, name: name, tokens: fallbackTokens(d.tokens, name)}
		for _, t := range d.tokens {
			d.raw += " " + t
		}
		p.append(d)
	}
	d.add(sources...)
}

// fallbackTokens is what a copy of default-src keeps: script keywords mean
// nothing to a connection.
func fallbackTokens(tokens []string, name string) []string {
	var out []string
	for _, t := range tokens {
		lower := strings.ToLower(t)
		if name != "script-src" && strings.HasPrefix(lower, "'") && lower != "'self'" && lower != "'none'" {
			continue
		}
		out = append(out, t)
	}
	return out
}
