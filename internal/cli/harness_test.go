package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// oriel runs the program once, in dir.
func (w *world) oriel(dir string, args ...string) (out string, code int) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env, cmd.Dir = w.env, dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return stdout.String() + stderr.String(), exit.ExitCode()
	}
	if err != nil {
		w.t.Errorf("run oriel %v: %v", args, err)
	}
	return stdout.String() + stderr.String(), 0
}

// editor is an MCP client with its own `oriel mcp`, as an editor has it.
type editor struct {
	t       *testing.T
	session *mcp.ClientSession
	cmd     *exec.Cmd
}

func (w *world) editor(dir string, args ...string) *editor {
	w.t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"mcp"}, args...)...)
	cmd.Env, cmd.Dir = w.env, dir
	cmd.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "editor", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	e := &editor{w.t, session, cmd}
	w.t.Cleanup(func() { session.Close() })
	return e
}

// call returns the text of the answer; "! " stands before that of an error.
func (e *editor) call(tool, args string) string {
	e.t.Helper()
	if args == "" {
		args = "{}"
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	res, err := e.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		e.t.Fatalf("%s %s: %v", tool, args, err)
	}
	var b strings.Builder
	for _, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			b.WriteString(c.Text)
		case *mcp.ImageContent:
			b.WriteString("(a picture, " + c.MIMEType + ")\n")
		}
	}
	if res.IsError {
		return "! " + b.String()
	}
	return b.String()
}

// eventually polls a condition of the world outside, which tells nobody when
// it changes.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !cond(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}
