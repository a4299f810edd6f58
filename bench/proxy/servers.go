package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/coder/websocket"

	"oriel/internal/journal"
	"oriel/internal/proxy"
)

// page is an HTML document of about n bytes that packs about as well as pages
// do, to a fifth.
func page(n int) []byte {
	var b bytes.Buffer
	rnd := rand.New(rand.NewPCG(1, 2))
	b.WriteString("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>A page</title>\n" +
		"<link rel=\"stylesheet\" href=\"/style.css\">\n<script type=\"module\" src=\"/main.js\"></script>\n</head>\n<body>\n")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "<p class=\"row\" id=\"r%d\">Row %x of <a href=\"/item/%d\">the list</a>, with %x in it.</p>\n", i, rnd.Uint32(), i*7, rnd.Uint64())
	}
	b.WriteString("</body>\n</html>\n")
	return b.Bytes()
}

func serveTarget() {
	small, large := page(20<<10), page(200<<10)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(large)
	z.Close()
	doc := []byte(`{"items":[` + strings.Repeat(`{"id":12345,"name":"a thing","price":9.95,"tags":["a","b"],"stock":true},`, 14) + `{}]}`)
	file := bytes.Repeat([]byte("0123456789abcdef"), 5<<20/16)
	mux := http.NewServeMux()
	send := func(path, media string, body []byte, coding string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", media)
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			if coding != "" {
				w.Header().Set("Content-Encoding", coding)
			}
			w.Write(body)
		})
	}
	send("/json", "application/json", doc, "")
	send("/html", "text/html; charset=utf-8", small, "")
	send("/gzip", "text/html; charset=utf-8", packed.Bytes(), "gzip")
	send("/file", "application/octet-stream", file, "")
	mux.HandleFunc("/either", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		body := large
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			body = packed.Bytes()
			w.Header().Set("Content-Encoding", "gzip")
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		w.Write(body)
	})
	mux.HandleFunc("/big", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(500<<20))
		for range 100 {
			w.Write(file)
		}
	})
	mux.HandleFunc("/post", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Write(doc)
	})
	mux.HandleFunc("/ws", socket(echo))
	mux.HandleFunc("/sink", socket(sink))
	mux.HandleFunc("/flood", socket(spout))
	listen(mux)
}

// echo sends every message back.
func echo(ctx context.Context, c *websocket.Conn, _ *http.Request) error {
	kind, data, err := c.Read(ctx)
	if err != nil {
		return err
	}
	return c.Write(ctx, kind, data)
}

// sink takes messages.
func sink(ctx context.Context, c *websocket.Conn, _ *http.Request) error {
	_, _, err := c.Read(ctx)
	return err
}

// spout sends messages of the size asked for.
func spout(ctx context.Context, c *websocket.Conn, r *http.Request) error {
	size, err := strconv.Atoi(r.URL.Query().Get("size"))
	if err != nil {
		return err
	}
	data := make([]byte, size)
	for err == nil {
		err = c.Write(ctx, websocket.MessageBinary, data)
	}
	return err
}

// socket takes a WebSocket and does step over and over.
func socket(step func(context.Context, *websocket.Conn, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
		if err != nil {
			return
		}
		defer c.CloseNow()
		for step(context.Background(), c, r) == nil {
		}
	}
}

// listen serves and says where on the first line of its output. It ends with
// its parent, which holds its input open.
func listen(h http.Handler) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	announce("http://" + ln.Addr().String())
	go http.Serve(ln, withUsage(h))
	io.Copy(io.Discard, os.Stdin)
}

func announce(u string) { fmt.Println(u) }

// withUsage adds the path that tells what the process has used.
func withUsage(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/__devtool/usage" {
			json.NewEncoder(w).Encode(ownUsage())
			return
		}
		h.ServeHTTP(w, r)
	})
}

func serveProxy(kind, target string) {
	u, err := url.Parse(target)
	if err != nil {
		log.Fatal(err)
	}
	if kind == "bare" {
		p := &httputil.ReverseProxy{
			Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(u) },
			Transport: &http.Transport{MaxIdleConns: 64, MaxIdleConnsPerHost: 64, DisableCompression: true},
			ErrorLog:  log.New(io.Discard, "", 0),
		}
		listen(p)
		return
	}
	j := journal.New(journal.Limits{})
	p, err := proxy.Start(context.Background(), proxy.Config{
		ID: "bench", Target: u, Record: func(e journal.Entry) { j.Append(e) },
		Devtool: withUsage(http.NotFoundHandler()),
		Tag:     func(*http.Request) proxy.Tag { return proxy.Tag{Src: "/__devtool/agent.0123456789ab.js"} },
	})
	if err != nil {
		log.Fatal(err)
	}
	announce(p.URL())
	io.Copy(io.Discard, os.Stdin)
}
