package page

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"oriel/internal/lazyre"
	"oriel/internal/page/script"
	"oriel/internal/page/wire"
	"oriel/internal/quote"
)

// Defaults of ExecOptions, and the most that may be asked for.
const (
	ExecTimeout    = 30 * time.Second
	ExecLimit      = 1 << 20
	MaxExecTimeout = 10 * time.Minute
	MaxExecLimit   = 2 << 20
	MaxCode        = 1 << 20
)

// ExecOptions bounds an Exec; zero values mean the defaults.
type ExecOptions struct {
	Timeout time.Duration
	Limit   int // characters of JSON
}

// Cut says how much of a value was left out.
type Cut = wire.Cut

// Value is what code came to. JSON and Type are the page's words.
type Value struct {
	Type  string          // "number", "undefined", "array", "node", "Map" …
	JSON  json.RawMessage // null for undefined
	Exact bool            // JSON is a faithful copy, without stand-ins for what JSON cannot carry
	Cut   Cut
	Page  Info // where it ran
}

// Why an Exec came to no value.
const (
	WhyThrew   = "threw"   // the code threw, or its promise was rejected
	WhySyntax  = "syntax"  // it does not parse
	WhyBlocked = "blocked" // the page's policy lets no script of ours run
)

// ExecError is the failure of the code itself. Its texts are the page's words.
type ExecError struct {
	Why          string
	Name         string // of the error's class; "" when something else was thrown
	Message      string
	Stack        string // frames only, places in the code as exec:LINE:COLUMN
	Line, Column int    // in the code; 0 when unknown
	Page         Info
}

func (e *ExecError) Error() string {
	text := e.Message
	if e.Name != "" {
		text = e.Name + ": " + text
	}
	if e.Why == WhySyntax && e.Line > 0 {
		return fmt.Sprintf("%s (line %d, column %d)", text, e.Line, e.Column)
	}
	return text
}

// ErrTimeout says that the page did not answer in time. The code may still be
// running there: there is no way to stop it.
var ErrTimeout = errors.New("no answer in time; the code may still be running in the page")

// Exec runs code in the page and returns the value of an expression, of what it
// returns, or of the promise either comes to. Failures of the code are an
// *ExecError.
func (p *Page) Exec(ctx context.Context, code string, o ExecOptions) (Value, error) {
	if len(code) > MaxCode {
		return Value{}, fmt.Errorf("exec on page %s: code of %d bytes is over the limit of %d", p.id, len(code), MaxCode)
	}
	forms := script.Forms(code)
	if len(forms) == 0 {
		return Value{}, fmt.Errorf("exec on page %s: there is no code in it", p.id)
	}
	timeout := min(orDefault(o.Timeout, ExecTimeout), MaxExecTimeout)
	limit := min(orDefault(o.Limit, ExecLimit), MaxExecLimit)
	within, cancel := context.WithTimeoutCause(ctx, timeout, ErrTimeout)
	defer cancel()

	p.hub.mu.Lock()
	files := p.files
	p.hub.mu.Unlock()
	m, err := p.ask(within, forms, limit, files)
	if err == nil && !files && !m.OK && m.Why == WhyBlocked {
		// Nothing has run. From now on this page gets files.
		p.hub.mu.Lock()
		p.files = true
		p.hub.mu.Unlock()
		m, err = p.ask(within, forms, limit, true)
	}
	if err != nil {
		return Value{}, fmt.Errorf("exec on page %s: %w", p.id, err)
	}
	return p.conclude(m, forms, limit)
}

func orDefault[T int | time.Duration](v, otherwise T) T {
	if v <= 0 {
		return otherwise
	}
	return v
}

