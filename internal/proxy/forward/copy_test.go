package forward

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func newReader(r io.Reader) *bufio.Reader { return bufio.NewReader(r) }

// sink records what is written, flushed, and read from a source directly.
type sink struct {
	http.ResponseWriter
	ops  []string
	body bytes.Buffer
	fail error
}

func (s *sink) Header() http.Header { return http.Header{} }
func (s *sink) Write(p []byte) (int, error) {
	if s.fail != nil {
		return 0, s.fail
	}
	s.ops = append(s.ops, "write")
	return s.body.Write(p)
}
func (s *sink) Flush() { s.ops = append(s.ops, "flush") }
func (s *sink) ReadFrom(r io.Reader) (int64, error) {
	s.ops = append(s.ops, "from")
	return s.body.ReadFrom(r)
}

// pieces gives one piece per Read, the last one with its end.
type pieces struct{ left []string }

func (p *pieces) Read(b []byte) (int, error) {
	n := copy(b, p.left[0])
	p.left = p.left[1:]
	if len(p.left) == 0 {
		return n, io.EOF
	}
	return n, nil
}

func TestCopyFlushesBetweenPieces(t *testing.T) {
	s := &sink{}
	n, err := Copy(s, nil, &pieces{[]string{"a", "b", "c"}})
	if n != 3 || err != nil || s.body.String() != "abc" {
		t.Errorf("%d %v %q", n, err, s.body.String())
	}
	if got := strings.Join(s.ops, " "); got != "flush write flush write flush write" {
		t.Errorf("%s", got)
	}
}

func TestCopyTellsWhoFailed(t *testing.T) {
	broken := errors.New("broken")
	_, err := Copy(&sink{fail: broken}, nil, &pieces{[]string{"a"}})
	if !errors.Is(err, ErrClient) || !errors.Is(err, broken) {
		t.Errorf("client: %v", err)
	}
	_, err = Copy(&sink{}, nil, io.MultiReader(strings.NewReader("a"), errReader{broken}))
	if errors.Is(err, ErrClient) || !errors.Is(err, broken) {
		t.Errorf("target: %v", err)
	}
}

type errReader struct{ err error }

func (e errReader) Read([]byte) (int, error) { return 0, e.err }

type passer struct {
	io.Reader
	ready bool
	took  int64
}

func (p *passer) Verbatim() (io.Reader, bool) { return p.Reader, p.ready }
func (p *passer) Took(n int64)                { p.took += n }

// A long body goes from socket to socket, past readers that are done with it,
// and the connection is kept.
func TestLongBodiesPassDirectly(t *testing.T) {
	body := strings.Repeat("0123456789", 100_000)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "x.bin", time.Time{}, strings.NewReader(body))
	}))
	t.Cleanup(s.Close)
	c := client(t, s.URL)
	for _, ready := range []bool{true, false} {
		resp, err := c.Do(request(context.Background(), "GET", "/"))
		if err != nil {
			t.Fatal(err)
		}
		inner := &passer{Reader: resp.Body, ready: ready}
		out := &sink{}
		n, err := Copy(out, nil, &passer{Reader: inner, ready: true})
		if n != int64(len(body)) || err != nil || out.body.String() != body {
			t.Errorf("ready %v: %d bytes, %v", ready, n, err)
		}
		if direct := strings.Contains(strings.Join(out.ops, " "), "from"); direct != ready || direct && inner.took < int64(len(body))/2 {
			t.Errorf("ready %v: direct %v, %d bytes past", ready, direct, inner.took)
		}
		if idle(c) != 1 {
			t.Errorf("ready %v: the connection was not kept", ready)
		}
	}
}
