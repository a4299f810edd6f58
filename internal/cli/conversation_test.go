package cli

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what was answered into testdata/script")

// TestConversations plays testdata/script/*.txtar through a real MCP client.
// Each file holds a project and a conversation; every conversation is held in
// both modes, and both must give the answers in the file.
//
//	> tool {"arguments": …}
//	the answer
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("../../testdata/script/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		for _, mode := range []string{"daemon", "no-daemon"} {
			t.Run(name+"/"+mode, func(t *testing.T) { converse(t, file, mode) })
		}
	}
}

func converse(t *testing.T, file, mode string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	files := map[string]string{}
	script := -1
	for i, f := range ar.Files {
		if f.Name == "conversation" {
			script = i
			continue
		}
		files[f.Name] = string(f.Data)
	}
	if script < 0 {
		t.Fatal("the file has no conversation")
	}
	root := w.project("project", files)
	var args []string
	if mode == "no-daemon" {
		args = append(args, "--no-daemon")
	}
	e := w.editor(root, args...)
	want := string(ar.Files[script].Data)
	var got strings.Builder
	url := "" // the last address of a proxy that was answered; $URL stands for it
	for _, line := range strings.Split(want, "\n") {
		request, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue
		}
		tool, rest, _ := strings.Cut(request, " ")
		answer := strings.TrimRight(e.call(tool, strings.ReplaceAll(rest, "$URL", url)), "\n")
		if found := proxyURL.FindString(answer); found != "" {
			url = found
		}
		got.WriteString(line + "\n" + settle(answer, root) + "\n\n")
	}
	text := strings.TrimRight(got.String(), "\n") + "\n"
	if text == want {
		return
	}
	if *update && mode == "daemon" {
		ar.Files[script].Data = []byte(text)
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s, %s:\n%s", filepath.Base(file), mode, difference(want, text))
}

var proxyURL = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// volatile is what differs from run to run.
var volatile = []struct {
	re   *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`pid"?:? \d+|"pid":\d+`), "pid N"},
	{regexp.MustCompile(`\b\d+(\.\d+)? ?(ms|s)\b( \d+ s)?`), "TIME"},
	{regexp.MustCompile(`<?TIME ago( #\d+)?`), "TIME ago"},
	{regexp.MustCompile(`\bpage p[0-9a-z]{8}\b`), "page ID"},
	{regexp.MustCompile(`\S+/screenshots/\S+\.(png|jpeg)`), "SCREENSHOT.$1"},
	{regexp.MustCompile(`(\d×\d+(?: png| jpeg| px)?), [\d.]+ [KM]?B`), "$1, SIZE"},
	{regexp.MustCompile(`"ids":\["\d+"(,"\d+")*\]`), `"ids":[…]`},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)`), "DATE"},
	{regexp.MustCompile(`(localhost|127\.0\.0\.1|\[::1\]):\d{4,5}`), "$1:PORT"},
	{regexp.MustCompile(`#\d+ \d\d:\d\d:\d\d\.\d{3}`), "#N TIME"},
	{regexp.MustCompile(`from \d\d:\d\d:\d\d to \d\d:\d\d:\d\d`), "from TIME to TIME"},
	{regexp.MustCompile(`Date: .* GMT`), "Date: DATE"},
	{regexp.MustCompile(`\.har of [\d.]+ [KM]?B`), ".har of SIZE"},
	{regexp.MustCompile(`\d+ restarts?\b`), "N restarts"},
	{regexp.MustCompile(`(---\| --- .* restart) \d+ .*`), "$1 N"},
	{regexp.MustCompile(`cpu \d+ %, memory [\d.]+ [KMG]B`), "cpu N %, memory N MB"},
	{regexp.MustCompile(`"(runtime|took|window|waited|rss|cpu|start)":[\d.e+]+`), `"$1":0`},
}

func settle(text, root string) string {
	text = strings.ReplaceAll(text, root, "$ROOT")
	text = strings.ReplaceAll(text, os.Getenv("PATH"), "$PATH")
	for _, v := range volatile {
		text = v.re.ReplaceAllString(text, v.with)
	}
	return text
}

// difference shows the first lines that differ.
func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(a), len(b)) {
		left, right := "(end)", "(end)"
		if i < len(a) {
			left = a[i]
		}
		if i < len(b) {
			right = b[i]
		}
		if left != right {
			return fmt.Sprintf("line %d\nwant %s\n got %s\n\nthe whole:\n%s", i+1, left, right, got)
		}
	}
	return "no difference"
}
