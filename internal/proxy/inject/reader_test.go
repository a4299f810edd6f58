package inject

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

const tag = `<script src="/__devtool/a.js"></script>`

func run(t *testing.T, src io.Reader, o Options) string {
	t.Helper()
	if o.Tag == nil {
		o.Tag = []byte(tag)
	}
	out, err := io.ReadAll(NewReader(src, o))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// What is settled must come out although the source goes on later.
func TestDoesNotHold(t *testing.T) {
	amend := func(s string) string { return s }
	for _, c := range []struct{ name, first, want string }{
		{"text", "hello", tag + "hello"},
		{"body", "<!doctype html><head></head><body>chunk", "<!doctype html><head>" + tag + "</head><body>chunk"},
		{"head", "<!doctype html><head><title>x</title>", "<!doctype html><head>" + tag},
		{"white space and text", " \n x", " \n " + tag + "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pr, pw := io.Pipe()
			defer pw.Close()
			go pw.Write([]byte(c.first))
			r := NewReader(pr, Options{Tag: []byte(tag), Charset: "utf-8", Amend: amend})
			buf := make([]byte, 4096)
			got := ""
			for !strings.HasPrefix(got, c.want) {
				n, err := r.Read(buf)
				if err != nil {
					t.Fatal(err)
				}
				got += string(buf[:n])
			}
		})
	}
}

func TestEndlessPrefixIsBounded(t *testing.T) {
	page := "<!doctype html><!--" + strings.Repeat("x", 4*maxPrefix) + "--><html><head></head>"
	want := "<!doctype html>" + tag + page[len("<!doctype html>"):]
	r := NewReader(iotest.HalfReader(strings.NewReader(page)), Options{Tag: []byte(tag), Charset: "utf-8"})
	held := 0
	var out bytes.Buffer
	buf := make([]byte, 1000)
	for {
		n, err := r.Read(buf)
		out.Write(buf[:n])
		held = max(held, cap(r.win))
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if out.String() != want {
		t.Errorf("the tag is not before the comment")
	}
	if held > 4*maxPrefix {
		t.Errorf("held %d bytes", held)
	}
}

func TestHugePage(t *testing.T) {
	const size = 100 << 20
	head := "<!doctype html><head><title>x</title></head><body>"
	src := io.MultiReader(strings.NewReader(head), io.LimitReader(zeros{}, size))
	r := NewReader(src, Options{Tag: []byte(tag), Charset: "utf-8", Amend: func(s string) string { return s }})
	n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, r, make([]byte, 32<<10))
	if err != nil || n != int64(len(head)+len(tag)+size) {
		t.Errorf("copied %d, %v", n, err)
	}
	if !r.Injected() || !r.Settled() || r.Delta() != int64(len(tag)) {
		t.Errorf("injected %v settled %v delta %d", r.Injected(), r.Settled(), r.Delta())
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '.'
	}
	return len(p), nil
}

func TestSourceError(t *testing.T) {
	broken := errors.New("broken")
	for _, doc := range []string{"<!doctype html><ht", "<!doctype html><html><head><title>x", ""} {
		r := NewReader(io.MultiReader(strings.NewReader(doc), iotest.ErrReader(broken)), Options{Tag: []byte(tag)})
		out, err := io.ReadAll(r)
		if !errors.Is(err, broken) {
			t.Errorf("%q: error %v", doc, err)
		}
		if got := strings.Replace(string(out), tag, "", 1); got != doc {
			t.Errorf("%q: got %q", doc, got)
		}
	}
}

// Every split of a document in two gives the same result.
func TestEverySplit(t *testing.T) {
	doc := "\ufeff<!DOCTYPE html>\n<!-- <head> --><html lang=en><head a='>'><meta http-equiv=content-security-policy content=\"a\"><script>x<y</script></head><body><p>"
	o := Options{Tag: []byte(tag), Amend: func(s string) string { return s + " b" }}
	want := run(t, strings.NewReader(doc), o)
	for i := range doc {
		if got := run(t, io.MultiReader(strings.NewReader(doc[:i]), strings.NewReader(doc[i:])), o); got != want {
			t.Fatalf("split at %d: got %q want %q", i, got, want)
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, c := range pages {
		doc, _ := split(c.page)
		f.Add(doc, 3)
	}
	f.Fuzz(func(t *testing.T, doc string, n int) {
		o := Options{Tag: []byte(tag), Amend: func(s string) string { return s }}
		got := run(t, strings.NewReader(doc), o)
		if strings.Replace(got, tag, "", 1) != doc && !strings.Contains(doc, "\xfe\xff") && !strings.Contains(doc, "\xff\xfe") {
			t.Errorf("%q became %q", doc, got)
		}
		if slow := run(t, iotest.OneByteReader(strings.NewReader(doc)), o); slow != got {
			t.Errorf("by byte %q, at once %q", slow, got)
		}
	})
}

func ExampleReader() {
	page := strings.NewReader("<!doctype html><html><head><title>Shop</title>")
	io.Copy(printer{}, NewReader(page, Options{Tag: Tag{Src: "/__devtool/a.js"}.Render("", false)}))
	// Output: <!doctype html><html><head><script src="/__devtool/a.js"></script><title>Shop</title>
}

type printer struct{}

func (printer) Write(p []byte) (int, error) { return fmt.Print(string(p)) }
