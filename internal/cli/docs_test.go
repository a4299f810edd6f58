package cli

import (
	"os"
	"strings"
	"testing"

	"oriel/internal/tools"
)

// TestDocsFollowTheTable: what people read is made from what models read.
func TestDocsFollowTheTable(t *testing.T) {
	list := tools.Table().List()
	page, err := toolsPage(list)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "../../docs/tools.md", func(string) string { return page })
	same(t, "../../README.md", func(old string) string {
		const from, to = "<!-- tools -->\n", "<!-- /tools -->"
		head, rest, ok := strings.Cut(old, from)
		_, tail, ok2 := strings.Cut(rest, to)
		if !ok || !ok2 {
			t.Fatal("README.md has lost its markers")
		}
		return head + from + toolsTable(list) + to + tail
	})
}

func same(t *testing.T, file string, want func(old string) string) {
	t.Helper()
	old, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	text := want(string(old))
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != string(old) {
		t.Errorf("%s is out of date: run make generate", file)
	}
}
