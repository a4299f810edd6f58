package scan_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"oriel/internal/incident/scan"
	"oriel/internal/process"
	"oriel/internal/process/ring"
)

var update = flag.Bool("update", false, "write what was found into the recordings")

// TestRecorded reads what real tools printed. Each file holds the output as it
// was recorded, colours and streams included, and what must be found in it.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d recordings: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil || len(archive.Files) != 2 {
				t.Fatalf("expected output and want: %v", err)
			}
			got := words(scan.Output(recorded(t, string(archive.Files[0].Data))))
			if *update {
				archive.Files[1].Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := string(archive.Files[1].Data); got != want {
				t.Errorf("found:\n%s\nwanted:\n%s", got, want)
			}
		})
	}
}

// recorded sends the output through what cleans a real process's output.
func recorded(t *testing.T, text string) []scan.Line {
	t.Helper()
	out := ring.New(0)
	for line := range strings.SplitAfterSeq(text, "\n") {
		words, ok := strings.CutPrefix(line, "out| ")
		stream := process.Stdout
		if !ok {
			words, ok = strings.CutPrefix(line, "err| ")
			stream = process.Stderr
		}
		if !ok && strings.TrimSpace(line) != "" {
			t.Fatalf("which stream? %q", line)
		}
		out.Write(stream, []byte(words), time.Now())
	}
	lines := out.Query(process.Query{}).Lines
	for i := range lines {
		lines[i].Time = start.Add(time.Duration(i) * 5 * time.Millisecond)
	}
	return lines
}

var start = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func words(s *scan.Scanner) string {
	var b strings.Builder
	for _, p := range s.Problems() {
		fmt.Fprintf(&b, "%s %s", p.Tool, p.Kind)
		if p.Warning {
			b.WriteString(" warning")
		}
		if p.Code != "" {
			b.WriteString(" " + p.Code)
		}
		fmt.Fprintf(&b, " | %s | %s:%d:%d", p.Message, p.File, p.Line, p.Column)
		if p.Function != "" {
			b.WriteString(" in " + p.Function)
		}
		if p.Forwarded {
			b.WriteString(" (forwarded)")
		}
		if p.Package != "" {
			b.WriteString(" of " + p.Package)
		}
		if p.Request != "" {
			b.WriteString(" | " + p.Request)
		}
		for _, c := range p.Causes {
			b.WriteString(" | by " + c)
		}
		if p.Count > 1 {
			fmt.Fprintf(&b, " ×%d", p.Count)
		}
		switch {
		case p.Resolved:
			b.WriteString(" (resolved)")
		case !p.Perhaps.IsZero():
			b.WriteString(" (perhaps resolved)")
		}
		b.WriteByte('\n')
	}
	return b.String()
}
