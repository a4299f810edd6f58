package mcpserver

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"oriel/internal/tool"
)

// manyTools is about as much as the product lists: a dozen tools in 8 KB.
func manyTools() []tool.Info {
	var infos []tool.Info
	for i := range 12 {
		var props []string
		for p := range 8 {
			props = append(props, fmt.Sprintf(`"param_%d":{"type":"string","description":"what it does"}`, p))
		}
		infos = append(infos, tool.Info{
			Name: fmt.Sprint("tool_", i), Doc: tool.Doc{Title: "Tool", Text: strings.Repeat("word ", 20)},
			Schema: `{"type":"object","properties":{` + strings.Join(props, ",") + `}}`,
		})
	}
	return infos
}

// BenchmarkStart is what the package adds to a start: a server made, a client
// introduced, the tools listed, the end.
func BenchmarkStart(b *testing.B) {
	o := newFake().options()
	o.Attach = nil
	o.Tools = manyTools()
	conversation := hello + "\n" + ready + "\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n"
	b.ReportAllocs()
	for b.Loop() {
		if err := Stdio(b.Context(), o, strings.NewReader(conversation), io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCall(b *testing.B) {
	o := newFake().options()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Stdio(b.Context(), o, inR, outW) }()
	answers := bufio.NewScanner(outR)
	ask := func(line string) {
		_, _ = io.WriteString(inW, line+"\n")
		answers.Scan()
	}
	ask(hello)
	b.ReportAllocs()
	for b.Loop() {
		ask(callLine("1", "zebra", `{"a":1}`))
	}
	_ = inW.Close()
	<-ended
}

// BenchmarkProcess is a whole process, from its start to the list of tools.
func BenchmarkProcess(b *testing.B) {
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), asServer+"=stdio")
		cmd.Stdin = strings.NewReader(hello + "\n" + ready + "\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n")
		if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), "zebra") {
			b.Fatal(err, string(out))
		}
	}
}
