package ring

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

// cleaner assembles one stream's bytes into the current line. It keeps its
// place in an escape sequence between calls, so sequences may be cut anywhere
// by the reads.
type cleaner struct {
	line  []byte // what is kept of the current line, not yet made valid UTF-8
	cut   int64  // bytes of the line beyond MaxLine
	state escape
	seq   int   // bytes of the current escape sequence, to bound a false one
	csi   csi   // what must be known of a CSI sequence
	cr    bool  // a carriage return was seen: the next character starts the line over
	rough bool  // the line may hold more than printable ASCII
	at    int64 // when the last byte came
	safe  []byte
}

type escape uint8

const (
	ground escape = iota
	gotESC
	inCSI
	inString    // OSC, DCS, SOS, PM, APC: to BEL or ST
	inStringESC // ESC inside a string: ST if a backslash follows
	inCharset   // ESC and intermediate bytes: to a final byte
)

// maxSequence ends a "sequence" that never ends, as in binary output.
const maxSequence = 4096

// csi remembers the parameter of a sequence that edits the line.
type csi struct {
	param  int
	simple bool // digits only so far
}

// special marks the bytes at which the fast copy has to stop.
var special = func() (t [256]bool) {
	for b := range 0x20 {
		t[b] = b != '\t'
	}
	t[0x7f] = true
	return t
}()

// feed takes bytes up to and including the next line end. It returns how many
// it took and whether the line ended.
func (c *cleaner) feed(p []byte) (n int, ended bool) {
	if c.state == ground {
		// The bulk of all output is plain ASCII: taken by the line, not by the byte.
		n = bytes.IndexByte(p, '\n')
		ended = n >= 0
		if !ended {
			n = len(p)
		}
		if isPlain(p[:n]) {
			c.put(p[:n])
			if ended {
				n++
			}
			return n, ended
		}
		n = 0
	}
	for n < len(p) {
		if c.state == ground && !special[p[n]] {
			start := n
			for n < len(p) && !special[p[n]] {
				n++
			}
			c.rough = true
			c.put(p[start:n])
			continue
		}
		b := p[n]
		n++
		if b == '\n' {
			// A line end ends any sequence too: no real one spans lines, and binary
			// output must not swallow the rest.
			c.state = ground
			return n, true
		}
		if c.state != ground {
			if c.inSequence(b) {
				n-- // not part of the sequence: look at it again
			}
			continue
		}
		c.control(b)
	}
	return n, false
}

// put appends plain bytes to the line.
func (c *cleaner) put(p []byte) {
	if len(p) == 0 {
		return
	}
	c.startOver()
	if room := MaxLine - len(c.line); len(p) > room {
		room = max(room, 0)
		c.cut += int64(len(p) - room)
		p = p[:room]
	}
	c.line = append(c.line, p...)
}

// startOver drops what a carriage return has made overwritable.
func (c *cleaner) startOver() {
	if c.cr {
		c.erase()
		c.cr = false
	}
}

func (c *cleaner) erase() {
	c.line, c.cut = c.line[:0], 0
}

// control acts on a control character outside sequences.
func (c *cleaner) control(b byte) {
	switch b {
	case '\r':
		c.cr = true
	case 0x1b:
		c.state, c.seq = gotESC, 0
	case '\b':
		if c.cut == 0 && !c.cr {
			_, w := utf8.DecodeLastRune(c.line)
			c.line = c.line[:len(c.line)-w]
		}
	case 0x07, 0x0e, 0x0f:
		// Bell and character-set shifts show nothing.
	default:
		c.rough = true
		c.put([]byte{b}) // replaced when the line is made safe
	}
}

// inSequence takes one byte of an escape sequence. It reports true when the
// byte is not part of it.
func (c *cleaner) inSequence(b byte) (again bool) {
	c.seq++
	if c.seq > maxSequence {
		c.state = ground
		return true
	}
	switch c.state {
	case gotESC:
		return c.afterESC(b)
	case inCSI:
		return c.csiByte(b)
	case inString:
		switch b {
		case 0x07:
			c.state = ground
		case 0x1b:
			c.state = inStringESC
		}
	case inStringESC:
		if b == '\\' {
			c.state = ground
			return false
		}
		c.state = gotESC
		return c.afterESC(b)
	case inCharset:
		if b >= 0x20 && b <= 0x2f {
			return false
		}
		c.state = ground
		return b < 0x30 || b > 0x7e
	}
	return false
}