// ask sends the forms over the page's socket and waits for the answer that
// comes back over the same one.
func (p *Page) ask(ctx context.Context, forms []script.Form, limit int, files bool) (wire.Message, error) {
	h := p.hub
	request := wire.ExecRequest{T: "exec", Limit: limit, Files: files}
	var names []string
	h.mu.Lock()
	s := p.socket
	if s == nil || s.asked == nil {
		h.mu.Unlock()
		return wire.Message{}, ErrAway
	}
	s.lastAsk++
	request.ID = s.lastAsk
	answer := make(chan wire.Message, 1)
	s.asked[request.ID] = answer
	for _, f := range forms {
		if !files {
			request.Forms = append(request.Forms, f.Text)
			continue
		}
		name := rand.Text()
		h.files[name] = f.Text
		names = append(names, name)
		request.Forms = append(request.Forms, Prefix+"x/"+name+".js")
	}
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		delete(s.asked, request.ID)
		for _, name := range names {
			delete(h.files, name)
		}
		h.mu.Unlock()
	}()
	if err := s.enqueue(wire.Encode(request)); err != nil {
		return wire.Message{}, err
	}
	select {
	case m, ok := <-answer:
		if !ok {
			return wire.Message{}, errGone
		}
		return m, nil
	case <-ctx.Done():
		return wire.Message{}, context.Cause(ctx)
	}
}

var errGone = errors.New("the page went away before it answered: it was closed, reloaded or went elsewhere")

// conclude turns an answer into a Value or an *ExecError.
func (p *Page) conclude(m wire.Message, forms []script.Form, limit int) (Value, error) {
	info := p.Info()
	if m.OK {
		// A character of JSON is at most three bytes.
		if len(m.Body) > 3*limit+4096 {
			return Value{}, fmt.Errorf("exec on page %s: the page sent %d bytes, over the limit of %d characters", p.id, len(m.Body), limit)
		}
		v := Value{Type: quote.Text(m.Type, wire.MaxName), JSON: m.Body, Exact: m.Exact, Page: info}
		if m.Cut != nil {
			v.Cut = Cut{Items: max(0, m.Cut.Items), Chars: max(0, m.Cut.Chars)}
		}
		return v, nil
	}
	e := &ExecError{
		Why: wire.OneOf(m.Why, WhyThrew, WhySyntax, WhyBlocked), Page: info,
		Name: quote.Text(m.Name, wire.MaxName), Message: quote.Lines(m.Message, wire.MaxMessage),
	}
	f := forms[min(max(m.Form, 0), len(forms)-1)]
	switch e.Why {
	case WhySyntax:
		e.Message = ours.ReplaceAllString(e.Message, "")
		line, column, inside := f.Position(m.Line, m.Column)
		if inside {
			e.Line, e.Column = line, column
		} else if line > f.Lines() {
			e.Message = "unexpected end of code"
		}
	case WhyBlocked:
		e.Name, e.Message = "", "the page's content security policy lets no script of Oriel's run"
	default:
		e.Stack, e.Line, e.Column = frames(quote.Lines(m.Stack, wire.MaxStack), f)
	}
	return Value{}, e
}

// ours is what the way of compiling adds to a browser's words.
var ours = lazyre.New(`^(Uncaught )?(SyntaxError: )?(Failed to execute '\w+' on '\w+': )?`)

var place = lazyre.New(regexp.QuoteMeta(script.SourceName) + `:(\d+):(\d+)`)

// frames keeps the lines of a stack that are places, without the agent's own,
// and translates those in the code. It also returns the first of these.
func frames(stack string, f script.Form) (string, int, int) {
	var kept []string
	first, firstColumn := 0, 0
	for line := range strings.Lines(stack) {
		line = strings.TrimSpace(line)
		// V8 writes "at f (url:1:2)", the others "f@url:1:2".
		if strings.Contains(line, Prefix) || !strings.HasPrefix(line, "at ") && !strings.Contains(line, "@") {
			continue
		}
		line = place.ReplaceAllStringFunc(line, func(s string) string {
			parts := place.FindStringSubmatch(s)
			l, errLine := strconv.Atoi(parts[1])
			c, errColumn := strconv.Atoi(parts[2])
			if errLine != nil || errColumn != nil {
				return s
			}
			l, c, _ = f.Position(l, c)
			if first == 0 {
				first, firstColumn = l, c
			}
			return fmt.Sprintf("exec:%d:%d", l, c)
		})
		kept = append(kept, line)
	}
	return strings.Join(kept, "\n"), first, firstColumn
}
