package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel/internal/tool"
)

// How long a client of the stateless kind may keep the list of tools, and
// whether it may share it. The list is the same for everyone and changes only
// with the program.
const (
	listTTL   = 5 * 60 * 1000 // ms
	listScope = "public"
)

// complete marks a result, for clients of the stateless kind, as the whole answer.
const complete = "complete"

// toolList is the array of tools as it goes over the wire, written once.
type toolList json.RawMessage

// listedTool is a tool in the list. It is not the SDK's type, which cannot
// leave a false hint out. It has no title: the description says it, and every
// session pays for both.
type listedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations *annotations    `json:"annotations,omitempty"`
}

// annotations holds the hints that differ from what the protocol has a client
// assume: not read-only, destructive, not idempotent, open world.
type annotations struct {
	ReadOnly    bool  `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  bool  `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

func annotate(h tool.Hints) *annotations {
	no := false
	a := annotations{ReadOnly: h.ReadOnly}
	if !h.ReadOnly { // the protocol gives these two no meaning otherwise
		a.Idempotent = h.Idempotent
		if !h.Destructive {
			a.Destructive = &no
		}
	}
	if !h.OpenWorld {
		a.OpenWorld = &no
	}
	if a == (annotations{}) {
		return nil
	}
	return &a
}

// encodeTools writes the list. A name or a schema that cannot be listed is a
// mistake in the program, told before the first client comes.
func encodeTools(infos []tool.Info) (toolList, error) {
	listed := make([]listedTool, 0, len(infos))
	for i, info := range infos {
		schema := bytes.TrimSpace([]byte(info.Schema))
		if !json.Valid(schema) || schema[0] != '{' {
			return nil, fmt.Errorf("list tool %q: schema is not a JSON object", info.Name)
		}
		if info.Name == "" || slices.ContainsFunc(infos[:i], func(o tool.Info) bool { return o.Name == info.Name }) {
			return nil, fmt.Errorf("list tool %q: name is empty or taken", info.Name)
		}
		listed = append(listed, listedTool{
			Name: info.Name, Description: info.Doc.Text,
			InputSchema: schema, Annotations: annotate(info.Doc.Hints),
		})
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(listed); err != nil {
		return nil, fmt.Errorf("list tools: %w", err)
	}
	return toolList(bytes.TrimSpace(buf.Bytes())), nil
}

// listResult answers tools/list.
type listResult struct {
	mcp.ResultBase
	ResultType string          `json:"resultType,omitempty"`
	TTL        int             `json:"ttlMs,omitempty"`
	Scope      string          `json:"cacheScope,omitempty"`
	Tools      json.RawMessage `json:"tools"`
}

func (l toolList) result(stateless bool) *listResult {
	res := &listResult{Tools: json.RawMessage(l)}
	if stateless {
		res.ResultType, res.TTL, res.Scope = complete, listTTL, listScope
	}
	return res
}

// callResult answers tools/call.
type callResult struct {
	mcp.ResultBase
	ResultType string          `json:"resultType,omitempty"`
	Content    []mcp.Content   `json:"content"`
	Structured json.RawMessage `json:"structuredContent,omitempty"`
	IsError    bool            `json:"isError,omitempty"`
}

func newCallResult(name string, r tool.Result, stateless bool) *callResult {
	if len(r.Data) > 0 && !json.Valid(r.Data) {
		// Sent on, it would make the whole answer unwritable.
		r = tool.Fail(fmt.Errorf("internal error in %s: its typed answer is not JSON", name))
	}
	res := &callResult{IsError: r.IsError}
	if stateless {
		res.ResultType = complete
	}
	// Older clients take an object and may refuse the whole answer otherwise.
	if data := bytes.TrimSpace(r.Data); len(data) > 0 && (data[0] == '{' || stateless) {
		res.Structured = data
	}
	if r.Text != "" || r.Image == nil {
		res.Content = append(res.Content, &mcp.TextContent{Text: r.Text})
	}
	if r.Image != nil {
		res.Content = append(res.Content, &mcp.ImageContent{MIMEType: r.Image.MIME, Data: r.Image.Data})
	}
	return res
}
