package inject

import "bytes"

// quickPlace is place for the beginning that nearly every page has: a plain
// doctype, <html> with ordinary attributes, <head>. It answers only when it is
// sure; all else is the tokenizer's.
func quickPlace(doc []byte) (pos int, ok bool) {
	i := skipSpace(doc, 0)
	if !foldAt(doc, i, "<!doctype html>") {
		return 0, false
	}
	i = skipSpace(doc, i+len("<!doctype html>"))
	if !foldAt(doc, i, "<html") {
		return 0, false
	}
	if i = tagEnd(doc, i+len("<html")); i < 0 {
		return 0, false
	}
	i = skipSpace(doc, i)
	if !foldAt(doc, i, "<head>") {
		return 0, false
	}
	return i + len("<head>"), true
}

// beginsWhole says whether doc begins with a doctype or an html tag, or as XML
// does; known is false while that cannot be told.
func beginsWhole(doc []byte, atEOF, xml bool) (whole, known bool) {
	i := skipSpace(doc, 0)
	if len(doc)-i < len("<!doctype") && !atEOF {
		return false, false
	}
	return foldAt(doc, i, "<!doctype") || foldAt(doc, i, "<html") || xml && foldAt(doc, i, "<?xml"), true
}

func skipSpace(doc []byte, i int) int {
	for i < len(doc) && (doc[i] == ' ' || doc[i] == '\n' || doc[i] == '\r' || doc[i] == '\t' || doc[i] == '\f') {
		i++
	}
	return i
}

// foldAt says whether doc has text at i, in any case. text is lower case.
func foldAt(doc []byte, i int, text string) bool {
	if i < 0 || len(doc)-i < len(text) {
		return false
	}
	for j := range len(text) {
		c := doc[i+j]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != text[j] {
			return false
		}
	}
	return true
}

// tagEnd returns the index after the '>' of a tag whose attributes begin at i;
// -1 when it is not there or quotes stand where one would have to think.
func tagEnd(doc []byte, i int) int {
	if i >= len(doc) || doc[i] != '>' && skipSpace(doc, i) == i {
		return -1
	}
	for ; i < len(doc); i++ {
		switch c := doc[i]; c {
		case '>':
			return i + 1
		case '"', '\'':
			if doc[i-1] != '=' {
				return -1
			}
			end := bytes.IndexByte(doc[i+1:], c)
			if end < 0 {
				return -1
			}
			i += 1 + end
		}
	}
	return -1
}

// quickHead says whether a window surely shows a whole head without a policy:
// its end and the body's beginning are there, and a policy's name is nowhere.
func quickHead(doc []byte) bool {
	return containsFold(doc, "</head", '/', 1) && containsFold(doc, "<body", 'y', 4) && !containsFold(doc, "security-policy", '-', 8)
}

// containsFold looks for text in any case by its byte mark at offset at. mark
// is no letter, or a rare one.
func containsFold(doc []byte, text string, mark byte, at int) bool {
	return indexFold(doc, text, mark, at) || 'a' <= mark && mark <= 'z' && indexFold(doc, text, mark-'a'+'A', at)
}

func indexFold(doc []byte, text string, mark byte, at int) bool {
	for i := 0; ; i++ {
		j := bytes.IndexByte(doc[i:], mark)
		if j < 0 {
			return false
		}
		i += j
		if foldAt(doc, i-at, text) {
			return true
		}
	}
}
