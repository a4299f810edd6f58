package inject

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// inHead are the elements a head may hold; any other start tag ends it.
func inHead(name string) bool {
	switch name {
	case "html", "head", "meta", "link", "title", "base", "script", "style", "noscript", "template", "basefont", "bgsound", "noframes":
		return true
	}
	return false
}

// edit replaces doc[from:to] by text.
type edit struct {
	from, to int
	text     []byte
}

// policies looks through a head, of which doc is the beginning, for policies
// in <meta> and returns the edits that amend makes to them. upTo is how far
// the answer reaches; beyond is not judged yet. done means the head has ended.
func policies(doc []byte, atEOF bool, amend func(string) string) (edits []edit, upTo int, done bool) {
	z := html.NewTokenizer(bytes.NewReader(doc))
	var in inside
	off := 0
	for {
		tt := z.Next()
		text := z.Raw()
		begin := off
		off += len(text)
		whole := atEOF || off < len(doc)
		switch tt {
		case html.ErrorToken:
			return edits, in.resume(begin, atEOF), atEOF
		case html.TextToken:
			words := bytes.TrimLeft(text, htmlSpace)
			if in.something() || len(words) == 0 {
				continue
			}
			return edits, begin, whole || words[0] != '<'
		case html.CommentToken, html.DoctypeToken:
			if !whole && !closed(tt, text) {
				return edits, in.resume(begin, atEOF), false
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			tag := string(name)
			if in.templates == 0 && !inHead(tag) {
				return edits, begin, true
			}
			if in.templates == 0 && tag == "meta" {
				if e, ok := amendMeta(doc[begin:off], begin, amend); ok {
					edits = append(edits, e)
				}
			}
			in.enter(tag, begin)
		case html.EndTagToken:
			name, _ := z.TagName()
			tag := string(name)
			if in.templates == 0 && (tag == "head" || tag == "body" || tag == "html") {
				return edits, begin, true
			}
			in.leave(tag)
		}
	}
}

// inside is which elements of a head are open that hide what is in them.
type inside struct {
	raw       string // element whose content is text
	templates int
	since     int // where it, or the outermost template, began
}

func (in *inside) something() bool { return in.raw != "" || in.templates > 0 }

// resume is where to look again when there is more: at an open element's start
// tag, so that it is entered again.
func (in *inside) resume(at int, atEOF bool) int {
	if in.something() && !atEOF {
		return in.since
	}
	return at
}

func (in *inside) enter(tag string, at int) {
	hides := tag == "template" || isRaw(tag)
	if hides && !in.something() {
		in.since = at
	}
	if tag == "template" {
		in.templates++
	} else if isRaw(tag) {
		in.raw = tag
	}
}

func (in *inside) leave(tag string) {
	switch {
	case tag == in.raw:
		in.raw = ""
	case tag == "template" && in.templates > 0:
		in.templates--
	}
}

// isRaw names the head elements whose content is text.
func isRaw(name string) bool {
	switch name {
	case "script", "style", "title", "noscript", "noframes":
		return true
	}
	return false
}

// amendMeta returns the edit of a policy in a meta tag.
func amendMeta(tag []byte, at int, amend func(string) string) (edit, bool) {
	var equiv string
	var from, to int
	have := false
	for _, a := range attributes(tag) {
		switch a.name {
		case "http-equiv":
			if equiv == "" {
				equiv = strings.TrimSpace(a.value)
			}
		case "content":
			if !have {
				from, to, have = a.from, a.to, true
			}
		}
	}
	if !have || !strings.EqualFold(equiv, "content-security-policy") {
		return edit{}, false
	}
	old := unquote(tag[from:to])
	amended := amend(old)
	if amended == old {
		return edit{}, false
	}
	return edit{from: at + from, to: at + to, text: []byte(`"` + escaper.Replace(amended) + `"`)}, true
}

// attribute is one attribute of a tag; from and to are its value's place,
// quotes included.
type attribute struct {
	name, value string
	from, to    int
}

// attributes reads a start tag as the tokenizer does, but keeps the places.
func attributes(tag []byte) []attribute {
	var out []attribute
	i := 1
	for i < len(tag) && !strings.ContainsRune(htmlSpace+"/>", rune(tag[i])) {
		i++
	}
	for i < len(tag) {
		for i < len(tag) && strings.ContainsRune(htmlSpace+"/", rune(tag[i])) {
			i++
		}
		if i >= len(tag) || tag[i] == '>' {
			break
		}
		start := i
		for i++; i < len(tag) && !strings.ContainsRune(htmlSpace+"/>=", rune(tag[i])); i++ {
		}
		a := attribute{name: strings.ToLower(string(tag[start:i]))}
		j := i
		for j < len(tag) && strings.ContainsRune(htmlSpace, rune(tag[j])) {
			j++
		}
		if j < len(tag) && tag[j] == '=' {
			a.from, a.to = value(tag, j+1)
			a.value = unquote(tag[a.from:a.to])
			i = a.to
		}
		out = append(out, a)
	}
	return out
}

// value returns the place of an attribute's value from i on.
func value(tag []byte, i int) (from, to int) {
	for i < len(tag) && strings.ContainsRune(htmlSpace, rune(tag[i])) {
		i++
	}
	from = i
	if i < len(tag) && (tag[i] == '"' || tag[i] == '\'') {
		if end := bytes.IndexByte(tag[i+1:], tag[i]); end >= 0 {
			return from, i + 1 + end + 1
		}
		return from, len(tag)
	}
	for i < len(tag) && !strings.ContainsRune(htmlSpace+">", rune(tag[i])) {
		i++
	}
	return from, i
}

// unquote is what a browser reads of an attribute's value.
func unquote(v []byte) string {
	if len(v) >= 2 && (v[0] == '"' || v[0] == '\'') && v[len(v)-1] == v[0] {
		v = v[1 : len(v)-1]
	}
	return html.UnescapeString(string(v))
}
