package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

var errTooLong = fmt.Errorf("message is longer than %d MB", maxMessage>>20)

// lineReader cuts a stream into lines of any length up to limit.
type lineReader struct {
	r     *bufio.Reader
	limit int
	begun bool
}

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), limit: limit}
}

// next returns a line that is not blank, without its end and without the byte
// order mark some shells begin with. errTooLong stands for a line that was
// skipped; any other error ends the stream. The line is the caller's to keep.
func (l *lineReader) next() ([]byte, error) {
	for {
		line, err := l.line()
		if !l.begun {
			l.begun = true
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		line = bytes.TrimSpace(line)
		if err != nil && !(errors.Is(err, io.EOF) && len(line) > 0) {
			return nil, err
		}
		if len(line) > 0 {
			return line, nil // an EOF, if any, comes back with the next call
		}
	}
}

func (l *lineReader) line() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := l.r.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > l.limit; tooLong {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case tooLong && (err == nil || errors.Is(err, io.EOF)):
			return nil, errTooLong
		default:
			return line, err
		}
	}
}

// refusal answers a message that is none. The protocol wants id null when it
// cannot be known, which the SDK's type leaves out.
type refusal struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   refusalError    `json:"error"`
}

type refusalError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func refuse(id json.RawMessage, code int, format string, args ...any) *refusal {
	if id == nil {
		id = json.RawMessage("null")
	}
	return &refusal{"2.0", id, refusalError{code, fmt.Sprintf(format, args...)}}
}

func (r *refusal) encode() []byte {
	b, err := json.Marshal(r)
	if err != nil { // an id that was valid JSON, a number and a string: cannot be
		panic(err)
	}
	return b
}

// parsed is one line taken apart: a message, or several in a batch.
type parsed struct {
	batch    bool
	messages []message
}

// message is a request or a notification, or else the answer to what is
// neither. Responses are left out: this server asks nothing of its client.
type message struct {
	req    *jsonrpc.Request
	id     json.RawMessage
	refuse *refusal
}

func parseLine(line []byte) parsed {
	if !utf8.Valid(line) {
		return parsed{messages: []message{{refuse: refuse(findID(line), jsonrpc.CodeParseError, "parse error: the message is not UTF-8")}}}
	}
	if line[0] != '[' {
		return parsed{messages: parseMessage(nil, line)}
	}
	var items []json.RawMessage
	if err := json.Unmarshal(line, &items); err != nil {
		return parsed{messages: []message{{refuse: refuse(nil, jsonrpc.CodeParseError, "parse error: %v", err)}}}
	}
	if len(items) == 0 {
		return parsed{messages: []message{{refuse: refuse(nil, jsonrpc.CodeInvalidRequest, "invalid request: empty batch")}}}
	}
	p := parsed{batch: true}
	for _, item := range items {
		p.messages = parseMessage(p.messages, item)
	}
	return p
}

// parseMessage adds what one JSON value is to list.
func parseMessage(list []message, raw []byte) []message {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		if _, ok := errors.AsType[*json.SyntaxError](err); ok {
			return append(list, message{refuse: refuse(nil, jsonrpc.CodeParseError, "parse error: %v", err)})
		}
		return append(list, message{refuse: refuse(nil, jsonrpc.CodeInvalidRequest, "invalid request: a message is a JSON object")})
	}
	id, key, err := parseID(fields)
	invalid := func(what string) []message {
		return append(list, message{refuse: refuse(id, jsonrpc.CodeInvalidRequest, "invalid request: %s", what)})
	}
	var version, method string
	switch {
	case err != nil:
		return invalid(err.Error())
	case json.Unmarshal(fields["jsonrpc"], &version) != nil || version != "2.0":
		return invalid(`"jsonrpc" must be "2.0"`)
	case fields["method"] == nil && id != nil && (fields["result"] != nil || fields["error"] != nil):
		return list
	case json.Unmarshal(fields["method"], &method) != nil || method == "":
		return invalid(`"method" must be a string`)
	}
	return append(list, message{
		req: &jsonrpc.Request{ID: key, Method: method, Params: fields["params"]},
		id:  id,
	})
}

// parseID reads the id of a message, in its own bytes and as the SDK keeps it.
// Both are empty for a notification. The SDK holds numbers as whole ones of 64
// bits that went through a float: what would not survive that is refused,
// rather than answered under another id.
func parseID(fields map[string]json.RawMessage) (json.RawMessage, jsonrpc.ID, error) {
	const exact = 1 << 53
	raw, given := fields["id"]
	if !given {
		return nil, jsonrpc.ID{}, nil
	}
	var number int64
	var text string
	switch {
	case bytes.Equal(raw, []byte("null")):
	case json.Unmarshal(raw, &text) == nil:
		id, err := jsonrpc.MakeID(text)
		return raw, id, err
	case json.Unmarshal(raw, &number) == nil && number >= -exact && number <= exact:
		id, err := jsonrpc.MakeID(float64(number))
		return raw, id, err
	}
	return nil, jsonrpc.ID{}, errors.New(`"id" must be a string or a whole number`)
}

// findID gives the id of a message that is refused for another reason, so that
// its sender does not wait for ever.
func findID(raw []byte) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	id, _, err := parseID(fields)
	if err != nil || !utf8.Valid(id) {
		return nil
	}
	return id
}
