// Package inject puts one script tag into an HTML document while it streams
// through: right after <head>, or where the parser would open the head by
// itself. The doctype stays first, no line is added, and the page is never
// held: past its head the bytes are not looked at.
package inject

import (
	"bytes"
	"slices"
	"strings"
)

// MaxTag bounds the tag without its nonce and integrity, in bytes.
const MaxTag = 200

// Tag is the script element to put in. The zero Tag is none.
type Tag struct {
	Src   string // on the page's own origin, as /__devtool/agent.3f2a.js
	Attrs []Attr // further attributes, in order

	// NoInline names an attribute that is added, without a value, when the
	// policies in the answer's header let no inline script run with the tag's
	// nonce. "" is none. Policies in the document itself come after the tag.
	NoInline string

	// Integrity is the hash of what Src names, for pages that demand one.
	Integrity string
}

// Attr is one attribute of the tag.
type Attr struct{ Name, Value string }

// For returns the tag as it goes into a page that lets inline scripts run, or
// does not.
func (t Tag) For(inline bool) Tag {
	if !inline && t.NoInline != "" {
		t.Attrs = append(slices.Clip(t.Attrs), Attr{Name: t.NoInline})
	}
	return t
}

// Render writes the tag; nil when there is none or it breaks the bounds: ASCII
// only, since the document's encoding is not ours to know, and MaxTag bytes.
// It is well-formed in HTML and in XML.
func (t Tag) Render(nonce string, xml bool) []byte {
	if t.Src == "" {
		return nil
	}
	var b bytes.Buffer
	b.WriteString("<script")
	if xml {
		attr(&b, "xmlns", "http://www.w3.org/1999/xhtml")
	}
	attr(&b, "src", t.Src)
	for _, a := range t.Attrs {
		attr(&b, a.Name, a.Value)
	}
	if b.Len()+len("></script>") > MaxTag {
		return nil
	}
	if t.Integrity != "" {
		attr(&b, "integrity", t.Integrity)
		attr(&b, "crossorigin", "") // a hash counts only for what is fetched with CORS
	}
	if nonce != "" {
		attr(&b, "nonce", nonce)
	}
	b.WriteString("></script>")
	for _, c := range b.Bytes() {
		if c < ' ' || c > '~' {
			return nil
		}
	}
	return b.Bytes()
}

var escaper = strings.NewReplacer("&", "&amp;", `"`, "&#34;", "<", "&lt;", ">", "&gt;")

func attr(b *bytes.Buffer, name, value string) {
	b.WriteByte(' ')
	b.WriteString(name)
	b.WriteString(`="`)
	escaper.WriteString(b, value)
	b.WriteByte('"')
}
