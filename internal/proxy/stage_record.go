package proxy

import (
	"bytes"
	"io"
	"net/http"
	"time"

	"oriel/internal/journal"
	"oriel/internal/proxy/decode"
	"oriel/internal/proxy/kind"
)

// record is what will be told of an exchange.
type record struct {
	start, head, end time.Time
	request          *tee // nil without a body
	response         *tee
	codings          []string // still on the response's kept bytes
	wire             *counter // counts the response's bytes before decoding
	err              string
	aborted          bool
}

// recordRequest notes the time and keeps a copy of the request's body as it
// passes. The header needs no copy: nothing changes it on the way.
func (x *exchange) recordRequest() {
	x.rec.start = time.Now()
	if x.in.ContentLength != 0 && x.in.Body != nil {
		x.rec.request = &tee{src: x.in.Body, room: x.p.room(x.in.Header), hint: x.in.ContentLength}
		x.out.Body = x.rec.request
	}
}

// recordResponse keeps a copy of the answer's body as it passes, as the target
// sent it.
func (x *exchange) recordResponse() {
	x.rec.head = time.Now()
	if x.resp.Body == http.NoBody || x.in.Method == http.MethodHead {
		return
	}
	x.rec.codings = decode.Codings(x.resp.Header["Content-Encoding"])
	room := x.p.room(x.resp.Header)
	if x.resp.StatusCode >= 400 && len(x.resp.Header["Content-Type"]) == 0 && x.p.cfg.Record != nil {
		room = max(0, x.p.limit) // dev servers say why without saying in what
	}
	x.rec.response = &tee{src: x.body, room: room, hint: x.resp.ContentLength}
	x.body = x.rec.response
}

// decoded undoes the codings of the body that is being recorded, so that the
// record need not do it again. src is the record's own reader.
func (r *record) decoded(codings []string, src io.Reader) io.Reader {
	t := r.response
	r.wire = &counter{src: t.src}
	d, err := decode.Reader(codings, r.wire)
	if err != nil {
		return src // codings were checked before
	}
	t.src, t.free = d, d
	r.codings = nil
	return t
}

// room is how much of a body with that header is kept.
func (p *Proxy) room(h http.Header) int64 {
	if p.limit <= 0 || p.cfg.Record == nil || !kind.Text(h) {
		return 0
	}
	return p.limit
}

// recordEnd hands the entry over, redacted. Bodies that must be decoded first
// are done elsewhere, so that the browser does not wait for it.
func (x *exchange) recordEnd() {
	r := &x.rec
	if r.response != nil && r.response.free != nil {
		r.response.free.Close()
	}
	if x.doc.reader != nil && x.doc.reader.Injected() {
		x.p.injected.Add(1)
	}
	if x.p.cfg.Record == nil {
		return
	}
	e := x.entry()
	sent := decode.Codings(x.in.Header["Content-Encoding"])
	up, down := len(sent) > 0 && len(e.HTTP.RequestBody.Data) > 0, len(r.codings) > 0 && len(e.HTTP.ResponseBody.Data) > 0
	if up || down {
		x.p.late.do(func() {
			if up {
				x.p.decodeBody(&e.HTTP.RequestBody, sent, kind.Media(e.HTTP.RequestHead))
			}
			if down {
				x.p.decodeBody(&e.HTTP.ResponseBody, r.codings, kind.Media(e.HTTP.ResponseHead))
			}
			x.p.cfg.Record(e)
		})
	} else {
		x.p.cfg.Record(e)
	}
	if x.doc.note != "" {
		x.p.cfg.Record(journal.Entry{
			Kind: journal.KindConsole, Time: r.end, Proxy: x.p.cfg.ID,
			Console: &journal.Console{Level: "info", Text: x.doc.note + " (" + e.HTTP.URL + ")", Count: 1},
		})
	}
}

// entry is the exchange as the journal has it.
func (x *exchange) entry() journal.Entry {
	r := &x.rec
	h := &journal.HTTP{
		Method: x.in.Method, URL: x.p.rules.URL(x.in.RequestURI), Proto: x.in.Proto,
		RequestHead: x.in.Header, Duration: r.end.Sub(r.start), Error: r.err, Aborted: r.aborted,
	}
	if d := x.in.Header["Sec-Fetch-Dest"]; len(d) > 0 {
		h.Destination = d[0]
	}
	if r.request != nil {
		h.RequestBody = x.p.body(r.request, kind.Media(x.in.Header), len(decode.Codings(x.in.Header["Content-Encoding"])) == 0)
	}
	x.p.rules.Header(h.RequestHead)
	if x.resp != nil {
		h.Status, h.Proto = x.resp.StatusCode, x.resp.Proto
		h.ResponseHead = x.resp.Header
		h.TTFB = r.head.Sub(r.start)
		h.Injected = x.doc.reader != nil && x.doc.reader.Injected()
		if r.response != nil {
			h.ResponseBody = x.p.body(r.response, kind.Media(x.resp.Header), len(r.codings) == 0)
			if r.wire != nil {
				h.ResponseBody.Size = r.wire.n
			}
		}
		x.p.rules.Header(h.ResponseHead)
	}
	return journal.Entry{Kind: journal.KindHTTP, Time: r.start, Proxy: x.p.cfg.ID, HTTP: h}
}

// body is what was kept of a body. One that is not plain waits for decodeBody.
func (p *Proxy) body(t *tee, media string, plain bool) journal.Body {
	size, data := t.state()
	b := journal.Body{Size: size, Data: data, Cut: len(data) > 0 && int64(len(data)) < size}
	if plain && len(data) > 0 {
		b.Data = p.rules.Body(media, data)
	}
	return b
}

// decodeBody replaces kept coded bytes by what they say.
func (p *Proxy) decodeBody(b *journal.Body, codings []string, media string) {
	coded := b.Data
	b.Data = nil
	d, err := decode.Reader(codings, bytes.NewReader(coded))
	if err != nil {
		b.Cut = true
		return
	}
	defer d.Close()
	plain, err := io.ReadAll(io.LimitReader(d, p.limit+1))
	if err != nil {
		b.Cut = true
	}
	if int64(len(plain)) > p.limit {
		plain, b.Cut = plain[:p.limit], true
	}
	b.Data = p.rules.Body(media, plain)
}
