package ring

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"
)

var t0 = time.Unix(1_700_000_000, 0)

func lines(o Output) []string {
	var out []string
	for _, l := range o.Lines {
		out = append(out, l.Text)
	}
	return out
}

func TestCleaning(t *testing.T) {
	long := strings.Repeat("x", MaxLine)
	tests := []struct {
		in   string
		want []string
	}{
		{"a\nb\n", []string{"a", "b"}},
		{"a\r\nb\r\n", []string{"a", "b"}},
		{"\n\n", []string{"", ""}},
		{"no end", []string{"no end"}},
		{"tab\there\n", []string{"tab\there"}},
		{"\x1b[31mred\x1b[0m\n", []string{"red"}},
		{"\x1b[38;5;196;1mred\x1b[m plain\n", []string{"red plain"}},
		{"\x1b[38:2::1:2:3mcolons\x1b[?25l\n", []string{"colons"}},
		{"\x1b]0;title\x07text\n", []string{"text"}},
		{"\x1b]8;;http://localhost:3000\x1b\\link\x1b]8;;\x1b\\ end\n", []string{"link end"}},
		{"\x1bPq#0\x1b\\after\n", []string{"after"}},
		{"\x1b_app\x1b\\after\x1b^pm\x1b\\!\x1bXsos\x1b\\\n", []string{"after!"}},
		{"\x1b(Bcharset\x1b7\x1b8\x1b=\x1b>\n", []string{"charset"}},
		{"\x1b]unterminated\nnext\n", []string{"", "next"}},
		{"\x1b[31\nnext\n", []string{"", "next"}},
		{"\x1b\x1b[1mx\n", []string{"x"}},
		{"\x1b]0;a\x1b[1mx\n", []string{"x"}},
		{"10%\r20%\r100%\n", []string{"100%"}},
		{"10%\r20%\r", []string{"20%"}},
		{"\rloading\r\r\ndone\n", []string{"loading", "done"}},
		{"a long state\rshort\n", []string{"short"}},
		{"state\x1b[2K\x1b[1Gdone\n", []string{"done"}},
		{"⠙\x1b[1G\x1b[0K⠹\x1b[1G\x1b[0Kready\n", []string{"ready"}},
		{"⠙\x1b[1G\x1b[0K", nil},
		{"keep\x1b[0K this\x1b[K\n", []string{"keep this"}},
		{"|\b/\b-\bdone\n", []string{"done"}},
		{"é\bx\b\b\b\n", []string{""}},
		{"bell\x07\n", []string{"bell"}},
		{"nul\x00\x01\x02byte\n", []string{"nul\uFFFDbyte"}},
		{"bad\xff\xfeutf\n", []string{"bad\uFFFDutf"}},
		{"c1\u009b31mx\n", []string{"c1\uFFFD31mx"}},
		{"del\x7f\n", []string{"del\uFFFD"}},
		{"héllo → 世界 🚀\n", []string{"héllo → 世界 🚀"}},
		{long + "\n", []string{long}},
		{long + "y\n", []string{long + "… [1 bytes cut]"}},
		{long + strings.Repeat("y", 100000) + "\nnext\n", []string{long + "… [100000 bytes cut]", "next"}},
		{long[:MaxLine-1] + "é\n", []string{long[:MaxLine-1] + "… [2 bytes cut]"}},
		{long + "yyy\rshort\n", []string{"short"}},
		{"\x1b]" + strings.Repeat("z", 2*maxSequence) + "\n", []string{strings.Repeat("z", maxSequence+1)}},
	}
	for _, tt := range tests {
		for _, step := range []int{1, 2, 3, 7, len(tt.in)} {
			r := New(0)
			for p := []byte(tt.in); len(p) > 0; {
				n := min(step, len(p))
				r.Write(Stdout, p[:n], t0)
				p = p[n:]
			}
			partial := lines(r.Query(Query{})) // an unfinished line shows already
			r.Flush(t0)
			got := lines(r.Query(Query{}))
			if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", tt.want) {
				t.Errorf("%.80q by %d: got %.200q, want %.200q", tt.in, step, got, tt.want)
			}
			if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", partial) {
				t.Errorf("%.80q by %d: before flush %.200q, after %.200q", tt.in, step, partial, got)
			}
		}
	}
}

