package inject

import (
	"bytes"
	"io"
	"sync"
)

const (
	firstRead = 32 << 10
	maxPrefix = 128 << 10 // how much is looked at to find the place
	maxHead   = 512 << 10 // how much of a head is looked through for policies
)

// Options say what goes into a document.
type Options struct {
	Tag     []byte // as Render wrote it
	XML     bool   // the document is XML
	Charset string // of the Content-Type header, "" when it has none
	Whole   bool   // leave alone what does not begin as a whole document does
	HTML    bool   // with Whole: XML is left alone too
	// Amend returns what a policy in a <meta> becomes. Nil leaves them alone.
	Amend func(policy string) string
}

// state is how far the document is judged.
type state int

const (
	seeking  state = iota // for the place of the tag
	heading               // through the head, for policies
	verbatim              // nothing more is changed
)

// Reader is a document with the tag in it.
type Reader struct {
	src   io.Reader
	opt   Options
	enc   encoding
	state state
	open  bool   // encoding known
	win   []byte // read from src, not yet given out
	segs  [][]byte
	err   error // of src
	in    bool
	delta int64 // bytes added so far
	seen  int   // bytes of the head given out while heading

	inToken bool             // the window begins with a token that has not ended
	lent    *[firstRead]byte // backs the window until it outgrows it
}

// Nexter is implemented by sources that can hand out what they have at hand
// without a copy: good until their next use. end: nothing follows.
type Nexter interface {
	Next() (p []byte, end bool)
}

// NewReader returns src with the tag of o in it. What it holds at any time is
// the part of the head that is not judged yet.
func NewReader(src io.Reader, o Options) *Reader { return &Reader{src: src, opt: o} }

// Injected says whether the tag went in.
func (r *Reader) Injected() bool { return r.in }

// Delta is how many bytes longer the document gets, once Settled.
func (r *Reader) Delta() int64 { return r.delta }

// Settled says whether nothing more will change.
func (r *Reader) Settled() bool { return r.state == verbatim }

// Verbatim returns the source once everything before it was given out.
func (r *Reader) Verbatim() (io.Reader, bool) {
	return r.src, r.state == verbatim && len(r.segs) == 0 && r.err == nil
}

// Buffered is how many bytes can be read without waiting.
func (r *Reader) Buffered() int {
	n := 0
	for _, s := range r.segs {
		n += len(s)
	}
	if n == 0 {
		if b, ok := r.src.(interface{ Buffered() int }); ok {
			return b.Buffered()
		}
	}
	return n
}

// Prime reads what the source has at hand, once, so that a document that comes
// whole is settled before its header is written.
func (r *Reader) Prime() {
	if r.state != verbatim && r.err == nil {
		r.fill()
	}
}

// Read implements io.Reader. It returns what is settled and waits only when
// there is nothing.
func (r *Reader) Read(p []byte) (int, error) {
	n := 0
	for {
		for len(r.segs) > 0 && n < len(p) {
			m := copy(p[n:], r.segs[0])
			n += m
			if r.segs[0] = r.segs[0][m:]; len(r.segs[0]) == 0 {
				r.segs = r.segs[1:]
			}
		}
		if len(r.segs) == 0 && r.state == verbatim {
			r.giveBack()
		}
		switch {
		case len(r.segs) > 0:
			return n, nil
		case r.err != nil && r.state == verbatim:
			return n, r.err
		case n > 0:
			return n, nil
		case r.state == verbatim:
			return r.src.Read(p)
		}
		r.fill()
	}
}

// Pieces implements forward.Pieces: what is settled, without a copy.
func (r *Reader) Pieces() (pieces [][]byte, end bool) {
	if r.state != verbatim {
		return nil, false
	}
	pieces, r.segs = r.segs, nil
	return pieces, r.err != nil
}

// windows are the first buffers of documents. One is given back when all of
// it was given out; a document left unread keeps its own.
var windows = sync.Pool{New: func() any { return new([firstRead]byte) }}

func (r *Reader) giveBack() {
	if r.lent != nil {
		r.win, r.segs = nil, nil
		windows.Put(r.lent)
		r.lent = nil
	}
}

// fill reads once and judges what came.
func (r *Reader) fill() {
	if r.win == nil && r.lent == nil && r.borrow() {
		return
	}
	if r.win == nil && r.lent == nil {
		r.lent = windows.Get().(*[firstRead]byte)
		r.win = r.lent[:0]
	} else if cap(r.win)-len(r.win) < firstRead/4 {
		grown := make([]byte, len(r.win), max(firstRead, 2*cap(r.win)))
		copy(grown, r.win)
		r.win = grown
	}
	n, err := r.src.Read(r.win[len(r.win):cap(r.win)])
	fresh := r.win[len(r.win) : len(r.win)+n]
	r.win = r.win[:len(r.win)+n]
	if err != nil {
		r.err = err
	}
	if n == 0 && err == nil {
		return
	}
	if r.err != nil && r.err != io.EOF {
		r.give(len(r.win)) // a broken document is passed on as far as it came
		r.state = verbatim
		return
	}
	r.judge(fresh)
}

