package proxy

import (
	"net/http"
	"strconv"

	"oriel/internal/proxy/decode"
	"oriel/internal/proxy/inject"
	"oriel/internal/proxy/kind"
)

// document is what the exchange knows of the page it carries, if it does.
type document struct {
	asked  bool   // the browser wants a document
	maybe  bool   // it is a worker that asks, perhaps for a page to show later
	tag    Tag    //
	print  string // fingerprint of the agent, part of the document's ETag
	same   bool   // the browser holds this document with this very tag
	inject bool   // the answer is one, and the tag goes in
	xml    bool
	sniff  bool   // the target does not say what it is: the browser will look
	set    string // charset of the header
	nonce  string
	typed  bool

	noInline bool // the header's policies let no inline script run

	reader *inject.Reader
	note   string // why a document went without
}

// htmlRequest asks for documents as they are, since they are going to be read,
// and translates the validators of documents changed earlier.
func (x *exchange) htmlRequest() {
	x.doc.asked = isDocument(x.in)
	if !x.doc.asked && x.p.workers.asks(x.in) {
		x.doc.asked, x.doc.maybe = true, true
	}
	if x.doc.asked && x.p.cfg.Tag != nil {
		x.doc.tag = x.p.cfg.Tag(x.in)
	}
	plain := x.doc.tag.Render("", false)
	if plain == nil {
		x.doc.asked = false
	} else {
		x.doc.print = inject.Fingerprint(x.doc.tag.Src, x.p.nonce)
		if _, ok := x.in.Header["Accept-Encoding"]; ok && !x.doc.maybe {
			x.set("Accept-Encoding", "identity")
		}
	}
	x.validators()
}

// judgeDocument says whether policies must let the agent in: the answer is a
// document that gets the tag, or says that the one the browser has is fresh.
func (x *exchange) judgeDocument() bool {
	if !x.doc.asked {
		return false
	}
	if x.resp.StatusCode == http.StatusNotModified {
		return x.doc.same
	}
	x.doc.inject = x.injectable()
	return x.doc.inject
}

func (x *exchange) injectable() bool {
	h := x.resp.Header
	switch code := x.resp.StatusCode; {
	case code < 200, code == http.StatusNoContent, code == http.StatusResetContent, code == http.StatusPartialContent, code >= 300 && code < 400:
		return false
	case x.resp.ContentLength == 0 && x.in.Method != http.MethodHead:
		return false
	}
	media, set, ok := kind.HTML(h)
	x.doc.sniff = !ok && kind.Sniffed(h)
	if !ok && !x.doc.sniff || kind.Attachment(h) || !decode.Known(decode.Codings(h["Content-Encoding"])) {
		return false
	}
	x.doc.xml, x.doc.set = media == "application/xhtml+xml", set
	return true
}

// htmlResponse puts the tag into the document.
func (x *exchange) htmlResponse() {
	x.separate()
	if x.doc.asked && x.doc.same && x.resp.StatusCode == http.StatusNotModified {
		x.weaken()
		return
	}
	if !x.doc.inject {
		return
	}
	x.doc.tag.Integrity = x.integrity()
	tag := x.doc.tag.For(!x.doc.noInline).Render(x.doc.nonce, x.doc.xml)
	if tag == nil {
		x.doc.inject = false
		return
	}
	x.weaken()
	for _, name := range [...]string{"Content-Length", "Content-Encoding", "Accept-Ranges", "Content-Md5", "Digest", "Content-Digest", "Repr-Digest"} {
		delete(x.head, name)
	}
	if x.in.Method == http.MethodHead {
		return
	}
	codings := decode.Codings(x.resp.Header["Content-Encoding"])
	src := x.body
	if len(codings) > 0 {
		src = x.rec.decoded(codings, src)
	}
	r := inject.NewReader(src, inject.Options{Tag: tag, XML: x.doc.xml, Charset: x.doc.set, Whole: x.doc.maybe || x.doc.sniff, HTML: x.doc.sniff, Amend: x.amendMeta})
	x.doc.reader, x.body = r, r
	if len(codings) == 0 {
		x.settle(r)
	}
}

// settle keeps a length where it can be known: the beginning is here already
// and shows all that will change.
func (x *exchange) settle(r *inject.Reader) {
	if b, ok := x.resp.Body.(interface{ Buffered() int }); !ok || b.Buffered() == 0 {
		return
	}
	r.Prime()
	if r.Settled() && x.resp.ContentLength > 0 {
		x.head["Content-Length"] = []string{strconv.FormatInt(x.resp.ContentLength+r.Delta(), 10)}
	}
}