// FuzzWrite holds that whatever comes in, lines are safe to show, and that how
// the bytes were cut makes no difference.
func FuzzWrite(f *testing.F) {
	for _, s := range []string{"a\x1b[31mb\n", "\x1b]8;;x\x1b\\y\n", "10%\r20%\n", "\xff\x00\x9b\n", "é\b\b\n"} {
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, p []byte, step uint8) {
		whole, cut := New(0), New(0)
		whole.Write(Stdout, p, t0)
		for q := p; len(q) > 0; {
			n := min(int(step%9)+1, len(q))
			cut.Write(Stdout, q[:n], t0)
			q = q[n:]
		}
		a, b := whole.Query(Query{}), cut.Query(Query{})
		if fmt.Sprint(lines(a)) != fmt.Sprint(lines(b)) {
			t.Errorf("%q: whole %q, cut by %d %q", p, lines(a), step%9+1, lines(b))
		}
		for _, l := range a.Lines {
			if !utf8.ValidString(l.Text) || strings.ContainsFunc(l.Text, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }) {
				t.Errorf("unsafe line %q of %q", l.Text, p)
			}
		}
	})
}

func TestPlain(t *testing.T) {
	for b := range 256 {
		for at := range 20 {
			p := bytes.Repeat([]byte("~ "), 10)
			p[at] = byte(b)
			want := b >= 0x20 && b < 0x7f
			if got := isPlain(p); got != want {
				t.Fatalf("byte %#x at %d: %v", b, at, got)
			}
		}
	}
}

func TestBound(t *testing.T) {
	for _, text := range []string{"", "x", strings.Repeat("y", 1000), strings.Repeat("z", 50000)} {
		r := New(100_000)
		for i := range 20_000_000 / (len(text) + 100) {
			r.Write(Stdout, []byte(text+"\n"), t0)
			if r.cost > r.max {
				t.Fatalf("line %d: %d charged, bound %d", i, r.cost, r.max)
			}
		}
		if len(r.buf) > 256<<10 || len(r.lines) > 8192 {
			t.Errorf("%d bytes: %d of text, %d of lines", len(text), len(r.buf), len(r.lines))
		}
		out := r.Query(Query{})
		total := uint64(20_000_000 / (len(text) + 100))
		if out.DroppedLines+uint64(len(out.Lines)) != total || out.DroppedBytes != out.DroppedLines*uint64(len(text)) || out.Next != total+1 {
			t.Errorf("%d bytes: dropped %d lines %d bytes, kept %d of %d", len(text), out.DroppedLines, out.DroppedBytes, len(out.Lines), total)
		}
		for _, l := range out.Lines {
			if l.Text != text {
				t.Fatalf("damaged line %q", l.Text)
			}
		}
	}
}

// Against a model: a slice of all lines.
func TestAgainstModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	r := New(8 << 10)
	var model []string
	for i := range 5000 {
		text := fmt.Sprintf("%d %s", i, strings.Repeat("é", rnd.IntN(200)))
		model = append(model, text)
		r.Write([]Stream{Stdout, Stderr}[rnd.IntN(2)], []byte(text+"\n"), t0.Add(time.Duration(i)))
		out := r.Query(Query{})
		kept := model[len(model)-len(out.Lines):]
		for j, l := range out.Lines {
			if l.Text != kept[j] || l.Seq != uint64(len(model)-len(kept)+j+1) {
				t.Fatalf("after %d: line %d is %d %q", i, j, l.Seq, l.Text)
			}
		}
	}
}

func TestQuery(t *testing.T) {
	r := New(0)
	for i := range 10 {
		s := Stdout
		if i%2 == 1 {
			s = Stderr
		}
		r.Write(s, fmt.Appendf(nil, "line %d\n", i), t0.Add(time.Duration(i)*time.Second))
	}
	r.Note("mark", t0.Add(10*time.Second))
	r.Write(Stderr, []byte("part"), t0.Add(11*time.Second))
	tests := []struct {
		name string
		q    Query
		want string
		next uint64
	}{
		{"all", Query{}, "line 0 line 1 line 2 line 3 line 4 line 5 line 6 line 7 line 8 line 9 mark part", 12},
		{"stream", Query{Stream: Stderr}, "line 1 line 3 line 5 line 7 line 9 part", 12},
		{"note", Query{Stream: Note}, "mark", 12},
		{"tail", Query{Tail: 2}, "mark part", 12},
		{"head", Query{Head: 2}, "line 0 line 1", 3},
		{"head and tail", Query{Head: 1, Tail: 1}, "line 0 part", 12},
		{"head and tail of all", Query{Head: 6, Tail: 6}, "line 0 line 1 line 2 line 3 line 4 line 5 line 6 line 7 line 8 line 9 mark part", 12},
		{"more than there can be", Query{Head: math.MaxInt, Tail: math.MaxInt, Grep: regexp.MustCompile(`[37]$`)}, "line 3 line 7", 12},
		{"grep", Query{Grep: regexp.MustCompile(`[37]$|part`)}, "line 3 line 7 part", 12},
		{"grep tail", Query{Grep: regexp.MustCompile(`line`), Tail: 1}, "line 9", 12},
		{"grep head", Query{Grep: regexp.MustCompile(`[37]$`), Head: 1}, "line 3", 5},
		{"since", Query{Since: 10}, "line 9 mark part", 12},
		{"since the end", Query{Since: 12}, "part", 12},
		{"since beyond", Query{Since: 100}, "part", 12},
		{"after", Query{After: t0.Add(8 * time.Second)}, "line 9 mark part", 12},
		{"since and stream", Query{Since: 8, Stream: Stdout}, "line 8", 12},
		{"nothing", Query{Grep: regexp.MustCompile("absent")}, "", 12},
	}
	for _, tt := range tests {
		out := r.Query(tt.q)
		if got := strings.Join(lines(out), " "); got != tt.want || out.Next != tt.next {
			t.Errorf("%s: got %q next %d, want %q next %d", tt.name, got, out.Next, tt.want, tt.next)
		}
		if out.Matched-out.Omitted != len(out.Lines) {
			t.Errorf("%s: matched %d, omitted %d, shown %d", tt.name, out.Matched, out.Omitted, len(out.Lines))
		}
	}
	// The finished line comes under the cursor that showed its beginning.
	r.Write(Stderr, []byte("ial\n"), t0)
	if out := r.Query(Query{Since: 12}); len(out.Lines) != 1 || out.Lines[0].Text != "partial" || out.Lines[0].Partial || out.Lines[0].Seq != 12 {
		t.Errorf("got %+v", out.Lines)
	}
}

