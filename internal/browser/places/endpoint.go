package places

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Resolve finds the socket of an endpoint. An address that already names a
// socket stays as it is; so does a ws:// address that tells nothing about
// itself, as those of browser grids.
func Resolve(ctx context.Context, endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "", err
	}
	socket := u.Scheme == "ws" || u.Scheme == "wss"
	if socket && strings.Trim(u.Path, "/") != "" {
		return endpoint, nil
	}
	found, err := version(ctx, u)
	if err != nil && socket && ctx.Err() == nil {
		return endpoint, nil
	}
	return found, err
}

func version(ctx context.Context, endpoint *url.URL) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	u := *endpoint
	u.Scheme = strings.Replace(u.Scheme, "ws", "http", 1)
	u.Path = strings.TrimSuffix(u.Path, "/") + "/json/version"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s answered %s", u.Path, response.Status)
	}
	var body struct {
		Socket string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&body); err != nil {
		return "", fmt.Errorf("read %s: %w", u.Path, err)
	}
	socket, err := url.Parse(body.Socket)
	if err != nil || body.Socket == "" {
		return "", errors.New("it names no webSocketDebuggerUrl")
	}
	// A browser behind a port mapping names the address it sees itself.
	socket.Host = u.Host
	socket.Scheme = strings.Replace(u.Scheme, "http", "ws", 1)
	if socket.RawQuery == "" {
		socket.RawQuery = u.RawQuery
	}
	return socket.String(), nil
}
