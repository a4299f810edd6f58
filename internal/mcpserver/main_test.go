package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"oriel/internal/tool"
)

// asServer makes the test binary a server, for tests and tools that need a
// real process: "stdio", or an address to listen on.
const asServer = "ORIEL_TEST_SERVE"

func TestMain(m *testing.M) {
	if mode := os.Getenv(asServer); mode != "" {
		if err := serveForTest(mode); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

func serveForTest(mode string) error {
	o := newFake().options()
	if mode == "stdio" {
		return Stdio(context.Background(), o, os.Stdin, os.Stdout)
	}
	s, err := ListenHTTP(context.Background(), o, HTTPOptions{Listen: mode, Token: testToken})
	if err != nil {
		return err
	}
	fmt.Println(s.URL())
	return s.Serve(context.Background())
}

// fake is a tool.Caller of a few tools that show one thing each.
type fake struct {
	attached  atomic.Int32
	attach    chan struct{} // gets a value with each Attach
	detached  chan struct{} // closed when Attach's context has ended
	started   chan string   // names of the blocking calls that run
	cancelled chan string   // names of the blocking calls that were cancelled
	release   chan struct{} // closed to let "block" return

	mu   sync.Mutex
	seen []tool.Call
}

func newFake() *fake {
	return &fake{
		attach:    make(chan struct{}, 100),
		detached:  make(chan struct{}),
		started:   make(chan string, 100),
		cancelled: make(chan string, 100),
		release:   make(chan struct{}),
	}
}

const emptySchema = `{"type":"object","properties":{"raw":{"type":"boolean"}}}`

// fakeTools is out of alphabetical order on purpose.
var fakeTools = []tool.Info{
	{Name: "zebra", Doc: tool.Doc{Title: "Zebra", Text: "Says back its arguments <as they are>.", Hints: tool.Hints{ReadOnly: true}}, Schema: emptySchema},
	{Name: "block", Doc: tool.Doc{Text: "Blocks.", Hints: tool.Hints{Destructive: true, OpenWorld: true}}, Schema: emptySchema},
	{Name: "panic", Doc: tool.Doc{Text: "Panics.", Hints: tool.Hints{Idempotent: true, OpenWorld: true}}, Schema: emptySchema},
	{Name: "image", Doc: tool.Doc{Text: "Draws."}, Schema: emptySchema},
	{Name: "data", Doc: tool.Doc{Text: "Answers raw."}, Schema: emptySchema},
	{Name: "steps", Doc: tool.Doc{Text: "Reports progress."}, Schema: emptySchema},
	{Name: "apple", Doc: tool.Doc{Text: "Fails."}, Schema: emptySchema},
}

func (f *fake) options() Options {
	return Options{
		Version:      "1.2.3",
		Instructions: "Start with zebra.",
		Tools:        fakeTools,
		Caller:       f,
		From:         tool.Origin{Dir: "/somewhere", Env: []string{"A=b"}},
		Attach: func(ctx context.Context) {
			f.attached.Add(1)
			f.attach <- struct{}{}
			<-ctx.Done()
			close(f.detached)
		},
	}
}

func (f *fake) Call(ctx context.Context, c tool.Call) tool.Result {
	f.mu.Lock()
	f.seen = append(f.seen, c)
	f.mu.Unlock()
	switch c.Tool {
	case "zebra":
		return tool.Result{Text: string(c.Args)}
	case "block":
		f.started <- string(c.Args)
		select {
		case <-ctx.Done():
			f.cancelled <- string(c.Args)
			return tool.Fail(errors.New("cancelled by the client"))
		case <-f.release:
			return tool.Result{Text: "released"}
		}
	case "panic":
		panic("boom")
	case "image":
		return tool.Result{Text: "a picture", Image: &tool.Image{MIME: "image/png", Data: []byte{1, 2, 3}}}
	case "data":
		return tool.Result{Text: string(c.Args), Data: c.Args}
	case "steps":
		for i := range 50 {
			tool.Report(ctx, tool.Progress{Done: float64(i + 1), Total: 50, Message: fmt.Sprint("step ", i+1)})
		}
		return tool.Result{Text: "done"}
	default:
		return tool.Fail(fmt.Errorf("%s always fails", c.Tool))
	}
}

func (f *fake) calls() []tool.Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]tool.Call(nil), f.seen...)
}

// attachedOnce checks that a client was noticed, and once.
func (f *fake) attachedOnce(t *testing.T) {
	t.Helper()
	receive(t, f.attach, "Attach")
	if n := f.attached.Load(); n != 1 {
		t.Errorf("attached %d times, want once", n)
	}
}

// receive waits for a value that must come.
func receive[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	timer := time.NewTimer(10 * time.Second)
	defer timer.Stop()
	select {
	case v := <-from:
		return v
	case <-timer.C:
		t.Fatalf("%s: nothing came within 10s", what)
		panic("unreachable")
	}
}

// sameJSON compares a document with what it should be, whatever the order of
// its members.
func sameJSON(t *testing.T, got, want string) {
	t.Helper()
	if canonical(t, got) != canonical(t, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func canonical(t *testing.T, doc string) string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(doc))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("not JSON: %v: %s", err, doc)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
