package mcpserver

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// bearer presents the token with each request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// sdkConversation is what the SDK's own client must be able to do, whatever
// carries it.
func sdkConversation(t *testing.T, transport mcp.Transport) {
	t.Helper()
	ctx := t.Context()
	progress := make(chan float64, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			progress <- r.Params.Progress
		},
	})
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()

	list, err := session.ListTools(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if want := []string{"zebra", "block", "panic", "image", "data", "steps", "apple"}; !slices.Equal(names, want) || list.NextCursor != "" {
		t.Errorf("tools %v, cursor %q", names, list.NextCursor)
	}
	if a := list.Tools[0].Annotations; a == nil || !a.ReadOnlyHint || a.OpenWorldHint == nil || *a.OpenWorldHint {
		t.Errorf("annotations %+v", a)
	}

	params := &mcp.CallToolParams{Name: "steps"}
	params.SetProgressToken("p")
	res, err := session.CallTool(ctx, params)
	if err != nil || res.IsError {
		t.Fatalf("got %+v, %v", res, err)
	}
	// The client tells of notifications in their order, but not before it has
	// told of the result.
	for last := 0.0; last < 50; {
		p := receive(t, progress, "progress")
		if p <= last {
			t.Fatalf("progress %v after %v", p, last)
		}
		last = p
	}

	res, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "image"})
	if err != nil || len(res.Content) != 2 {
		t.Fatalf("got %+v, %v", res, err)
	}
	if image, ok := res.Content[1].(*mcp.ImageContent); !ok || image.MIMEType != "image/png" || len(image.Data) != 3 {
		t.Errorf("got %+v", res.Content[1])
	}
	for _, name := range []string{"panic", "apple", "nope"} {
		if res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name}); err != nil || !res.IsError {
			t.Errorf("%s: got %+v, %v", name, res, err)
		}
	}
}

func TestSDKClientOnPipes(t *testing.T) {
	f := newFake()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Stdio(t.Context(), f.options(), inR, outW) }()
	sdkConversation(t, &mcp.IOTransport{Reader: outR, Writer: inW})
	if err := receive(t, ended, "the end of the server"); err != nil {
		t.Error(err)
	}
	f.attachedOnce(t)
}

func TestSDKClientOnProcess(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), asServer+"=stdio")
	cmd.Stderr = os.Stderr
	sdkConversation(t, &mcp.CommandTransport{Command: cmd})
}

func TestSDKClientOverHTTP(t *testing.T) {
	w := startWeb(t)
	sdkConversation(t, &mcp.StreamableClientTransport{
		Endpoint:   w.url,
		HTTPClient: &http.Client{Transport: bearer{testToken}},
		MaxRetries: -1,
	})
}

func TestSDKClientWithoutToken(t *testing.T) {
	w := startWeb(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	if _, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: w.url, MaxRetries: -1}, nil); err == nil {
		t.Error("let in")
	}
}

// Two clients of one server: each is served, Attach happens once.
func TestSDKClientsTogether(t *testing.T) {
	w := startWeb(t)
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
			session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
				Endpoint: w.url, HTTPClient: &http.Client{Transport: bearer{testToken}}, MaxRetries: -1,
			}, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer session.Close()
			if _, err := session.ListTools(t.Context(), nil); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	w.fake.attachedOnce(t)
}
