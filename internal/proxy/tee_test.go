package proxy

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestTee(t *testing.T) {
	for _, c := range []struct {
		room, hint int64
		want       string
	}{{0, -1, ""}, {3, -1, "abc"}, {3, 1 << 30, "abc"}, {6, 6, "abcdef"}, {100, 3, "abcdef"}} {
		for _, src := range []io.Reader{strings.NewReader("abcdef"), iotest.OneByteReader(strings.NewReader("abcdef"))} {
			x := &tee{src: src, room: c.room, hint: c.hint}
			all, err := io.ReadAll(x)
			if string(all) != "abcdef" || err != nil {
				t.Errorf("%+v: read %q, %v", c, all, err)
			}
			x.Took(4)
			if size, kept := x.state(); size != 10 || string(kept) != c.want {
				t.Errorf("%+v: %d bytes, kept %q", c, size, kept)
			}
			if _, ok := x.Verbatim(); ok != (c.room <= 6) {
				t.Errorf("%+v: verbatim %v", c, ok)
			}
		}
	}
}

func TestTeeKeepsNothingAfterState(t *testing.T) {
	x := &tee{src: strings.NewReader("abcdef"), room: 10}
	io.CopyN(io.Discard, x, 2)
	_, kept := x.state()
	io.Copy(io.Discard, x)
	if string(kept) != "ab" || string(x.kept) != "ab" {
		t.Errorf("kept %q, then %q", kept, x.kept)
	}
}
