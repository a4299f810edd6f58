package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// load runs conns clients against base for a while and returns how many
// answers came per second, and the middle of the answer times.
type load func(base string, conns int, d time.Duration) (outcome, error)

type outcome struct {
	n    int
	rate float64
	p50  time.Duration
}

// requests is a load of one request over and over on kept connections.
func requests(head string) load {
	return func(base string, conns int, d time.Duration) (outcome, error) {
		host := strings.TrimPrefix(base, "http://")
		wire := []byte(strings.ReplaceAll(head, "\n", "\r\n"))
		wire = []byte(strings.Replace(string(wire), "HOST", host, 1))
		return run(conns, d, func(until time.Time) ([]time.Duration, error) {
			nc, err := net.Dial("tcp", host)
			if err != nil {
				return nil, err
			}
			defer nc.Close()
			br := bufio.NewReaderSize(nc, 64<<10)
			var times []time.Duration
			for start := time.Now(); start.Before(until); {
				if _, err := nc.Write(wire); err != nil {
					return times, err
				}
				resp, err := http.ReadResponse(br, nil)
				if err != nil {
					return times, err
				}
				if err := skip(br, resp); err != nil {
					return times, err
				}
				if resp.StatusCode != http.StatusOK {
					return times, fmt.Errorf("status %d", resp.StatusCode)
				}
				now := time.Now()
				times = append(times, now.Sub(start))
				start = now
			}
			return times, nil
		})
	}
}

// skip reads a body to its end, and does as little with it as can be: what the
// client does with each byte weighs on a proxy that sends more of them.
func skip(br *bufio.Reader, resp *http.Response) error {
	if resp.ContentLength > 0 {
		_, err := br.Discard(int(resp.ContentLength))
		return err
	}
	_, err := io.Copy(io.Discard, resp.Body)
	return err
}

// messages is a load of WebSocket messages that come back.
func messages(size int) load {
	data := make([]byte, size)
	return sockets("/ws", func(ctx context.Context, c *websocket.Conn) error {
		if err := c.Write(ctx, websocket.MessageBinary, data); err != nil {
			return err
		}
		_, _, err := c.Read(ctx)
		return err
	})
}

// flood is a load of messages that come without being asked for.
func flood(size int) load {
	return sockets(fmt.Sprintf("/flood?size=%d", size), func(ctx context.Context, c *websocket.Conn) error {
		_, _, err := c.Read(ctx)
		return err
	})
}

// pour is a load of messages that nobody answers.
func pour(size int) load {
	data := make([]byte, size)
	return sockets("/sink", func(ctx context.Context, c *websocket.Conn) error {
		return c.Write(ctx, websocket.MessageBinary, data)
	})
}

// sockets is a load of one step over and over on WebSockets.
func sockets(path string, step func(context.Context, *websocket.Conn) error) load {
	return func(base string, conns int, d time.Duration) (outcome, error) {
		return run(conns, d, func(until time.Time) ([]time.Duration, error) {
			ctx := context.Background()
			c, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(base, "http")+path, nil)
			if err != nil {
				return nil, err
			}
			defer c.CloseNow()
			var times []time.Duration
			for start := time.Now(); start.Before(until); {
				if err := step(ctx, c); err != nil {
					return times, err
				}
				now := time.Now()
				times = append(times, now.Sub(start))
				start = now
			}
			return times, nil
		})
	}
}

// run starts the clients and puts their times together.
func run(conns int, d time.Duration, client func(until time.Time) ([]time.Duration, error)) (outcome, error) {
	var mu sync.Mutex
	var all []time.Duration
	var failed error
	var wg sync.WaitGroup
	begin := time.Now()
	until := begin.Add(d)
	for range conns {
		wg.Go(func() {
			times, err := client(until)
			mu.Lock()
			defer mu.Unlock()
			all = append(all, times...)
			if err != nil {
				failed = err
			}
		})
	}
	wg.Wait()
	took := time.Since(begin)
	if failed != nil {
		return outcome{}, failed
	}
	return outcome{n: len(all), rate: float64(len(all)) / took.Seconds(), p50: median(all)}, nil
}
