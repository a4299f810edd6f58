package forward

import (
	"fmt"
	"io"
	"net/http"
	"sync"
)

// maxSmall is the longest body that is read before its request is sent.
const maxSmall = 16 << 10

var smallBodies = sync.Pool{New: func() any { return new([maxSmall]byte) }}

// small says whether a request's body is so short that it may be read before
// anything is sent, so that both go out in one write. A client that waits for
// a go-ahead is passed on at once.
func small(r *http.Request) bool {
	return r.ContentLength >= 0 && r.ContentLength <= maxSmall && len(r.Header["Expect"]) == 0
}

// doSmall sends a request that must not be sent twice, with a short body or
// none. Kept connections are looked at before they are used.
func (c *Client) doSmall(r *Request) (*http.Response, error) {
	if r.In.ContentLength == 0 {
		return c.direct.do(r, c.host, nil, false)
	}
	lent := smallBodies.Get().(*[maxSmall]byte)
	defer smallBodies.Put(lent)
	body := lent[:r.In.ContentLength]
	src := io.Reader(r.In.Body)
	if r.Body != nil {
		src = r.Body
	}
	if _, err := io.ReadFull(src, body); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrClient, err)
	}
	return c.direct.do(r, c.host, body, false)
}