func (c *cleaner) afterESC(b byte) (again bool) {
	switch {
	case b == '[':
		c.state, c.csi = inCSI, csi{simple: true}
	case b == ']' || b == 'P' || b == 'X' || b == '^' || b == '_':
		c.state = inString
	case b >= 0x20 && b <= 0x2f:
		c.state = inCharset
	case b == 0x1b:
	case b >= 0x30 && b <= 0x7e:
		c.state = ground
	default:
		c.state = ground
		return true
	}
	return false
}

func (c *cleaner) csiByte(b byte) (again bool) {
	switch {
	case b >= '0' && b <= '9':
		c.csi.param = min(c.csi.param*10+int(b-'0'), 9999)
	case b >= 0x20 && b <= 0x3f:
		c.csi.simple = false
	case b >= 0x40 && b <= 0x7e:
		c.state = ground
		c.edit(b)
	default:
		c.state = ground
		return true
	}
	return false
}

// edit acts on the sequences by which progress displays rewrite their line.
func (c *cleaner) edit(final byte) {
	switch {
	case !c.csi.simple:
	case final == 'K' && (c.csi.param == 2 || c.csi.param == 0 && c.cr): // erase the line, or from its first column
		c.erase()
		c.cr = false
	case final == 'G' && c.csi.param <= 1: // to the first column
		c.cr = true
	}
}

// pending reports whether there is an unfinished line to show.
func (c *cleaner) pending() bool { return len(c.line) > 0 || c.cut > 0 }

// clear forgets the current line.
func (c *cleaner) clear() {
	if cap(c.line) > 8<<10 && len(c.line) < 4<<10 {
		c.line = nil // one long line must not hold its memory for ever
	}
	c.line, c.cut, c.cr, c.rough = c.line[:0], 0, false, false
}

// reset forgets the line and any sequence begun.
func (c *cleaner) reset() {
	c.clear()
	c.state = ground
}

// take returns the finished line's safe text, valid until the next call, and
// how many bytes of the line are not in it.
func (c *cleaner) take() ([]byte, int64) { return c.peek() }

// peek returns the line as it stands, made safe.
func (c *cleaner) peek() ([]byte, int64) {
	line, cut := c.line, c.cut
	if !c.rough {
		return line, cut
	}
	if cut > 0 {
		// Do not leave half a character at the cut.
		for back := 0; back < utf8.UTFMax && len(line) > 0; back++ {
			if r, w := utf8.DecodeLastRune(line); r != utf8.RuneError || w != 1 {
				break
			}
			line = line[:len(line)-1]
			cut++
		}
	}
	if isSafe(line) {
		return line, cut
	}
	c.safe = makeSafe(c.safe[:0], line)
	return c.safe, cut
}

// isPlain reports whether p is printable ASCII only, eight bytes at a time.
func isPlain(p []byte) bool {
	const (
		ones = 0x0101010101010101
		high = 0x8080808080808080
	)
	for len(p) >= 8 {
		x := binary.LittleEndian.Uint64(p)
		del := x ^ 0x7f*ones
		// In turn: a byte from 0x80 on, one below 0x20, one that is 0x7f.
		if (x|(x-0x20*ones)|(del-ones)&^del)&high != 0 {
			return false
		}
		p = p[8:]
	}
	for _, b := range p {
		if b < 0x20 || b >= 0x7f {
			return false
		}
	}
	return true
}

func isSafe(p []byte) bool {
	ascii := byte(0)
	for _, b := range p {
		if special[b] {
			return false
		}
		ascii |= b
	}
	if ascii < 0x80 {
		return true
	}
	for len(p) > 0 {
		r, w := utf8.DecodeRune(p)
		if r == utf8.RuneError && w == 1 || r >= 0x80 && r < 0xa0 {
			return false
		}
		p = p[w:]
	}
	return true
}

// makeSafe appends p to dst with everything that is no printable text, C0 and
// C1 controls and invalid UTF-8, replaced by U+FFFD. A run of such bytes
// becomes one mark, so that binary output stays short.
func makeSafe(dst, p []byte) []byte {
	bad := false
	for len(p) > 0 {
		r, w := utf8.DecodeRune(p)
		if r == utf8.RuneError && w == 1 || r < 0x20 && r != '\t' || r >= 0x7f && r < 0xa0 {
			if !bad {
				dst = append(dst, "\uFFFD"...)
			}
			bad = true
		} else {
			dst = append(dst, p[:w]...)
			bad = false
		}
		p = p[w:]
	}
	return dst
}
