// Package tool says what a tool is: how one is declared, called and answered.
// It is the narrow waist of the program: front ends (MCP, daemon, command line)
// know Caller and nothing of what is behind it; tools are values of Def.
package tool

import (
	"context"
	"encoding/json"
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
	return Result{Text: ErrorText(err.Error()), IsError: true}
}

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
	res.Text = v.Text()
	return res
}
