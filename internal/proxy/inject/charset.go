package inject

import "strings"

// encoding is what matters of a document's encoding: how wide a unit is and,
// for UTF-16, which byte of it comes first. All other encodings of the web
// agree with ASCII where markup is concerned.
type encoding struct {
	width int  // bytes per unit: 1 or 2
	big   bool // high byte first
	bom   int  // bytes of the byte order mark
	sure  bool // said by a mark or the header, so that no <meta> is looked for
}

// marks are the byte order marks that browsers heed.
var marks = [...]struct {
	bytes string
	e     encoding
}{
	{"\xef\xbb\xbf", encoding{width: 1, bom: 3, sure: true}},
	{"\xfe\xff", encoding{width: 2, big: true, bom: 2, sure: true}},
	{"\xff\xfe", encoding{width: 2, bom: 2, sure: true}},
}

// sniff tells the encoding from the first bytes and the header's charset. A
// byte order mark wins over the header, as in browsers. more is true when the
// bytes do not suffice yet.
func sniff(head []byte, atEOF bool, charset string) (e encoding, more bool) {
	first := string(head[:min(3, len(head))])
	for _, m := range marks {
		if strings.HasPrefix(first, m.bytes) {
			return m.e, false
		}
		if !atEOF && strings.HasPrefix(m.bytes, first) {
			more = true
		}
	}
	if more {
		return encoding{}, true
	}
	switch strings.ToLower(charset) {
	case "utf-16", "utf-16le", "unicode", "ucs-2", "iso-10646-ucs-2", "csunicode", "unicodefeff":
		return encoding{width: 2, sure: true}, false
	case "utf-16be", "unicodefffe":
		return encoding{width: 2, big: true, sure: true}, false
	}
	return encoding{width: 1, sure: charset != ""}, false
}

// shadow returns one byte per unit of doc: ASCII as it is, everything else as
// a letter no markup uses. For one-byte encodings it is doc itself.
func (e encoding) shadow(doc []byte) []byte {
	if e.width == 1 {
		return doc
	}
	out := make([]byte, len(doc)/2)
	for i := range out {
		lo, hi := doc[2*i], doc[2*i+1]
		if e.big {
			lo, hi = hi, lo
		}
		if hi != 0 || lo >= 0x80 {
			lo = 0xff
		}
		out[i] = lo
	}
	return out
}

// encode writes ASCII text in the encoding.
func (e encoding) encode(ascii []byte) []byte {
	if e.width == 1 {
		return ascii
	}
	out := make([]byte, 0, 2*len(ascii))
	for _, c := range ascii {
		if e.big {
			out = append(out, 0, c)
		} else {
			out = append(out, c, 0)
		}
	}
	return out
}
