package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// talk is a client that writes its lines by hand.
type talk struct {
	t      *testing.T
	fake   *fake
	in     *io.PipeWriter
	lines  chan string
	ended  chan error
	cancel context.CancelFunc
}

func startTalk(t *testing.T) *talk {
	t.Helper()
	f := newFake()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	c := &talk{t: t, fake: f, in: inW, lines: make(chan string, 1000), ended: make(chan error, 1), cancel: cancel}
	go func() {
		err := Stdio(ctx, f.options(), inR, outW)
		_ = outW.Close()
		c.ended <- err
	}()
	read := make(chan struct{})
	go func() {
		defer close(read)
		scan := bufio.NewScanner(outR)
		scan.Buffer(nil, 2*maxMessage)
		for scan.Scan() {
			c.lines <- scan.Text()
		}
	}()
	t.Cleanup(func() {
		_ = inW.Close()
		cancel()
		<-read
	})
	return c
}

func (c *talk) say(lines ...string) {
	c.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(c.in, l+"\n"); err != nil {
			c.t.Fatalf("say %s: %v", l, err)
		}
	}
}

func (c *talk) hear() string {
	c.t.Helper()
	return receive(c.t, c.lines, "an answer")
}

func (c *talk) expect(want string) {
	c.t.Helper()
	sameJSON(c.t, c.hear(), want)
}

// hangUp closes the input and waits for the server to return.
func (c *talk) hangUp() error {
	c.t.Helper()
	_ = c.in.Close()
	return receive(c.t, c.ended, "the end of the server")
}

const (
	hello  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	helloA = `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"instructions":"Start with zebra.","serverInfo":{"name":"oriel","title":"Oriel","version":"1.2.3"}}}`
	ready  = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

func callLine(id, name, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, args)
}

func textAnswer(id, text string) string {
	b, _ := json.Marshal(text)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}]}}`, id, b)
}

func errorAnswer(id, message string) string {
	text, _ := json.Marshal(struct {
		Error string `json:"error"`
	}{message})
	quoted, _ := json.Marshal(string(text))
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}],"isError":true}}`, id, quoted)
}

func refusalLine(id string, code int, message string) string {
	b, _ := json.Marshal(message)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, b)
}

func startInitialized(t *testing.T) *talk {
	t.Helper()
	c := startTalk(t)
	c.say(hello)
	c.expect(helloA)
	c.say(ready)
	return c
}

func TestStdioInitializeRevisions(t *testing.T) {
	for asked, given := range map[string]string{
		"2024-11-05": "2024-11-05",
		"2025-03-26": "2025-03-26",
		"2025-06-18": "2025-06-18",
		"2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", // has no initialize; the newest that has one
		"1999-01-01": "2025-11-25",
	} {
		t.Run(asked, func(t *testing.T) {
			c := startTalk(t)
			c.say(strings.Replace(hello, "2025-06-18", asked, 1))
			c.expect(strings.Replace(helloA, "2025-06-18", given, 1))
			c.say(ready, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			c.expect(`{"jsonrpc":"2.0","id":1,"result":{}}`)
			c.say(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
			c.expect(`{"jsonrpc":"2.0","id":2,"result":{"tools":` + fakeList + `}}`)
			c.say(callLine(`"s-1"`, "zebra", `{"a": 1.50}`))
			c.expect(textAnswer(`"s-1"`, `{"a": 1.50}`))
			if err := c.hangUp(); err != nil {
				t.Error(err)
			}
		})
	}
}

const (
	newMeta    = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}`
	serverMeta = `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"oriel","title":"Oriel","version":"1.2.3"}}`
	discovered = `{"resultType":"complete",` + serverMeta + `,"ttlMs":300000,"cacheScope":"public","supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"capabilities":{"tools":{}},"instructions":"Start with zebra."}`
)

