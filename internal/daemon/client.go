package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"sync"
	"time"

	"oriel/internal/tool"
)

// Client is the tool.Caller on the near side of the socket.
type Client struct {
	Home  Home
	Build Build
	// Spawn starts a daemon in the background and may say when and how that one
	// ended; nil: a missing one is an error.
	Spawn func() (ended <-chan error, err error)

	mu sync.Mutex // one spawn or replacement at a time
}

// ErrNotRunning says that no daemon answers.
var ErrNotRunning = errors.New("no oriel daemon is running")

// spawnPatience is how long a started daemon may take to answer, on a machine
// that is busy with a build, and after ending a dead predecessor's orphans.
const spawnPatience = 20 * time.Second

// Call posts the call and waits for its result. A daemon that is not there is
// started; one that dies during the call fails that call alone.
func (c *Client) Call(ctx context.Context, call tool.Call) tool.Result {
	if len(bytes.TrimSpace(call.Args)) == 0 {
		call.Args = nil
	}
	if !json.Valid(call.Args) && call.Args != nil {
		return tool.Fail(tool.CheckArgs(call.Args))
	}
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false) // the arguments arrive byte for byte
	if err := enc.Encode(newRequest(call)); err != nil {
		return tool.Fail(fmt.Errorf("write the call: %w", err))
	}
	for range 3 {
		resp, err := c.post(ctx, "/call", body.Bytes())
		switch {
		case err == nil && resp.StatusCode == http.StatusOK:
			return readResult(ctx, resp.Body)
		case err == nil && resp.StatusCode == http.StatusConflict:
			err = c.replace(ctx, resp.Body)
		case err == nil:
			err = unexpected(resp)
		case errors.Is(err, ErrNotRunning):
			err = c.Start(ctx)
		}
		if err != nil {
			return tool.Fail(err)
		}
	}
	return tool.Fail(errors.New("the oriel daemon does not stay up: see `oriel daemon logs`"))
}

// readResult reads progress lines up to the result.
func readResult(ctx context.Context, body io.ReadCloser) tool.Result {
	defer body.Close()
	dec := json.NewDecoder(body)
	for {
		var m message
		if err := dec.Decode(&m); err != nil {
			if ctx.Err() != nil {
				return tool.Fail(errors.New("cancelled by the client"))
			}
			return tool.Fail(errors.New("the oriel daemon ended during this call; the next call starts a new one"))
		}
		if m.Progress != nil {
			tool.Report(ctx, *m.Progress)
		}
		if m.Result != nil {
			return *m.Result
		}
	}
}

// Status asks the daemon about itself; ErrNotRunning when there is none.
func (c *Client) Status(ctx context.Context) (Status, error) {
	var st Status
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://daemon/status", nil)
	if err != nil {
		return st, err
	}
	resp, err := c.do(req)
	if err != nil {
		return st, err
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&st); err != nil {
		return st, fmt.Errorf("read the daemon's status: %w", err)
	}
	return st, nil
}

// Stop asks the daemon to end and waits until it has let go of its lock, that
// is, until everything it started has ended too.
func (c *Client) Stop(ctx context.Context) error {
	resp, err := c.post(ctx, "/stop", nil)
	if err != nil {
		return err
	}
	resp.Body.Close()
	return c.awaitEnd(ctx)
}

func (c *Client) awaitEnd(ctx context.Context) error {
	for {
		release, ok, err := takeLock(c.Home.lock())
		if err != nil {
			return err
		}
		if ok {
			release()
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the daemon to end: %w", ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Start runs Spawn once for all who found no daemon, and waits until one answers.
func (c *Client) Start(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.Status(ctx); err == nil {
		return nil
	}
	if c.Spawn == nil {
		return ErrNotRunning
	}
	if err := c.Home.Prepare(); err != nil {
		return err
	}
	ended, err := c.Spawn()
	if err != nil {
		return fmt.Errorf("start the oriel daemon: %w", err)
	}
	deadline := time.Now().Add(spawnPatience)
	for pause := time.Millisecond; ; pause = min(pause*2, 50*time.Millisecond) {
		if _, err := c.Status(ctx); err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the oriel daemon did not answer within %s: see %s", spawnPatience, c.Home.Log())
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the oriel daemon: %w", ctx.Err())
		case err := <-ended:
			if err != nil {
				return fmt.Errorf("the oriel daemon did not start: %w", err)
			}
			ended = nil // it found another, which may still be about to answer
		case <-time.After(pause):
		}
	}
}

// replace ends a daemon of another build that keeps nothing; the next try
// starts one of ours. One that is in use is left alone.
func (c *Client) replace(ctx context.Context, body io.ReadCloser) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var st Status
	err := json.NewDecoder(body).Decode(&st)
	body.Close()
	if err != nil {
		return fmt.Errorf("read the daemon's status: %w", err)
	}
	if c.Spawn != nil {
		resp, err := c.post(ctx, "/stop?if=idle", nil)
		if errors.Is(err, ErrNotRunning) {
			return nil
		}
		if err != nil {
			return err
		}
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return c.awaitEnd(ctx)
		}
	}
	return fmt.Errorf("the running oriel daemon is %s and this oriel is %s; it keeps %s: run `oriel daemon stop` to end them, or restart the editor that uses the other version", st.Build, c.Build, st.Load)
}

func (c *Client) post(ctx context.Context, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://daemon"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set(buildHeader, string(c.Build))
	return c.do(req)
}

// do opens a connection per request: on a unix socket that costs some
// microseconds and spares the doubt whether a kept one is still alive.
func (c *Client) do(req *http.Request) (*http.Response, error) {
	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", c.Home.Socket())
		},
	}
	resp, err := transport.RoundTrip(req)
	if err == nil {
		return resp, nil
	}
	if req.Context().Err() != nil {
		return nil, errors.New("cancelled by the client")
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("reach the oriel daemon: %w (ORIEL_HOME names another folder)", err)
	}
	// Nobody there, or somebody who died before taking the request: the header
	// of the answer is sent before any work is done.
	return nil, ErrNotRunning
}

func unexpected(resp *http.Response) error {
	defer resp.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 200))
	return fmt.Errorf("the oriel daemon answered %s: %s", resp.Status, bytes.TrimSpace(text))
}
