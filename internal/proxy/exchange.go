package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"oriel/internal/proxy/forward"
	"oriel/internal/proxy/origin"
)

// exchange is one request on its way to the target and its answer on the way
// back. It belongs to the handler's goroutine.
type exchange struct {
	p     *Proxy
	w     http.ResponseWriter
	in    *http.Request
	out   forward.Request
	names origin.Map // target's and proxy's origin, as this browser sees them

	resp *http.Response // the target's answer, never changed
	head http.Header    // what the browser gets
	body io.Reader      // what the browser gets
	rec  record
	doc  document

	named bool // a header of the answer has the target's origin in it

	fields [8]forward.Field // backs out.Set
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !p.hosts.Allow(r.Host):
		refuse(w, http.StatusForbidden, "this proxy does not answer for the host name "+quoteHost(r.Host))
		return
	case strings.HasPrefix(r.URL.Path, Prefix) || r.URL.Path == strings.TrimSuffix(Prefix, "/"):
		p.serveDevtool(w, r)
		return
	case r.Method == http.MethodConnect:
		refuse(w, http.StatusMethodNotAllowed, "this is a reverse proxy: CONNECT is not for it")
		return
	}
	if !p.life.TryRLock() {
		panic(http.ErrAbortHandler)
	}
	defer p.life.RUnlock()
	p.requests.Add(1)
	p.active.Add(1)
	defer p.active.Add(-1)
	x := &exchange{p: p, w: w, in: r}
	x.names = origin.Map{Target: p.target, Proxy: p.hosts.Of(r)}
	x.out.In = r
	x.out.Set = x.fields[:0]
	for _, s := range stages {
		if s.request != nil {
			s.request(x)
		}
	}
	if forward.IsUpgrade(r.Header) {
		x.upgrade()
		return
	}
	x.forward()
}

// set replaces a header of the request; "" removes it.
func (x *exchange) set(name, value string) {
	x.out.Set = append(x.out.Set, forward.Field{Name: name, Value: value})
}

func (x *exchange) forward() {
	info := &interim{w: x.w}
	x.out.Info = info.send
	if x.in.ContentLength != 0 {
		// The target may answer while the browser still sends; without this
		// the server would eat the rest of the upload before answering.
		http.NewResponseController(x.w).EnableFullDuplex()
	}
	resp, err := x.p.client.Do(&x.out)
	info.close()
	if err == nil && resp.StatusCode < 200 { // nothing a server may say at the end
		resp.Body.Close()
		err = fmt.Errorf("the target answered with the status %q", resp.Status)
	}
	if err != nil {
		x.fail(err)
		return
	}
	x.answer(resp)
}

// answer passes the target's answer on.
func (x *exchange) answer(resp *http.Response) {
	defer resp.Body.Close()
	x.prepare(resp)
	trailers := announce(x.head, resp)
	x.w.WriteHeader(resp.StatusCode)
	if x.in.Method == http.MethodHead || resp.Body == http.NoBody {
		x.finish(nil)
		return
	}
	_, err := forward.Copy(x.w, x.in, x.body)
	if err == nil && len(resp.Trailer) > 0 {
		sendTrailers(x.w, resp.Trailer, trailers)
	}
	x.finish(err)
	if err != nil {
		// A clean end would tell the browser that this was all of it.
		panic(http.ErrAbortHandler)
	}
}

// prepare makes the browser's head and body and runs the stages on them.
func (x *exchange) prepare(resp *http.Response) {
	x.resp, x.body, x.head = resp, resp.Body, x.w.Header()
	nominated := forward.Nominated(resp.Header)
	for name, values := range resp.Header {
		if !forward.Hop(name) {
			x.head[name] = values
			x.named = x.named || origin.Named(values, x.p.targetText)
		}
	}
	for _, name := range nominated {
		delete(x.head, name)
	}
	// The server would add both of its own accord.
	for _, name := range [...]string{"Date", "Content-Type"} {
		if _, ok := x.head[name]; !ok {
			x.head[name] = nil
		}
	}
	for _, s := range stages {
		s.response(x)
	}
}

// fail answers for a target that gave no answer.
func (x *exchange) fail(err error) {
	if x.in.Context().Err() != nil || errors.Is(err, forward.ErrClient) {
		x.finish(context.Canceled)
		panic(http.ErrAbortHandler)
	}
	x.p.failed.Add(1)
	x.writeDown(err)
	x.finish(err)
}

// finish tells what passed. err is nil for a whole answer.
func (x *exchange) finish(err error) {
	x.rec.end = time.Now()
	if err != nil {
		x.rec.aborted = errors.Is(err, forward.ErrClient) || errors.Is(err, context.Canceled) || x.in.Context().Err() != nil
		if !x.rec.aborted {
			x.rec.err = x.explain(err)
		}
	}
	x.recordEnd()
}

// announce declares the trailers that will follow.
func announce(h http.Header, resp *http.Response) int {
	for name := range resp.Trailer {
		h.Add("Trailer", name)
	}
	if len(resp.Trailer) > 0 {
		h.Del("Content-Length")
	}
	return len(resp.Trailer)
}

// sendTrailers sends the trailers, also those the target had not declared.
func sendTrailers(w http.ResponseWriter, t http.Header, declared int) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush() // fixes the body as chunked
	}
	h := w.Header()
	for name, values := range t {
		if len(t) != declared {
			name = http.TrailerPrefix + name
		}
		h[name] = values
	}
}

// interim passes 1xx answers on. The transport may report one while the
// handler has already gone on; then it is dropped.
type interim struct {
	mu   sync.Mutex
	w    http.ResponseWriter
	done bool
}

func (i *interim) send(status int, h http.Header) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.done {
		return
	}
	head := i.w.Header()
	for name, values := range h {
		if !forward.Hop(name) {
			head[name] = values
		}
	}
	i.w.WriteHeader(status)
	clear(head)
}

func (i *interim) close() {
	i.mu.Lock()
	i.done = true
	i.mu.Unlock()
}
