package inject

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// verdict of a look at the beginning of a document.
type verdict int

const (
	more  verdict = iota // the bytes do not tell yet
	found                // the tag goes at the position
	none                 // there is no document to put it into
)

const htmlSpace = " \t\n\f\r"

// sniffWindow is how far browsers look for <meta charset>.
const sniffWindow = 1024

// place finds where the tag goes in a document of which doc is the beginning,
// or the whole when atEOF. Everything before the position is doctype,
// comments, white space, <html> and <head>. undecided is the start of the
// token that could not be judged when the answer is more.
func place(doc []byte, atEOF bool) (pos int, v verdict, undecided int) {
	z := html.NewTokenizer(bytes.NewReader(doc))
	off, seen := 0, false
	for {
		tt := z.Next()
		begin := off
		raw := z.Raw()
		off += len(raw)
		whole := atEOF || off < len(doc)
		switch tt {
		case html.ErrorToken:
			switch {
			case !atEOF:
				return 0, more, begin
			case seen:
				return begin, found, begin
			}
			return 0, none, begin
		case html.TextToken:
			text := bytes.TrimLeft(raw, htmlSpace)
			if len(text) == 0 {
				continue
			}
			at := off - len(text)
			if !whole && text[0] == '<' { // perhaps the beginning of a tag
				return 0, more, at
			}
			return at, found, at
		case html.CommentToken, html.DoctypeToken:
			if off == len(doc) && !closed(tt, raw) {
				if atEOF { // it has no end: all that follows would be in it
					return 0, none, begin
				}
				return 0, more, begin
			}
			seen = true
		case html.StartTagToken, html.SelfClosingTagToken:
			seen = true
			switch name, _ := z.TagName(); string(name) {
			case "html":
			case "head":
				return off, found, off
			default:
				return begin, found, begin
			}
		case html.EndTagToken:
			switch name, _ := z.TagName(); string(name) {
			case "head", "body", "html", "br":
				return begin, found, begin
			}
		}
	}
}

// closed says whether a comment or doctype at the very end of the bytes is
// complete: the tokenizer closes them at the end of its input by itself.
func closed(tt html.TokenType, raw []byte) bool {
	if tt == html.CommentToken && bytes.HasPrefix(raw, []byte("<!--")) {
		return bytes.HasSuffix(raw, []byte("-->")) || bytes.HasSuffix(raw, []byte("--!>"))
	}
	return bytes.HasSuffix(raw, []byte(">"))
}

// afterCharset moves the position behind a <meta charset> that the tag would
// push out of the window in which browsers look for it. Nothing that runs may
// stand in between.
func afterCharset(doc []byte, pos, tagLen int, atEOF bool) (int, verdict) {
	if pos >= sniffWindow {
		return pos, found
	}
	z := html.NewTokenizer(bytes.NewReader(doc[pos:]))
	off, title := pos, false
	for off < sniffWindow {
		tt := z.Next()
		raw := z.Raw()
		off += len(raw)
		whole := atEOF || off < len(doc)
		switch tt {
		case html.ErrorToken:
			if atEOF || len(doc) >= sniffWindow {
				return pos, found
			}
			return 0, more
		case html.StartTagToken, html.SelfClosingTagToken:
			name, hasAttr := z.TagName()
			title = string(name) == "title"
			switch string(name) {
			case "meta":
				if hasAttr && namesCharset(z) {
					if off <= sniffWindow && off+tagLen > sniffWindow {
						return off, found
					}
					return pos, found
				}
			case "title", "link", "base":
			default:
				return pos, found
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) != "title" {
				return pos, found
			}
			title = false
		default:
			text := bytes.TrimLeft(raw, htmlSpace)
			if tt == html.TextToken && !title && len(text) > 0 && (whole || text[0] != '<') {
				return pos, found
			}
			if !whole && len(doc) < sniffWindow {
				return 0, more
			}
		}
	}
	return pos, found
}

// namesCharset reads a <meta>'s attributes.
func namesCharset(z *html.Tokenizer) bool {
	for {
		k, v, again := z.TagAttr()
		switch string(k) {
		case "charset":
			return true
		case "http-equiv":
			if strings.EqualFold(string(v), "content-type") {
				return true
			}
		}
		if !again {
			return false
		}
	}
}
