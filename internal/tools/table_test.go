package tools_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oriel/internal/tools"
)

var update = flag.Bool("update", false, "write the golden files")

// maxList is what a client may have to read before it can ask anything: 8,000
// bytes, less what the hints and the frame of the answer take.
const maxList = 7650

// TestSchemas holds every tool's description and schema against a file, so
// that a change of what models read is seen in review.
func TestSchemas(t *testing.T) {
	total := 0
	for _, info := range tools.Table().List() {
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, []byte(info.Schema), "", "  "); err != nil {
			t.Fatalf("%s: the schema is not JSON: %v", info.Name, err)
		}
		total += len(info.Name) + len(info.Doc.Text) + len(info.Schema) + 60
		got := info.Doc.Title + "\n\n" + info.Doc.Text + "\n\n" + pretty.String() + "\n"
		file := filepath.Join("testdata", "schema", info.Name+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || string(want) != got {
			t.Errorf("%s differs from %s (go test -update writes it):\n%s", info.Name, file, got)
		}
		if strings.Contains(info.Schema, `"null"`) || strings.Contains(info.Schema, "oneOf") || strings.Contains(info.Schema, "anyOf") {
			t.Errorf("%s: some clients refuse this schema: %s", info.Name, info.Schema)
		}
		if info.Doc.Title == "" || info.Doc.Text == "" {
			t.Errorf("%s has no words", info.Name)
		}
	}
	if total > maxList {
		t.Errorf("the list takes about %d bytes, at most %d", total, maxList)
	}
	t.Logf("the list takes about %d bytes", total)
}
