package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLineReader(t *testing.T) {
	const limit = 100 << 10 // more than the reader's buffer
	at, over := strings.Repeat("a", limit-1), strings.Repeat("b", limit)
	tests := map[string]struct {
		in   string
		want []string // "!" stands for a line too long
	}{
		"empty":              {"", nil},
		"blank":              {"\n \r\n\t\n", nil},
		"plain":              {"a\nb\n", []string{"a", "b"}},
		"no newline at end":  {"a\nb", []string{"a", "b"}},
		"carriage returns":   {"a\r\nb\r\n", []string{"a", "b"}},
		"byte order mark":    {"\ufeffa\n", []string{"a"}},
		"mark further on":    {"a\n\ufeffb\n", []string{"a", "\ufeffb"}},
		"only a mark":        {"\ufeff\n", nil},
		"at the limit":       {at + "\nc\n", []string{at, "c"}},
		"over the limit":     {over + "\nc\n", []string{"!", "c"}},
		"far over, no end":   {"a\n" + over + over + over, []string{"a", "!"}},
		"two over, then one": {over + "\n" + over + "\nc", []string{"!", "!", "c"}},
	}
	for name, tc := range tests {
		for how, reader := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r },
			"half":  iotest.HalfReader,
			"eof":   iotest.DataErrReader,
		} {
			r := newLineReader(reader(strings.NewReader(tc.in)), limit)
			var got []string
			for {
				l, err := r.next()
				if errors.Is(err, errTooLong) {
					l, err = []byte("!"), nil
				}
				if err != nil {
					if !errors.Is(err, io.EOF) {
						t.Errorf("%s, %s: %v", name, how, err)
					}
					break
				}
				got = append(got, string(l))
			}
			if strings.Join(got, "|") != strings.Join(tc.want, "|") {
				t.Errorf("%s, %s: got %d lines %.80q, want %d", name, how, len(got), got, len(tc.want))
			}
		}
	}
}

func TestLineReaderError(t *testing.T) {
	r := newLineReader(io.MultiReader(strings.NewReader("a\nhalf"), iotest.ErrReader(io.ErrUnexpectedEOF)), 100)
	if l, err := r.next(); err != nil || string(l) != "a" {
		t.Fatalf("got %q, %v", l, err)
	}
	if l, err := r.next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %q, %v: half a line before an error is none", l, err)
	}
}

// Lines are kept by those who asked for them.
func TestLineReaderDoesNotReuse(t *testing.T) {
	r := newLineReader(strings.NewReader("first\nother\n"), 100)
	first, _ := r.next()
	if _, err := r.next(); err != nil || string(first) != "first" {
		t.Errorf("first line is now %q, %v", first, err)
	}
}

// Whatever a line holds, it is a request or is refused in valid JSON.
func FuzzParseLine(f *testing.F) {
	for _, seed := range []string{
		hello, ready, `[` + hello + `,` + ready + `]`, `{`, `[`, `[[]]`, `null`, `"x"`, `{"jsonrpc":"2.0","id":-0,"method":"m"}`,
		`{"jsonrpc":"2.0","id":"\ud800","method":"m"}`, `{"jsonrpc":"2.0","id":1e3,"method":"m"}`, "{\"id\":\"\xff\"}", `{"ID":1,"Method":"m","jsonrpc":"2.0"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			return
		}
		for _, m := range parseLine(line).messages {
			switch {
			case (m.req == nil) == (m.refuse == nil):
				t.Fatalf("%q: neither or both", line)
			case m.refuse != nil && !json.Valid(m.refuse.encode()):
				t.Fatalf("%q: refused in %s", line, m.refuse.encode())
			case m.req != nil && (m.req.Method == "" || m.req.IsCall() != (m.id != nil)):
				t.Fatalf("%q: taken for %+v", line, m.req)
			}
		}
	})
}
