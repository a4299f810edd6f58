package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/textproto"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"oriel/internal/journal"
)

// raw starts a target that speaks bytes. handle gets each connection.
func raw(t *testing.T, handle func(net.Conn, *bufio.Reader)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				c.SetDeadline(time.Now().Add(30 * time.Second))
				handle(c, bufio.NewReader(c))
			})
		}
	})
	t.Cleanup(func() {
		ln.Close()
		wg.Wait()
	})
	return "http://" + ln.Addr().String()
}

// readHead reads a request's head as the target gets it.
func readHead(br *bufio.Reader) string {
	var b strings.Builder
	for {
		line, err := br.ReadString('\n')
		b.WriteString(line)
		if err != nil || line == "\r\n" {
			return b.String()
		}
	}
}

// dial opens a connection to the proxy and sends bytes.
func (r *rig) dial(t *testing.T, text string) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(r.URL(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(c, strings.ReplaceAll(text, "\n", "\r\n")); err != nil {
		t.Fatal(err)
	}
	return c, bufio.NewReader(c)
}

// Each piece must reach the client before the target sends the next.
func TestStreamKeepsCadence(t *testing.T) {
	for _, media := range []string{"text/event-stream", "text/html", "application/json", "application/x-ndjson", "application/octet-stream"} {
		for _, length := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s length %v", media, length), func(t *testing.T) {
				next := make(chan struct{})
				r := serve(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", media)
					if length {
						w.Header().Set("Content-Length", "30")
					}
					w.WriteHeader(200)
					w.(http.Flusher).Flush()
					for range 3 {
						<-next
						io.WriteString(w, "data: xx\n\n")
						w.(http.Flusher).Flush()
					}
				})
				req, _ := http.NewRequest("GET", r.URL()+"/s", nil)
				if media == "text/html" {
					req.Header.Set("Sec-Fetch-Dest", "document")
				}
				c := plain()
				defer c.CloseIdleConnections()
				resp, err := c.Do(req) // comes although no piece was sent yet
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				for i := range 3 {
					next <- struct{}{}
					got := make([]byte, 10)
					if media == "text/html" && i == 0 {
						got = make([]byte, 10+len(testTag))
					}
					if _, err := io.ReadFull(resp.Body, got); err != nil || !strings.HasSuffix(string(got), "data: xx\n\n") {
						t.Fatalf("piece %d: %q, %v", i, got, err)
					}
				}
				if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) > 0 {
					t.Errorf("rest %q, %v", rest, err)
				}
			})
		}
	}
}

func TestRequestTargetsByteForByte(t *testing.T) {
	target := raw(t, func(c net.Conn, br *bufio.Reader) {
		for {
			head := readHead(br)
			if head == "" {
				return
			}
			line, _, _ := strings.Cut(head, "\r\n")
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(line), line)
		}
	})
	r := start(t, target)
	for _, target := range []string{
		"/", "/?", "/a?b;c=d&e;f", "/a?x=%zz%", "/a%2Fb/%2e%2E/c", "//a//b/../c/./d", "/a b?c"[:2] + "?q=a+b%20c", "/?a=1&a=2&&=&b", "/ü?ü=ä", "/a?b=c?d=/e#f",
		`/a|b^c"d<e>{f}`, "/:@!$&'()*+,;=", "/?url=http://x/y?z", "/" + strings.Repeat("long", 2000),
	} {
		for _, method := range []string{"GET", "DELETE"} {
			c, br := r.dial(t, method+" "+target+" HTTP/1.1\nHost: 127.0.0.1\nConnection: close\n\n")
			resp, err := http.ReadResponse(br, nil)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			c.Close()
			if want := method + " " + target + " HTTP/1.1"; string(body) != want {
				t.Errorf("the target got %.200s, want %.200s", body, want)
			}
		}
	}
}

func TestOptionsStar(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.RequestURI) })
	_, br := r.dial(t, "OPTIONS * HTTP/1.1\nHost: 127.0.0.1\nConnection: close\n\n")
	resp, err := http.ReadResponse(br, nil)
	if err != nil || resp.StatusCode != 200 {
		t.Errorf("%v, %v", resp, err)
	}
}

