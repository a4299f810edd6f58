package mcpserver

import (
	"strings"
	"testing"

	"oriel/internal/tool"
)

// fakeList is fakeTools as a client sees them: in order, and with only those
// hints that say something.
const fakeList = `[` +
	`{"name":"zebra","description":"Says back its arguments <as they are>.","inputSchema":` + emptySchema + `,"annotations":{"readOnlyHint":true,"openWorldHint":false}},` +
	`{"name":"block","description":"Blocks.","inputSchema":` + emptySchema + `},` +
	`{"name":"panic","description":"Panics.","inputSchema":` + emptySchema + `,"annotations":{"destructiveHint":false,"idempotentHint":true}},` +
	`{"name":"image","description":"Draws.","inputSchema":` + emptySchema + `,"annotations":{"destructiveHint":false,"openWorldHint":false}},` +
	`{"name":"data","description":"Answers raw.","inputSchema":` + emptySchema + `,"annotations":{"destructiveHint":false,"openWorldHint":false}},` +
	`{"name":"steps","description":"Reports progress.","inputSchema":` + emptySchema + `,"annotations":{"destructiveHint":false,"openWorldHint":false}},` +
	`{"name":"apple","description":"Fails.","inputSchema":` + emptySchema + `,"annotations":{"destructiveHint":false,"openWorldHint":false}}]`

func withTool(name, schema string) []tool.Info {
	return []tool.Info{{Name: name, Schema: schema}}
}

func TestListBytes(t *testing.T) {
	got, err := encodeTools(fakeTools)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != fakeList {
		t.Errorf("got  %s\nwant %s", got, fakeList)
	}
	if got, err := encodeTools(nil); err != nil || string(got) != "[]" {
		t.Errorf("no tools: %s, %v", got, err)
	}
}

func TestCallResultOfBrokenData(t *testing.T) {
	got := newCallResult("x", tool.Result{Text: "fine", Data: []byte(`{"a":`)}, false)
	if !got.IsError || got.Structured != nil || len(got.Content) != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestCallResultOfBareImage(t *testing.T) {
	got := newCallResult("x", tool.Result{Image: &tool.Image{MIME: "image/webp", Data: []byte{1}}}, false)
	if len(got.Content) != 1 {
		t.Fatalf("%d blocks, want the picture alone", len(got.Content))
	}
	b, err := got.Content[0].MarshalJSON()
	if err != nil || !strings.Contains(string(b), `"image/webp"`) {
		t.Errorf("got %s, %v", b, err)
	}
}
