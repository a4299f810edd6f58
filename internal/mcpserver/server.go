package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel/internal/tool"
)

const (
	serverName  = "oriel"
	serverTitle = "Oriel"

	// stateless is the first revision without sessions. Revisions are dates,
	// so that they compare as strings.
	stateless = "2026-07-28"

	// maxMessage bounds one message from a client, on stdio and over HTTP.
	maxMessage = 64 << 20

	// grace bounds how long an ending server waits for calls that were told
	// to stop, and for a client that does not read its answers.
	grace = 3 * time.Second
)

// Options are what a server serves, whatever carries it.
type Options struct {
	Version      string
	Instructions string      // how the tools fit together, for a model
	Tools        []tool.Info // listed in this order; no other can be called
	Caller       tool.Caller
	From         tool.Origin // goes with every call

	// Attach, if set, is called once, when the first client introduces itself
	// or, being of the stateless kind, first asks for something. It runs in a
	// goroutine of its own, under a context that ends with the server, and the
	// server waits for it.
	Attach func(context.Context)
}

// server is what both carriers share: the answers, and the lifetime of
// everything that runs on a client's behalf.
type server struct {
	opts  Options
	sdk   *mcp.Server
	names []string
	list  toolList

	life   context.Context // ends with the server
	end    context.CancelFunc
	attach sync.Once
	wait   sync.WaitGroup // for Attach
	calls  calls
}

func newServer(ctx context.Context, o Options) (*server, error) {
	if o.Caller == nil {
		return nil, errors.New("start MCP server: no caller given")
	}
	list, err := encodeTools(o.Tools)
	if err != nil {
		return nil, fmt.Errorf("start MCP server: %w", err)
	}
	s := &server{opts: o, list: list}
	for _, t := range o.Tools {
		s.names = append(s.names, t.Name)
	}
	s.life, s.end = context.WithCancel(context.WithoutCancel(ctx))
	s.sdk = mcp.NewServer(
		&mcp.Implementation{Name: serverName, Title: serverTitle, Version: o.Version},
		&mcp.ServerOptions{
			Instructions: o.Instructions,
			// Named outright: left alone, the SDK would offer logging and
			// changes of the tool list, and there are neither.
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
			SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
				c.TTLMs, c.CacheScope = listTTL, listScope
			},
		})
	s.sdk.AddReceivingMiddleware(s.dispatch)
	return s, nil
}

// close ends what runs for clients and waits for Attach, but not longer than
// grace: a server that cannot end is worse than a goroutine left behind in a
// process that ends.
func (s *server) close() {
	s.attach.Do(func() {}) // from here on nobody attaches
	s.end()
	within(grace, s.wait.Wait)
}

// within runs wait and returns when it has, or when limit is over. It reports
// whether wait returned.
func within(limit time.Duration, wait func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		wait()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// dispatch is the second dispatch of the package comment. It also keeps a
// panic anywhere below it from ending the process.
func (s *server) dispatch(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				res = nil
				err = &jsonrpc.Error{
					Code:    jsonrpc.CodeInternalError,
					Message: fmt.Sprintf("internal error in %s: %v", method, p),
				}
			}
		}()
		switch req := req.(type) {
		case *mcp.ListToolsRequest:
			s.attached()
			return s.listTools(req)
		case *mcp.CallToolRequest:
			s.attached()
			return s.callTool(ctx, req), nil
		}
		res, err = next(ctx, method, req)
		if err == nil && (method == "initialize" || method == "server/discover") {
			s.attached()
		}
		return res, err
	}
}

// attached notes that a client is there.
func (s *server) attached() {
	s.attach.Do(func() {
		if s.opts.Attach != nil {
			s.wait.Go(func() { s.opts.Attach(s.life) })
		}
	})
}

func (s *server) listTools(req *mcp.ListToolsRequest) (mcp.Result, error) {
	if req.Params != nil && req.Params.Cursor != "" {
		return nil, &jsonrpc.Error{
			Code:    jsonrpc.CodeInvalidParams,
			Message: fmt.Sprintf("unknown cursor %q: the list of tools has one page", cut(req.Params.Cursor)),
		}
	}
	return s.list.result(req.Params != nil && isStateless(req.Params)), nil
}

func (s *server) callTool(ctx context.Context, req *mcp.CallToolRequest) mcp.Result {
	ctx, done := s.calls.start(ctx, s.life, req.Session.ID())
	defer done()
	ctx, flush := withProgress(ctx, req)
	res := s.answer(ctx, tool.Call{Tool: req.Params.Name, Args: req.Params.Arguments, From: s.opts.From})
	flush()
	return newCallResult(req.Params.Name, res, isStateless(req.Params))
}

// answer asks the caller. The table behind it recovers from its tools' panics;
// this is for the ways to the table.
func (s *server) answer(ctx context.Context, c tool.Call) (res tool.Result) {
	defer func() {
		if p := recover(); p != nil {
			res = tool.Fail(fmt.Errorf("internal error in %s: %v", c.Tool, p))
		}
	}()
	for _, name := range s.names {
		if name == c.Tool {
			return s.opts.Caller.Call(ctx, c)
		}
	}
	// Said here and not by the caller, which also answers to tools that are
	// kept from models.
	return tool.Fail(tool.Unknown(c.Tool, s.names))
}

// cut keeps a client's own words from swelling an answer.
func cut(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// isStateless tells whether a request carries its own protocol revision.
func isStateless(p mcp.Params) bool {
	version, _ := p.GetMeta()[mcp.MetaKeyProtocolVersion].(string)
	return version >= stateless
}