func TestRequestHeaders(t *testing.T) {
	heads := make(chan string, 1)
	target := raw(t, func(c net.Conn, br *bufio.Reader) {
		for {
			head := readHead(br)
			if head == "" {
				return
			}
			if strings.Contains(head, "Content-Length: 2") {
				io.CopyN(io.Discard, br, 2)
			}
			heads <- head
			io.WriteString(c, "HTTP/1.1 204 No Content\r\n\r\n")
		}
	})
	r := start(t, target)
	own := r.URL()
	for _, method := range []string{"GET", "POST"} { // the two ways to the target
		body := ""
		if method == "POST" {
			body = "{}"
		}
		_, br := r.dial(t, method+` /x HTTP/1.1
Host: `+strings.TrimPrefix(own, "http://")+`
Accept: a
Accept: b
X-Multi: 1
X-Multi: 2
Origin: `+own+`
Referer: `+own+`/from?`+own+`
Connection: keep-alive, X-Hop
X-Hop: secret
Keep-Alive: 5
Proxy-Connection: keep-alive
Proxy-Authorization: Basic x
Te: gzip, trailers
X-Forwarded-Host: evil
X-Forwarded-Proto: https
Forwarded: host=evil
X-Forwarded-For: 1.2.3.4
Content-Length: `+fmt.Sprint(len(body))+`

`+body)
		resp, err := http.ReadResponse(br, nil)
		if err != nil || resp.StatusCode != 204 {
			t.Fatalf("%v, %v", resp, err)
		}
		head := <-heads
		for _, want := range []string{
			"Host: " + r.host, "Accept: a\r\nAccept: b\r\n", "X-Multi: 1\r\nX-Multi: 2\r\n", "Origin: " + r.target,
			"Referer: " + r.target + "/from?" + own, "Te: trailers\r\n", "X-Forwarded-For: 1.2.3.4",
		} {
			if !strings.Contains(head, want) {
				t.Errorf("%s: no %q in\n%s", method, want, head)
			}
		}
		for _, not := range []string{"X-Hop", "Keep-Alive", "Proxy-", "evil", "X-Forwarded-Proto", "User-Agent", "Accept-Encoding", "gzip"} {
			if strings.Contains(head, not) {
				t.Errorf("%s: %q in\n%s", method, not, head)
			}
		}
	}
}

func TestForeignOriginStays(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", r.Header.Get("Origin"))
		fmt.Fprint(w, r.Header.Get("Origin"), " ", r.Header.Get("Referer"))
	})
	port := fmt.Sprint(r.Port())
	for _, o := range []string{"http://evil.example", "null", "https://127.0.0.1:" + port, "http://localhost:" + port} {
		if got := r.get(t, "/", "Origin", o, "Referer", o+"/x"); got.body != o+" "+o+"/x" || got.Header.Get("Access-Control-Allow-Origin") != o {
			t.Errorf("%s: %s", o, got.body)
		}
	}
}

func TestResponseHeaders(t *testing.T) {
	target := raw(t, func(c net.Conn, br *bufio.Reader) {
		for readHead(br) != "" {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nSet-Cookie: b=1\r\nSet-Cookie: a=2; Path=/\r\nX-A: 1\r\nX-A: 2\r\nX-Empty:\r\n"+
				"Connection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nAlt-Svc: h3=\":443\"\r\nContent-Length: 6\r\n\r\n<html>")
		}
	})
	r := start(t, target)
	got := r.get(t, "/")
	h := got.Header
	if fmt.Sprint(h["Set-Cookie"], h["X-A"], h["X-Empty"]) != "[b=1 a=2; Path=/] [1 2] []" {
		t.Errorf("%v", h)
	}
	for _, name := range []string{"X-Hop", "Keep-Alive", "Date", "Content-Type", "Alt-Svc"} {
		if _, ok := h[name]; ok {
			t.Errorf("%s: %q came from nowhere", name, h[name])
		}
	}
}

func TestHead(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", r.URL.Query().Get("t"))
		w.Header().Set("Content-Length", "1234")
		if r.Method != "HEAD" {
			w.Write(bytes.Repeat([]byte("x"), 1234))
		}
	})
	doc := []string{"Sec-Fetch-Dest", "document"}
	for _, c := range []struct {
		media  string
		header []string
		want   int64
	}{
		{"application/json", nil, 1234}, {"text/html", nil, 1234}, {"application/json", doc, 1234}, {"text/html", doc, -1},
	} {
		for range 2 { // the connection must stay in step
			if got := r.send(t, "HEAD", "/?t="+c.media, nil, c.header...); got.ContentLength != c.want || got.body != "" {
				t.Errorf("%s %v: length %d, want %d", c.media, c.header, got.ContentLength, c.want)
			}
		}
	}
}