// borrow judges what the source has at hand where it lies. Growing the window
// is what copies it, and comes before the source is read again.
func (r *Reader) borrow() bool {
	src, ok := r.src.(Nexter)
	if !ok {
		return false
	}
	p, end := src.Next()
	if len(p) == 0 {
		return false
	}
	if end {
		r.err = io.EOF
	}
	r.win = p[:len(p):len(p)]
	r.judge(r.win)
	return true
}

func (r *Reader) judge(fresh []byte) {
	atEOF := r.err == io.EOF
	if !r.open {
		e, wait := sniff(r.win, atEOF, r.opt.Charset)
		if wait {
			return
		}
		r.enc, r.open = e, true
		r.seek(atEOF)
	} else if r.state != verbatim && r.inToken && !atEOF && len(r.win) < maxPrefix && bytes.IndexByte(fresh, '>') < 0 {
		return // the token at hand goes on: looking again would be in vain
	} else if r.state == seeking {
		r.seek(atEOF)
	}
	if r.state == heading {
		r.head(atEOF)
	}
	if atEOF {
		r.give(len(r.win))
		r.state = verbatim
	}
}

// unfinished says whether doc begins inside a token that only '>' can end.
func unfinished(doc []byte) bool {
	if len(doc) < 2 || doc[0] != '<' {
		return false
	}
	c := doc[1] | 0x20
	return 'a' <= c && c <= 'z' || doc[1] == '!' || doc[1] == '/' || doc[1] == '?'
}

// seek looks for the place and puts the tag there.
func (r *Reader) seek(atEOF bool) {
	doc := r.enc.shadow(r.win[r.enc.bom:])
	find := place
	if r.opt.XML {
		find = placeXML
	}
	if r.opt.Whole {
		switch whole, known := beginsWhole(doc, atEOF, !r.opt.HTML); {
		case !known:
			return
		case !whole:
			r.pass()
			return
		}
	}
	pos, quick := quickPlace(doc)
	v, undecided := found, pos
	if !quick || r.opt.XML {
		pos, v, undecided = find(doc, atEOF)
	}
	tag := r.opt.Tag
	if v == found && !r.enc.sure && !r.opt.XML {
		pos, v = afterCharset(doc, pos, len(tag), atEOF)
	}
	r.inToken = v == more && undecided <= len(doc) && unfinished(doc[undecided:])
	full := len(r.win) >= maxPrefix
	switch {
	case v == more && full && !r.opt.XML && undecided > 0:
		// An endless comment: before it is where the parser takes it too.
		pos, v = undecided, found
	case v == more && full:
		v = none
	}
	switch v {
	case found:
		r.give(r.enc.bom + pos*r.enc.width)
		r.put(r.enc.encode(tag))
		r.in = true
		r.state = heading
		if r.opt.Amend == nil {
			r.pass()
		}
	case none:
		r.pass()
	}
}

// head amends the policies in what there is of the head.
func (r *Reader) head(atEOF bool) {
	doc := r.enc.shadow(r.win)
	if r.seen == 0 && quickHead(doc) {
		r.pass()
		return
	}
	edits, upTo, done := policies(doc, atEOF, r.opt.Amend)
	at, w := 0, r.enc.width
	for _, e := range edits {
		r.give((e.from - at) * w)
		text := r.enc.encode(e.text)
		r.put(text)
		cut := (e.to - e.from) * w
		r.win = r.win[cut:]
		r.delta -= int64(cut)
		at = e.to
	}
	r.give((upTo - at) * w)
	r.inToken = unfinished(doc[upTo:])
	r.seen += upTo
	if done || r.seen+len(r.win) > maxHead {
		r.pass()
	}
}

// give moves n bytes of the window to what is given out.
func (r *Reader) give(n int) {
	if n > 0 {
		r.segs = append(r.segs, r.win[:n:n])
		r.win = r.win[n:]
	}
}

// put adds bytes of our own.
func (r *Reader) put(b []byte) {
	r.segs = append(r.segs, b)
	r.delta += int64(len(b))
}

// pass gives out all there is and ends the looking.
func (r *Reader) pass() {
	r.give(len(r.win))
	r.win = nil
	r.state = verbatim
}
