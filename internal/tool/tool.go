// Package tool says what a tool is: how one is declared, called and answered.
// It is the narrow waist of the program: front ends (MCP, daemon, command line)
// know Caller and nothing of what is behind it; tools are values of Def.
package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// Origin is where a call comes from. It travels with every call, because the
// process that answers may serve many projects: its own directory and
// environment mean nothing.
type Origin struct {
	Dir string   `json:"dir"`
	Env []string `json:"env,omitempty"`
}

// Call asks for one tool.
type Call struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
	From Origin          `json:"from"`
}

// Result is a tool's whole answer.
type Result struct {
	Text    string          `json:"text"`
	Data    json.RawMessage `json:"data,omitempty"` // the typed result; only when raw was asked for
	Image   *Image          `json:"image,omitempty"`
	IsError bool            `json:"isError,omitempty"`
}

// Image is a picture that goes to the model as a picture.
type Image struct {
	MIME string `json:"mime"`
	Data []byte `json:"data"`
}

// Caller answers calls. In no-daemon mode it is the tool table itself, in
// daemon mode a client that posts the same Call to the same table.
type Caller interface {
	Call(context.Context, Call) Result
}

// Texter is what a handler returns: a typed value that writes itself as the
// compact text for a model. Marshalled, it is the raw answer.
type Texter interface {
	Text() string
}

// Imager is a Texter that also carries a picture.
type Imager interface {
	Image() *Image
}

// Roomy is a Texter that was asked for more than a default answer holds.
type Roomy interface {
	Room() int // bytes
}

// DefaultRoom is the most a default answer may take.
const DefaultRoom = 4 << 10

// Hints tell a client what a call may do, as MCP's tool annotations.
type Hints struct {
	ReadOnly    bool
	Destructive bool
	Idempotent  bool
	OpenWorld   bool
}

// Doc is what a model reads about a tool.
type Doc struct {
	Title string
	Text  string
	Hints Hints
}

// Fail is the only place where an error becomes an answer:
// a JSON object with the single field "error".
func Fail(err error) Result {
	message := err.Error()
	if len(message) > maxError {
		message = strings.ToValidUTF8(message[:maxError], "") + "…"
	}
	return Result{Text: ErrorText(message), IsError: true}
}

// maxError bounds a message, which may quote a caller's or a page's words.
const maxError = 3 << 10

// ErrorText is the text of a failed call.
func ErrorText(message string) string {
	return encode(struct {
		Error string `json:"error"`
	}{message})
}

// ErrorMessage is the message inside a failed result, for callers that show
// it to a person.
func ErrorMessage(r Result) string {
	var body struct {
		Error string `json:"error"`
	}
	if json.Unmarshal([]byte(r.Text), &body) != nil || body.Error == "" {
		return r.Text
	}
	return body.Error
}

// answer words a handler's value.
func answer(v Texter, raw bool) Result {
	var res Result
	if im, ok := v.(Imager); ok {
		res.Image = im.Image()
	}
	if raw {
		res.Text = encode(v)
		res.Data = json.RawMessage(res.Text)
		return res
	}
	room := DefaultRoom
	if r, ok := v.(Roomy); ok {
		room = max(room, r.Room())
	}
	res.Text = fit(v.Text(), room)
	return res
}

// fit cuts a text that is too long at the end of a line, and says so. It is
// the last resort: what can be long should choose by itself what to show.
func fit(text string, room int) string {
	if len(text) <= room {
		return text
	}
	const note = 60
	head := text[:room-note]
	if i := strings.LastIndexByte(head, '\n'); i > 0 {
		head = head[:i]
	}
	head = strings.ToValidUTF8(head, "")
	return fmt.Sprintf("%s\n(… %d more bytes: raw: true gives all)\n", head, len(text)-len(head))
}