func TestStdioStatelessRevision(t *testing.T) {
	c := startTalk(t)
	c.say(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + newMeta + `}}`)
	c.expect(`{"jsonrpc":"2.0","id":1,"result":` + discovered + `}`)
	c.say(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{` + newMeta + `}}`)
	c.expect(`{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete",` + serverMeta + `,"ttlMs":300000,"cacheScope":"public","tools":` + fakeList + `}}`)
	c.say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{` + newMeta + `,"name":"zebra","arguments":{}}}`)
	c.expect(`{"jsonrpc":"2.0","id":3,"result":{"resultType":"complete",` + serverMeta + `,"content":[{"type":"text","text":"{}"}]}}`)
	c.say(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{` + newMeta + `,"name":"nope"}}`)
	c.expect(`{"jsonrpc":"2.0","id":4,"result":{"resultType":"complete",` + serverMeta + `,"isError":true,"content":[{"type":"text","text":"{\"error\":\"unknown tool \\\"nope\\\" (valid: zebra, block, panic, image, data, steps, apple)\"}"}]}}`)
	// A revision to come is refused with those there are.
	c.say(strings.Replace(`{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{`+newMeta+`}}`, "2026-07-28", "2031-01-01", 1))
	c.expect(`{"jsonrpc":"2.0","id":5,"error":{"code":-32022,"message":"unsupported protocol version","data":{"requested":"2031-01-01","supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]}}}`)
	if err := c.hangUp(); err != nil {
		t.Error(err)
	}
	c.fake.attachedOnce(t)
}

func TestStdioStatelessClientNeedsNoDiscover(t *testing.T) {
	c := startTalk(t)
	c.say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{` + newMeta + `,"name":"zebra","arguments":{}}}`)
	c.expect(`{"jsonrpc":"2.0","id":3,"result":{"resultType":"complete",` + serverMeta + `,"content":[{"type":"text","text":"{}"}]}}`)
	_ = c.hangUp()
	receive(t, c.fake.detached, "the end of Attach's context")
}

func TestStdioCallBeforeInitializeIsRefused(t *testing.T) {
	c := startTalk(t)
	c.say(callLine("1", "zebra", "{}"))
	if got := c.hear(); !strings.Contains(got, `"error":{`) {
		t.Errorf("got %s, want a protocol error", got)
	}
	_ = c.hangUp()
	if n := c.fake.attached.Load(); n != 0 {
		t.Errorf("attached %d times by a client that never introduced itself", n)
	}
}

func TestStdioResults(t *testing.T) {
	c := startInitialized(t)
	c.say(callLine("1", "image", "{}"))
	c.expect(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a picture"},{"type":"image","mimeType":"image/png","data":"AQID"}]}}`)
	c.say(callLine("2", "data", `{"raw":true}`))
	c.expect(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"raw\":true}"}],"structuredContent":{"raw":true}}}`)
	// Older revisions know only objects as structured content.
	c.say(callLine("3", "data", `[1]`))
	c.expect(textAnswer("3", "[1]"))
	c.say(`{"jsonrpc":"2.0","id":"3b","method":"tools/call","params":{` + newMeta + `,"name":"data","arguments":[1]}}`)
	c.expect(`{"jsonrpc":"2.0","id":"3b","result":{"resultType":"complete",` + serverMeta + `,"content":[{"type":"text","text":"[1]"}],"structuredContent":[1]}}`)
	c.say(callLine("4", "apple", `{}`))
	c.expect(errorAnswer("4", "apple always fails"))
	c.say(callLine("5", "panic", `{}`))
	c.expect(errorAnswer("5", "internal error in panic: boom"))
	c.say(callLine("6", "zebar", `{}`))
	c.expect(errorAnswer("6", `unknown tool "zebar" (did you mean "zebra"? valid: zebra, block, panic, image, data, steps, apple)`))
	c.say(callLine("7", "hidden", `{}`))
	c.expect(errorAnswer("7", `unknown tool "hidden" (valid: zebra, block, panic, image, data, steps, apple)`))
	_ = c.hangUp()
	for _, call := range c.fake.calls() {
		if call.Tool == "hidden" {
			t.Error("a tool that is not listed was called")
		}
		if call.From.Dir != "/somewhere" || len(call.From.Env) != 1 {
			t.Errorf("origin did not go with the call: %+v", call.From)
		}
	}
}

// Whatever arguments are, they reach the caller as they came, never a protocol error.
func TestStdioArgumentsGoThroughUntouched(t *testing.T) {
	c := startInitialized(t)
	for i, args := range []string{
		`{"b":1,"a":2}`, `{"n":12345678901234567890}`, `{"f":1.0e2}`, `{"a":1,"a":2}`, `{ "s" : "\u00e9<&>" }`,
		`5`, `"text"`, `[]`, `null`, `true`, `{"deep":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}`,
	} {
		id := fmt.Sprint(i + 1)
		c.say(callLine(id, "zebra", args))
		c.hear()
		calls := c.fake.calls()
		if got := string(calls[len(calls)-1].Args); len(calls) != i+1 || got != args {
			t.Errorf("arguments %s reached the caller as %s", args, got)
		}
	}
	c.say(`{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"zebra"}}`)
	c.expect(textAnswer("99", ""))
	_ = c.hangUp()
}

func TestStdioUnknownCursor(t *testing.T) {
	c := startInitialized(t)
	c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"abc"}}`)
	c.expect(refusalLine("1", -32602, `unknown cursor "abc": the list of tools has one page`))
	_ = c.hangUp()
}