func TestMissed(t *testing.T) {
	r := New(minBytes)
	for range 1000 {
		r.Write(Stdout, []byte(strings.Repeat("x", 100)+"\n"), t0)
	}
	out := r.Query(Query{Since: 5})
	if out.Missed == 0 || out.Missed != out.Lines[0].Seq-5 {
		t.Errorf("missed %d, first is %d", out.Missed, out.Lines[0].Seq)
	}
}

func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(0)
		r.Write(Stdout, []byte("early\n"), time.Now())
		has := func(s string) func(Line) bool { return func(l Line) bool { return strings.Contains(l.Text, s) } }
		if l, err := r.Await(t.Context(), 1, has("early")); err != nil || l.Seq != 1 {
			t.Errorf("got %+v, %v", l, err)
		}
		got := make(chan Line, 2)
		var wg sync.WaitGroup
		for _, want := range []string{"prompt>", "whole"} {
			wg.Go(func() {
				l, err := r.Await(t.Context(), 2, has(want))
				if err != nil {
					t.Error(err)
				}
				got <- l
			})
		}
		synctest.Wait()
		r.Write(Stdout, []byte("a prompt"), time.Now())
		synctest.Wait()
		if len(got) != 0 {
			t.Error("returned too early")
		}
		r.Write(Stdout, []byte("> "), time.Now())
		synctest.Wait()
		if l := <-got; !l.Partial || l.Text != "a prompt> " {
			t.Errorf("got %+v", l)
		}
		r.Write(Stderr, []byte("the whole line\n"), time.Now())
		wg.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.Await(ctx, 1, has("never")); err != context.DeadlineExceeded {
			t.Errorf("got %v", err)
		}
	})
}

// Writers and readers at once, for the race detector; every reader sees a whole
// sequence without gaps but those it was told of.
func TestConcurrent(t *testing.T) {
	r := New(32 << 10)
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for _, s := range []Stream{Stdout, Stderr} {
		writers.Go(func() {
			for i := range 3000 {
				r.Write(s, fmt.Appendf(nil, "%s %d and more\n", s, i), time.Now())
			}
		})
	}
	for range 2 {
		readers.Go(func() {
			cursor := uint64(1)
			for {
				out := r.Query(Query{Since: cursor})
				want := cursor + out.Missed
				for _, l := range out.Lines {
					if !l.Partial && l.Seq != want {
						t.Errorf("line %d after %d", l.Seq, want-1)
						return
					}
					want++
				}
				cursor = out.Next
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
}

func BenchmarkWrite(b *testing.B) {
	for name, line := range map[string]string{
		"plain":    strings.Repeat("0123456789", 9) + "abcdefghi\n",
		"coloured": "\x1b[32m" + strings.Repeat("0123456789", 8) + "\x1b[0m ok\n",
		"utf8":     strings.Repeat("héllo 世界 ", 6) + "\n",
		"binary":   strings.Repeat("\x00\xff\x80abc\x1b", 14) + "\n",
		"short":    "ab\n",
	} {
		chunk := bytes.Repeat([]byte(line), 64<<10/len(line))
		b.Run(name, func(b *testing.B) {
			r := New(0)
			b.SetBytes(int64(len(chunk)))
			b.ReportAllocs()
			for b.Loop() {
				r.Write(Stdout, chunk, t0)
			}
		})
	}
}
