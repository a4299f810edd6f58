package csp

import (
	"slices"
	"strings"
)

// policy is one serialized policy: its directives in order, text kept.
type policy struct {
	directives []*directive
}

// directive is one directive with its text as the page wrote it.
type directive struct {
	raw    string // between two semicolons, white space included
	name   string // lower case; "" for an empty one
	tokens []string
}

const space = " \t\n\f\r"

// parseAll reads header values; each may hold several policies.
func parseAll(values []string) [][]*policy {
	out := make([][]*policy, 0, len(values))
	for _, v := range values {
		out = append(out, parseLine(v))
	}
	return out
}

func parseLine(value string) []*policy {
	var ps []*policy
	for text := range strings.SplitSeq(value, ",") {
		p := &policy{}
		for raw := range strings.SplitSeq(text, ";") {
			d := &directive{raw: raw}
			if f := strings.FieldsFunc(raw, isSpace); len(f) > 0 {
				d.name, d.tokens = strings.ToLower(f[0]), f[1:]
			}
			p.directives = append(p.directives, d)
		}
		ps = append(ps, p)
	}
	return ps
}

func isSpace(r rune) bool { return strings.ContainsRune(space, r) }

func joinAll(lines [][]*policy) []string {
	if lines == nil {
		return nil
	}
	out := make([]string, len(lines))
	for i, ps := range lines {
		out[i] = joinLine(ps)
	}
	return out
}

func joinLine(ps []*policy) string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 {
			b.WriteByte(',')
		}
		for j, d := range p.directives {
			if j > 0 {
				b.WriteByte(';')
			}
			b.WriteString(d.raw)
		}
	}
	return b.String()
}

// get returns the first directive of that name: browsers ignore later ones.
func (p *policy) get(name string) *directive {
	for _, d := range p.directives {
		if d.name == name {
			return d
		}
	}
	return nil
}

// effective returns the first directive there is of a chain of fallbacks.
func (p *policy) effective(names ...string) *directive {
	for _, n := range names {
		if d := p.get(n); d != nil {
			return d
		}
	}
	return nil
}

// append adds a directive at the end, before a closing semicolon's emptiness.
func (p *policy) append(d *directive) {
	last := len(p.directives) - 1
	if last >= 0 && p.directives[last].name == "" {
		p.directives = append(p.directives[:last], d, p.directives[last])
		return
	}
	p.directives = append(p.directives, d)
}

func (p *policy) sandboxed() bool {
	d := p.get("sandbox")
	return d != nil && !d.hasFold("allow-scripts")
}

func (p *policy) typed() bool {
	d := p.get("require-trusted-types-for")
	return d != nil && d.hasFold("'script'")
}

// inline says whether an inline script that carries nonce may run.
func (p *policy) inline(nonce string) bool {
	d := p.effective("script-src-elem", "script-src", "default-src")
	if d == nil || nonce != "" && d.has("'nonce-"+nonce+"'") {
		return true
	}
	unsafe := false
	for _, t := range d.tokens {
		switch t = strings.ToLower(t); {
		case t == "'unsafe-inline'":
			unsafe = true
		case t == "'strict-dynamic'", strings.HasPrefix(t, "'nonce-"), strings.HasPrefix(t, "'sha256-"), strings.HasPrefix(t, "'sha384-"), strings.HasPrefix(t, "'sha512-"):
			return false // beside these, 'unsafe-inline' means nothing
		}
	}
	return unsafe
}

func (d *directive) has(token string) bool {
	for _, t := range d.tokens {
		if t == token {
			return true
		}
	}
	return false
}

func (d *directive) hasFold(token string) bool {
	for _, t := range d.tokens {
		if strings.EqualFold(t, token) {
			return true
		}
	}
	return false
}

// nonce returns the first nonce of the directive.
func (d *directive) nonce() string {
	for _, t := range d.tokens {
		if len(t) > 8 && strings.EqualFold(t[:7], "'nonce-") && strings.HasSuffix(t, "'") {
			return t[7 : len(t)-1]
		}
	}
	return ""
}

// add appends the tokens that are not there. 'none' means nothing beside other
// tokens and goes.
func (d *directive) add(tokens ...string) {
	tokens = slices.DeleteFunc(slices.Clone(tokens), d.has)
	if len(tokens) == 0 {
		return
	}
	none := len(d.tokens) == 1 && strings.EqualFold(d.tokens[0], "'none'")
	if none {
		i := strings.Index(d.raw, d.tokens[0])
		d.raw = d.raw[:i] + strings.Join(tokens, " ") + d.raw[i+len(d.tokens[0]):]
		d.tokens = tokens
		return
	}
	body := strings.TrimRight(d.raw, space)
	d.raw = body + " " + strings.Join(tokens, " ") + d.raw[len(body):]
	d.tokens = append(d.tokens[:len(d.tokens):len(d.tokens)], tokens...)
}

// matches says whether the list surely allows every URL of origin, which is
// the page's own. It errs towards no: then a source is added in vain.
func (d *directive) matches(origin string) bool {
	scheme, host, _ := strings.Cut(origin, "://")
	for _, t := range d.tokens {
		switch t = strings.ToLower(t); {
		case t == "*", t == "'self'":
			return true
		case strings.HasSuffix(t, ":"):
			if schemeCovers(t[:len(t)-1], scheme) {
				return true
			}
		case t == host, t == origin, t == origin+"/":
			return true
		}
	}
	return false
}

// schemeCovers says whether a source's scheme takes a URL's: the secure twin
// is always meant as well.
func schemeCovers(source, url string) bool {
	return source == url || source == "http" && url == "https" || source == "ws" && url == "wss"
}