// Each bad line is answered, and the session answers the next good one.
func TestStdioBadLines(t *testing.T) {
	tests := map[string]struct{ line, want string }{
		"no JSON":             {`hello`, refusalLine("null", -32700, "parse error: invalid character 'h' looking for beginning of value")},
		"cut off":             {`{"jsonrpc":"2.0","id":1,`, refusalLine("null", -32700, "parse error: unexpected end of JSON input")},
		"two on a line":       {`{"jsonrpc":"2.0","id":1,"method":"ping"}{"x":1}`, refusalLine("null", -32700, "parse error: invalid character '{' after top-level value")},
		"number":              {`42`, refusalLine("null", -32600, "invalid request: a message is a JSON object")},
		"wrong version":       {`{"jsonrpc":"1.0","id":7,"method":"ping"}`, refusalLine("7", -32600, `invalid request: "jsonrpc" must be "2.0"`)},
		"no version":          {`{"id":"x","method":"ping"}`, refusalLine(`"x"`, -32600, `invalid request: "jsonrpc" must be "2.0"`)},
		"no method":           {`{"jsonrpc":"2.0","id":7}`, refusalLine("7", -32600, `invalid request: "method" must be a string`)},
		"method is a number":  {`{"jsonrpc":"2.0","id":7,"method":7}`, refusalLine("7", -32600, `invalid request: "method" must be a string`)},
		"null id":             {`{"jsonrpc":"2.0","id":null,"method":"ping"}`, refusalLine("null", -32600, `invalid request: "id" must be a string or a whole number`)},
		"fraction id":         {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, refusalLine("null", -32600, `invalid request: "id" must be a string or a whole number`)},
		"huge id":             {`{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}`, refusalLine("null", -32600, `invalid request: "id" must be a string or a whole number`)},
		"object id":           {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, refusalLine("null", -32600, `invalid request: "id" must be a string or a whole number`)},
		"not UTF-8":           {callLine("8", "zebra", "{\"a\":\"\xff\"}"), refusalLine("8", -32700, "parse error: the message is not UTF-8")},
		"not UTF-8, no JSON":  {"\xff\xfe{", refusalLine("null", -32700, "parse error: the message is not UTF-8")},
		"unknown method":      {`{"jsonrpc":"2.0","id":9,"method":"no/such"}`, refusalLine("9", -32601, `method not found: "no/such"`)},
		"empty batch":         {`[]`, refusalLine("null", -32600, "invalid request: empty batch")},
		"batch of rubbish":    {`[1,2]`, "[" + refusalLine("null", -32600, "invalid request: a message is a JSON object") + "," + refusalLine("null", -32600, "invalid request: a message is a JSON object") + "]"},
		"broken batch":        {`[{"jsonrpc":"2.0"`, refusalLine("null", -32700, "parse error: unexpected end of JSON input")},
		"too deep":            {strings.Repeat("[", 20000), refusalLine("null", -32700, "parse error: invalid character '[' exceeded max depth")},
		"surplus carriage":    {"\r\n   \r\n\t\n" + `{"jsonrpc":"2.0","id":3,"method":"ping"}` + "\r", `{"jsonrpc":"2.0","id":3,"result":{}}`},
		"batch of pings":      {`[{"jsonrpc":"2.0","id":4,"method":"ping"}]`, `[{"jsonrpc":"2.0","id":4,"result":{}}]`},
		"params are a number": {`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":4}`, ""},
		"null params":         {`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":null}`, ""},
		"name is a number":    {`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":4}}`, ""},
		"second initialize":   {strings.Replace(hello, `"id":0`, `"id":4`, 1), ""},
		"empty initialize":    {`{"jsonrpc":"2.0","id":4,"method":"initialize","params":{}}`, ""},
		"null initialize":     {`{"jsonrpc":"2.0","id":4,"method":"initialize","params":null}`, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			c := startInitialized(t)
			c.say(tc.line)
			got := c.hear()
			if tc.want == "" { // worded by the SDK
				if !strings.Contains(got, `"id":4,"error":{"code":`) {
					t.Errorf("got %s, want an error for id 4", got)
				}
			} else {
				sameJSON(t, got, tc.want)
			}
			c.say(callLine("77", "zebra", "{}"))
			c.expect(textAnswer("77", "{}"))
			if err := c.hangUp(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A refusal does not send back what was refused.
func TestStdioRefusalsAreShort(t *testing.T) {
	long := strings.Repeat("ü", 100_000)
	for name, line := range map[string]string{
		"params": `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":["` + long + `"]}`,
		"method": `{"jsonrpc":"2.0","id":4,"method":"` + long + `"}`,
		"name":   callLine("4", long, "{}"),
	} {
		c := startInitialized(t)
		c.say(line)
		if got := c.hear(); len(got) > 2000 || !json.Valid([]byte(got)) {
			t.Errorf("%s: an answer of %d bytes: %.300s", name, len(got), got)
		}
		c.say(callLine("77", "zebra", "{}"))
		c.expect(textAnswer("77", "{}"))
	}
}

// What needs no answer gets none: the next thing heard is the ping's.
func TestStdioSilence(t *testing.T) {
	for name, l := range map[string]string{
		"a response":             `{"jsonrpc":"2.0","id":5,"result":{}}`,
		"an error response":      `{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"x"}}`,
		"an unknown notice":      `{"jsonrpc":"2.0","method":"notifications/strange"}`,
		"cancel of nothing":      `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}`,
		"cancel without id":      `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`,
		"cancel without params":  `{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		"second initialized":     ready,
		"batch of notifications": `[` + ready + `,` + ready + `]`,
	} {
		t.Run(name, func(t *testing.T) {
			c := startInitialized(t)
			c.say(l, `{"jsonrpc":"2.0","id":"p","method":"ping"}`)
			c.expect(`{"jsonrpc":"2.0","id":"p","result":{}}`)
			if err := c.hangUp(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestStdioByteOrderMark(t *testing.T) {
	c := startTalk(t)
	c.say("\ufeff" + hello)
	c.expect(helloA)
	_ = c.hangUp()
}

func TestStdioLongLines(t *testing.T) {
	c := startInitialized(t)
	long := strings.Repeat("x", 1<<20)
	c.say(callLine("1", "zebra", `"`+long+`"`))
	c.expect(textAnswer("1", `"`+long+`"`))
	c.say(callLine("2", "zebra", `"`+strings.Repeat("x", maxMessage)+`"`))
	c.expect(refusalLine("null", -32600, "invalid request: message is longer than 64 MB"))
	c.say(callLine("3", "zebra", `{}`))
	c.expect(textAnswer("3", "{}"))
	if err := c.hangUp(); err != nil {
		t.Error(err)
	}
}

func TestStdioBatch(t *testing.T) {
	c := startInitialized(t)
	c.say(`[` + strings.Join([]string{
		callLine("1", "zebra", `1`),
		ready,
		`{"jsonrpc":"2.0","id":"p","method":"ping"}`,
		callLine("1", "zebra", `2`),
		`"rubbish"`,
		callLine("2", "nope", `{}`),
	}, ",") + `]`)
	var got []json.RawMessage
	line := c.hear()
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		t.Fatalf("not an array: %s", line)
	}
	want := []string{
		textAnswer("1", "1"),
		`{"jsonrpc":"2.0","id":"p","result":{}}`,
		refusalLine("null", -32600, "invalid request: id 1 is in use"),
		refusalLine("null", -32600, "invalid request: a message is a JSON object"),
		errorAnswer("2", `unknown tool "nope" (valid: zebra, block, panic, image, data, steps, apple)`),
	}
	if len(got) != len(want) {
		t.Fatalf("%d answers, want %d: %s", len(got), len(want), line)
	}
	left := map[string]int{}
	for _, w := range want {
		left[canonical(t, w)]++
	}
	for _, g := range got {
		left[canonical(t, string(g))]--
	}
	for w, n := range left {
		if n != 0 {
			t.Errorf("%+d of %s", n, w)
		}
	}
	_ = c.hangUp()
}

func TestStdioIDInUse(t *testing.T) {
	c := startInitialized(t)
	c.say(callLine("1", "block", `1`))
	receive(t, c.fake.started, "the call")
	c.say(callLine("1", "zebra", `{}`))
	c.expect(refusalLine("null", -32600, "invalid request: id 1 is in use"))
	close(c.fake.release)
	c.expect(textAnswer("1", "released"))
	c.say(callLine("1", "zebra", `{}`)) // free again
	c.expect(textAnswer("1", "{}"))
	_ = c.hangUp()
}

func TestStdioCancel(t *testing.T) {
	c := startInitialized(t)
	c.say(callLine("1", "block", `1`), callLine(`"1"`, "block", `"1"`))
	for range 2 {
		receive(t, c.fake.started, "a call")
	}
	c.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1","reason":"why not"}}`)
	if got := receive(t, c.fake.cancelled, "the cancellation"); got != `"1"` {
		t.Errorf("cancelled call %s, want the one with the string as id", got)
	}
	// The cancelled call is not answered, the other one is.
	close(c.fake.release)
	c.expect(textAnswer("1", "released"))
	c.say(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
	c.expect(`{"jsonrpc":"2.0","id":"p","result":{}}`)
	_ = c.hangUp()
	if n := len(c.fake.cancelled); n != 0 {
		t.Errorf("%d more calls were cancelled", n)
	}
}

func TestStdioCancelInBatch(t *testing.T) {
	c := startInitialized(t)
	c.say(`[` + callLine("1", "block", `1`) + `,` + callLine("2", "zebra", `{}`) + `]`)
	receive(t, c.fake.started, "the call")
	c.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	c.expect(`[` + textAnswer("2", "{}") + `]`)
	_ = c.hangUp()
}

// Requests that are piped in, with nothing after them, are answered.
func TestStdioAnswersBeforeTheEnd(t *testing.T) {
	var out strings.Builder
	in := strings.Join([]string{hello, ready, callLine("1", "zebra", "{}"), callLine("2", "steps", "{}")}, "\n") // no newline at the end
	f := newFake()
	if err := Stdio(t.Context(), f.options(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for l := range strings.Lines(out.String()) {
		got[canonical(t, l)] = true
	}
	for _, want := range []string{helloA, textAnswer("1", "{}"), textAnswer("2", "done")} {
		if !got[canonical(t, want)] {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
	receive(t, f.detached, "the end of Attach's context")
}

// A client that goes away takes its calls with it, though not at once.
func TestStdioDisconnectCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startInitialized(t)
		c.say(callLine("1", "block", `1`))
		<-c.fake.started
		gone := time.Now()
		if err := c.hangUp(); err != nil {
			t.Error(err)
		}
		if took := time.Since(gone); took != drain {
			t.Errorf("call was cancelled after %v, want %v", took, drain)
		}
		<-c.fake.cancelled
		<-c.fake.detached
	})
}

func TestStdioContextEnds(t *testing.T) {
	c := startInitialized(t)
	c.say(callLine("1", "block", `1`))
	receive(t, c.fake.started, "the call")
	c.cancel()
	if err := receive(t, c.ended, "the end of the server"); err != nil {
		t.Error(err)
	}
	receive(t, c.fake.cancelled, "the cancellation")
	receive(t, c.fake.detached, "the end of Attach's context")
}

// A call that will not stop, and a client that does not read, hold the server
// up for a while only.
func TestStdioEndsAnyway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		inR, inW := io.Pipe()
		outR, outW := io.Pipe() // nobody reads it
		ended := make(chan error, 1)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { ended <- Stdio(ctx, f.options(), inR, outW) }()
		_, _ = io.WriteString(inW, hello+"\n")
		synctest.Wait()
		cancel()
		begun := time.Now()
		if err := <-ended; err == nil || time.Since(begun) < grace {
			t.Errorf("ended after %v with %v", time.Since(begun), err)
		}
		_ = outR.Close()
		_ = inW.Close()
		synctest.Wait()
	})
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestStdioBrokenOutput(t *testing.T) {
	inR, inW := io.Pipe()
	defer inW.Close()
	ended := make(chan error, 1)
	go func() { ended <- Stdio(t.Context(), newFake().options(), inR, brokenWriter{}) }()
	_, _ = io.WriteString(inW, hello+"\n")
	if err := receive(t, ended, "the end of the server"); err == nil || !strings.Contains(err.Error(), "write answer") {
		t.Errorf("got %v", err)
	}
}

func TestStdioAttachesOnce(t *testing.T) {
	c := startInitialized(t)
	for i := range 5 {
		c.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, i))
		c.hear()
	}
	c.say(`{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{` + newMeta + `}}`)
	c.hear()
	_ = c.hangUp()
	receive(t, c.fake.detached, "the end of Attach's context") // closing twice would panic
	c.fake.attachedOnce(t)
}

// A real process on real pipes: nothing but protocol on its standard output,
// and it ends when its input does.
func TestStdioProcess(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asServer+"=stdio")
	cmd.Stdin = strings.NewReader(hello + "\n" + ready + "\nrubbish\n" + callLine("1", "panic", "{}") + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 3 {
		t.Fatalf("got %q", lines)
	}
	for _, l := range lines {
		if !strings.HasPrefix(l, `{"jsonrpc":"2.0",`) {
			t.Errorf("not protocol: %s", l)
		}
	}
}

func TestStdioRefusesToStart(t *testing.T) {
	for name, o := range map[string]Options{
		"no caller":  {Tools: fakeTools},
		"bad schema": {Caller: newFake(), Tools: withTool("x", "{")},
		"no schema":  {Caller: newFake(), Tools: withTool("x", "")},
		"array":      {Caller: newFake(), Tools: withTool("x", "[]")},
		"no name":    {Caller: newFake(), Tools: withTool("", "{}")},
		"twice":      {Caller: newFake(), Tools: append(withTool("x", "{}"), withTool("x", "{}")...)},
	} {
		if err := Stdio(t.Context(), o, strings.NewReader(""), io.Discard); err == nil {
			t.Errorf("%s: started", name)
		}
	}
}
