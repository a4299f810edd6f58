package decode

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

func encode(t testing.TB, coding, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip", "x-gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "raw":
		w, _ = flate.NewWriter(&b, 6)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b)
	}
	io.WriteString(w, text)
	w.Close()
	return b.Bytes()
}

var text = strings.Repeat("the quick brown fox ", 20000)

func TestReader(t *testing.T) {
	for _, coding := range []string{"gzip", "x-gzip", "deflate", "raw", "br", "zstd"} {
		name := coding
		if coding == "raw" {
			name = "deflate"
		}
		data := encode(t, coding, text)
		for _, src := range []io.Reader{bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data)), iotest.DataErrReader(bytes.NewReader(data))} {
			r, err := Reader([]string{name}, src)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			if err != nil || string(got) != text {
				t.Errorf("%s: %d bytes, %v", coding, len(got), err)
			}
			r.Close()
		}
		r, _ := Reader([]string{name}, bytes.NewReader(data[:len(data)/2]))
		if got, err := io.ReadAll(r); err == nil {
			t.Errorf("%s cut in half gave %d bytes and no error", coding, len(got))
		}
		r.Close()
		r, _ = Reader([]string{name}, strings.NewReader("this is not coded at all"))
		if _, err := io.ReadAll(r); err == nil {
			t.Errorf("%s of plain text gave no error", coding)
		}
		r.Close()
	}
}

func TestStacked(t *testing.T) {
	data := encode(t, "br", string(encode(t, "gzip", text)))
	r, err := Reader(Codings([]string{"GZIP", "identity, br"}), bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := io.ReadAll(r); err != nil || string(got) != text {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestCodings(t *testing.T) {
	if got := Codings([]string{" GZip , br", "", "identity"}); !reflect.DeepEqual(got, []string{"gzip", "br"}) {
		t.Errorf("got %v", got)
	}
	if Known([]string{"gzip", "dcb"}) || Known([]string{"br", "br", "br", "br", "br"}) || !Known(nil) {
		t.Error("what is known is wrong")
	}
	if _, err := Reader([]string{"dcb"}, nil); err == nil {
		t.Error("an unknown coding was accepted")
	}
}

// What the coder flushed must come out although the stream goes on.
func TestStreams(t *testing.T) {
	pr, pw := io.Pipe()
	defer pw.Close()
	go func() {
		w := gzip.NewWriter(pw)
		io.WriteString(w, "hello")
		w.Flush()
	}()
	r, err := Reader([]string{"gzip"}, pr)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 5)
	if _, err := io.ReadFull(r, got); err != nil || string(got) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestEmpty(t *testing.T) {
	for _, c := range []string{"gzip", "deflate"} {
		r, _ := Reader([]string{c}, strings.NewReader(""))
		if got, err := io.ReadAll(r); err != nil || len(got) != 0 {
			t.Errorf("%s: %q, %v", c, got, err)
		}
	}
}