func TestNoBodyAnswers(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var code int
		fmt.Sscan(r.URL.Path[1:], &code)
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("ETag", `"x"`)
		w.WriteHeader(code)
	})
	for _, code := range []int{200, 204, 205, 304, 404} {
		for range 2 {
			if got := r.doc(t, fmt.Sprint("/", code)); got.StatusCode != code || got.body != "" {
				t.Errorf("%d: %d %q", code, got.StatusCode, got.body)
			}
		}
	}
}

func TestRange(t *testing.T) {
	page := "<!doctype html><html><head></head>" + strings.Repeat("0123456789", 100)
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("ETag", `"v1"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(page))
	})
	for _, header := range [][]string{nil, {"Sec-Fetch-Dest", "document"}} {
		got := r.get(t, "/", append(header, "Range", "bytes=100-109", "If-Range", `"v1"`)...)
		if got.StatusCode != 206 || got.body != page[100:110] || got.Header.Get("Content-Range") != "bytes 100-109/1034" {
			t.Errorf("%d %q %v", got.StatusCode, got.body, got.Header)
		}
	}
	if got := r.get(t, "/", "Range", "bytes=5000-"); got.StatusCode != 416 {
		t.Errorf("status %d", got.StatusCode)
	}
}

func TestTrailers(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Trailer", "X-Sum")
		io.WriteString(w, "body")
		w.Header().Set("X-Sum", "42")
		w.Header().Set(http.TrailerPrefix+"X-Late", "yes")
		w.Header().Set(http.TrailerPrefix+"X-Got", r.Trailer.Get("X-Sent"))
	})
	for _, method := range []string{"GET", "POST"} {
		var body io.Reader
		if method == "POST" {
			body = struct{ io.Reader }{strings.NewReader("upload")}
		}
		req, _ := http.NewRequest(method, r.URL()+"/", body)
		if body != nil {
			req.Trailer = http.Header{"X-Sent": {"trailer"}}
		}
		c := plain()
		resp, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		c.CloseIdleConnections()
		want := map[string]string{"X-Sum": "42", "X-Late": "yes"}
		if body != nil {
			want["X-Got"] = "trailer"
		}
		for k, v := range want {
			if resp.Trailer.Get(k) != v {
				t.Errorf("%s: trailer %s is %q (all: %v)", method, k, resp.Trailer.Get(k), resp.Trailer)
			}
		}
		if string(data) != "body" || resp.Header.Get("X-Sum") != "" {
			t.Errorf("%s: body %q header %v", method, data, resp.Header)
		}
	}
}

func TestEarlyHints(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Link", "</a.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Set("Link", "</b.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		w.Header().Set("X-Final", "1")
		io.WriteString(w, "ok")
	})
	for _, method := range []string{"GET", "POST"} {
		var hints []string
		ctx := httptrace.WithClientTrace(context.Background(), &httptrace.ClientTrace{Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
			hints = append(hints, fmt.Sprint(code, h["Link"]))
			return nil
		}})
		req, _ := http.NewRequestWithContext(ctx, method, r.URL()+"/", strings.NewReader("x"))
		if method == "GET" {
			req, _ = http.NewRequestWithContext(ctx, method, r.URL()+"/", nil)
		}
		c := plain()
		resp, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		c.CloseIdleConnections()
		if want := "[103 [</a.css>; rel=preload] 103 [</b.css>; rel=preload]]"; fmt.Sprint(hints) != want {
			t.Errorf("%s: hints %v, want %s", method, hints, want)
		}
		if resp.Header.Get("X-Final") != "1" || resp.Header.Get("Link") != "" || resp.StatusCode != 200 {
			t.Errorf("%s: final %d %v", method, resp.StatusCode, resp.Header)
		}
	}
}

func TestExpectContinue(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/no" {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		body, _ := io.ReadAll(r.Body)
		w.Write(body)
	})
	c, br := r.dial(t, "POST /yes HTTP/1.1\nHost: localhost\nExpect: 100-continue\nContent-Length: 5\n\n")
	resp, err := http.ReadResponse(br, nil)
	if err != nil || resp.StatusCode != 100 {
		t.Fatalf("%v, %v", resp, err)
	}
	io.WriteString(c, "hello")
	resp, err = http.ReadResponse(br, nil)
	if err != nil {
		t.Fatal(err)
	}
	if body, _ := io.ReadAll(resp.Body); string(body) != "hello" {
		t.Errorf("body %q", body)
	}
	_, br = r.dial(t, "POST /no HTTP/1.1\nHost: localhost\nExpect: 100-continue\nContent-Length: 5\n\n")
	if resp, err = http.ReadResponse(br, nil); err != nil || resp.StatusCode != 413 {
		t.Errorf("%v, %v", resp, err)
	}
}

// Both directions at once: the answer must not wait for the end of the
// upload, nor eat any of it.
func TestBothWaysAtOnce(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).EnableFullDuplex()
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		buf := make([]byte, 4)
		for {
			if _, err := io.ReadFull(r.Body, buf); err != nil {
				return
			}
			w.Write(bytes.ToUpper(buf))
			w.(http.Flusher).Flush()
		}
	})
	pr, pw := io.Pipe()
	req, _ := http.NewRequest("POST", r.URL()+"/", pr)
	c := plain()
	defer c.CloseIdleConnections()
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got := make([]byte, 4)
	for _, piece := range []string{"abcd", "efgh", "ijkl"} {
		io.WriteString(pw, piece)
		if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != strings.ToUpper(piece) {
			t.Fatalf("%q, %v", got, err)
		}
	}
	pw.Close()
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) > 0 {
		t.Errorf("rest %q, %v", rest, err)
	}
}

// big is a size that shows when something is held: a gigabyte where that is
// not too slow.
func big(whole bool) int64 {
	if testing.Short() || !whole {
		return 48 << 20
	}
	return 1 << 30
}

type pattern struct{}

func (pattern) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// allocated runs f and returns how much memory was allocated meanwhile, by
// target, proxy and client together.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestBigDownload(t *testing.T) {
	for _, length := range []bool{true, false} {
		for _, media := range []string{"application/octet-stream", "text/plain"} {
			size := big(length && media == "text/plain")
			r := serve(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", media)
				if length {
					w.Header().Set("Content-Length", fmt.Sprint(size))
				}
				io.CopyBuffer(struct{ io.Writer }{w}, io.LimitReader(pattern{}, size), make([]byte, 256<<10))
			})
			used := allocated(func() {
				resp, err := http.Get(r.URL() + "/big")
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, resp.Body, make([]byte, 256<<10))
				if n != size || err != nil {
					t.Errorf("got %d of %d, %v", n, size, err)
				}
			})
			if used > 16<<20 {
				t.Errorf("length %v, %s: %d MB were allocated", length, media, used>>20)
			}
			if e := r.log.http(t, "/big"); e.ResponseBody.Size != size || int64(len(e.ResponseBody.Data)) > DefaultBodyLimit || e.ResponseBody.Cut != (media == "text/plain") {
				t.Errorf("recorded %d bytes, kept %d, cut %v", e.ResponseBody.Size, len(e.ResponseBody.Data), e.ResponseBody.Cut)
			}
		}
	}
}

func TestBigUpload(t *testing.T) {
	var size int64
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, r.Body, make([]byte, 256<<10))
		fmt.Fprint(w, n, err)
	})
	for _, length := range []bool{false, true} {
		size = big(length)
		used := allocated(func() {
			req, _ := http.NewRequest("PUT", r.URL()+"/up", io.LimitReader(pattern{}, size))
			if length {
				req.ContentLength = size
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if body, _ := io.ReadAll(resp.Body); string(body) != fmt.Sprint(size, " <nil>") {
				t.Errorf("the target got %s", body)
			}
		})
		if used > 16<<20 {
			t.Errorf("length %v: %d MB were allocated", length, used>>20)
		}
	}
	if e := r.log.http(t, "/up"); e.RequestBody.Size != big(false) || e.RequestBody.Data != nil {
		t.Errorf("recorded %d bytes, kept %d", e.RequestBody.Size, len(e.RequestBody.Data))
	}
}

func TestClientAbort(t *testing.T) {
	for _, method := range []string{"GET", "POST"} {
		gone, began := make(chan struct{}), make(chan struct{})
		r := serve(t, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			io.WriteString(w, "x")
			w.(http.Flusher).Flush()
			close(began)
			<-r.Context().Done()
			close(gone)
		})
		ctx, cancel := context.WithCancel(context.Background())
		req, _ := http.NewRequestWithContext(ctx, method, r.URL()+"/", strings.NewReader("body"))
		if method == "GET" {
			req.Body, req.ContentLength = nil, 0
		}
		c := plain()
		resp, err := c.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		<-began
		cancel()
		resp.Body.Close()
		select {
		case <-gone:
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: the target was not told", method)
		}
		if e := r.log.http(t, "/"); !e.Aborted || e.Error != "" || e.Status != 200 {
			t.Errorf("%s: recorded %+v", method, e)
		}
	}
}

func TestClientAbortBeforeAnswer(t *testing.T) {
	gone, began := make(chan struct{}), make(chan struct{})
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		close(began)
		<-r.Context().Done()
		close(gone)
	})
	c, _ := r.dial(t, "GET /wait HTTP/1.1\nHost: localhost\n\n")
	<-began
	c.Close()
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Fatal("the target was not told")
	}
	if e := r.log.http(t, "/wait"); !e.Aborted || e.Status != 0 {
		t.Errorf("recorded %+v", e)
	}
}

// A broken answer must not look like a whole one.
func TestTargetAbort(t *testing.T) {
	for name, answer := range map[string]string{
		"length":       "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc",
		"chunked":      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
		"chunk":        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n30\r\nabc",
		"big":          "HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n" + strings.Repeat("x", 500000),
		"gzip'd page":  "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: 100\r\n\r\n\x1f\x8b\x08",
		"page":         "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<!doctype html><head><title>",
		"chunked page": "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n<head>\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			target := raw(t, func(c net.Conn, br *bufio.Reader) {
				readHead(br)
				io.WriteString(c, answer)
			})
			r := start(t, target)
			req, _ := http.NewRequest("GET", r.URL()+"/", nil)
			req.Header.Set("Sec-Fetch-Dest", "document")
			c := plain()
			defer c.CloseIdleConnections()
			resp, err := c.Do(req)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			if err == nil {
				t.Error("the client saw a clean end")
			}
			if e := r.log.http(t, "/"); e.Error == "" || e.Aborted {
				t.Errorf("recorded error %q aborted %v", e.Error, e.Aborted)
			}
		})
	}
}

func TestBadAnswers(t *testing.T) {
	for name, answer := range map[string]string{
		"none": "", "not http": "hello there\r\n\r\n", "status": "HTTP/1.1 99999 Odd\r\n\r\n", "low status": "HTTP/1.1 007 Bond\r\n\r\n",
		"header": "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "switch": "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
		"interim": strings.Repeat("HTTP/1.1 102 Processing\r\n\r\n", 50),
	} {
		target := raw(t, func(c net.Conn, br *bufio.Reader) {
			readHead(br)
			io.WriteString(c, answer)
		})
		r := start(t, target)
		if got := r.get(t, "/"); got.StatusCode != 502 || !strings.Contains(got.body, r.target) {
			t.Errorf("%s: %d %s", name, got.StatusCode, got.body)
		}
		if e := r.log.http(t, "/"); e.Error == "" {
			t.Errorf("%s: recorded no error", name)
		}
	}
}

func TestKeepsConnections(t *testing.T) {
	var opened atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(w, r.Body)
		io.WriteString(w, strings.Repeat("x", 100_000))
	}))
	s.Config.ConnState = func(_ net.Conn, st http.ConnState) {
		if st == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	r := start(t, s.URL)
	_, br := r.dial(t, strings.Repeat("GET / HTTP/1.1\nHost: localhost\n\n", 20))
	for range 20 { // on one connection of the client's too
		resp, err := http.ReadResponse(br, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := io.Copy(io.Discard, resp.Body); n != 100_000 {
			t.Fatalf("%d bytes", n)
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections to the target for 20 requests", n)
	}
}

// A target that restarts leaves dead connections behind.
func TestDeadKeptConnections(t *testing.T) {
	var mu sync.Mutex
	var conns []net.Conn
	target := raw(t, func(c net.Conn, br *bufio.Reader) {
		mu.Lock()
		conns = append(conns, c)
		mu.Unlock()
		for readHead(br) != "" {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	})
	r := start(t, target)
	for range 5 {
		if got := r.get(t, "/"); got.body != "ok" || got.StatusCode != 200 {
			t.Fatalf("%d %s", got.StatusCode, got.body)
		}
		mu.Lock()
		for _, c := range conns {
			c.Close()
		}
		mu.Unlock()
	}
}

func TestSlowLoris(t *testing.T) {
	old := headerTimeout
	headerTimeout = 50 * time.Millisecond
	defer func() { headerTimeout = old }()
	r := serve(t, func(http.ResponseWriter, *http.Request) {})
	c, _ := r.dial(t, "GET / HTTP/1.1\nHost: localhost\nX-Slow: ")
	if _, err := io.ReadAll(c); err != nil {
		var ne net.Error
		if errors.As(err, &ne) && ne.Timeout() {
			t.Error("the connection stayed open")
		}
	}
}

func TestLargeHeaders(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n := 0
		fmt.Sscan(r.URL.Query().Get("n"), &n)
		for i := 0; n > 0; i++ {
			w.Header().Set(fmt.Sprint("X-Big-", i), strings.Repeat("a", min(n, 60_000)))
			n -= 60_000
		}
		fmt.Fprint(w, len(r.Header.Get("X-In")))
	})
	if got := r.get(t, "/", "X-In", strings.Repeat("b", 500_000)); got.body != "500000" {
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
	_, br := r.dial(t, "GET / HTTP/1.1\nHost: localhost\nX-In: "+strings.Repeat("b", 2<<20)+"\n\n")
	if resp, err := http.ReadResponse(br, nil); err != nil || resp.StatusCode != 431 {
		t.Errorf("%v, %v", resp, err)
	}
	if got := r.get(t, "/?n=300000"); got.StatusCode != 200 || len(got.Header.Get("X-Big-0")) != 60_000 {
		t.Errorf("%d", got.StatusCode)
	}
	if got := r.get(t, "/?n=12000000"); got.StatusCode != 502 {
		t.Errorf("%d", got.StatusCode)
	}
	if got := r.get(t, "/?n=0"); got.StatusCode != 200 {
		t.Errorf("afterwards %d", got.StatusCode)
	}
}

func TestTLSTargets(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Trailer", "X-T")
		fmt.Fprintf(w, "%s %s %s %s", r.Proto, r.Host, r.RequestURI, body)
		w.Header().Set("X-T", "t")
	})
	for _, two := range []bool{true, false} {
		s := httptest.NewUnstartedServer(handler)
		s.EnableHTTP2 = two
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.StartTLS()
		t.Cleanup(s.Close)
		r := start(t, s.URL, func(c *Config) { c.InsecureTLS = true })
		proto := map[bool]string{true: "HTTP/2.0", false: "HTTP/1.1"}[two]
		if got := r.get(t, "/a%2Fb?c;d"); got.body != proto+" "+r.host+" /a%2Fb?c;d " || got.Trailer.Get("X-T") != "t" {
			t.Errorf("%s trailer %v", got.body, got.Trailer)
		}
		if got := r.send(t, "POST", "//x?y", strings.NewReader("up")); got.body != proto+" "+r.host+" //x?y up" {
			t.Errorf("%s", got.body)
		}
		if e := r.log.http(t, "//x?y"); e.Proto != proto {
			t.Errorf("recorded proto %s", e.Proto)
		}
		strict := start(t, s.URL)
		if got := strict.get(t, "/"); got.StatusCode != 502 || !strings.Contains(got.body, "insecure-tls") {
			t.Errorf("%d %s", got.StatusCode, got.body)
		}
	}
	plainTarget := serve(t, handler)
	r := start(t, strings.Replace(plainTarget.target, "http:", "https:", 1), func(c *Config) { c.InsecureTLS = true })
	if got := r.get(t, "/"); got.StatusCode != 502 || !strings.Contains(got.body, "TLS") {
		t.Errorf("%d %s", got.StatusCode, got.body)
	}
}

func TestCloseDrainsThenCuts(t *testing.T) {
	begun, finish := make(chan struct{}, 2), make(chan struct{})
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "a")
		w.(http.Flusher).Flush()
		begun <- struct{}{}
		if r.URL.Path == "/stuck" {
			<-r.Context().Done()
			return
		}
		<-finish
		io.WriteString(w, "b")
	})
	ends := make(chan string, 2)
	for _, path := range []string{"/ok", "/stuck"} {
		resp, err := http.Get(r.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			ends <- fmt.Sprint(path, " ", string(body), " ", err == nil)
		}()
	}
	<-begun
	<-begun
	ctx, cancel := context.WithCancel(context.Background())
	closed := make(chan error)
	go func() { closed <- r.Close(ctx) }()
	close(finish)
	if got := <-ends; got != "/ok ab true" {
		t.Errorf("drained: %s", got)
	}
	cancel()
	if got := <-ends; got != "/stuck a false" {
		t.Errorf("cut: %s", got)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(r.URL(), "http://")); err == nil {
		t.Error("still listening")
	}
	r.log.wait(t, func(e journal.Entry) bool { return e.HTTP != nil && e.HTTP.URL == "/stuck" && e.HTTP.Aborted })
	if s := r.Stats(); s.Requests != 2 || s.Active != 0 {
		t.Errorf("stats %+v", s)
	}
}
