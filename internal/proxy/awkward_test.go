package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// literal starts a target that answers every request with the same bytes and a
// proxy before it. The connection stays open unless close is said.
func literal(t *testing.T, answer string, close bool, change ...func(*Config)) *rig {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for {
			nc, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer nc.Close()
				br := bufio.NewReader(nc)
				for {
					r, err := http.ReadRequest(br)
					if err != nil {
						return
					}
					io.Copy(io.Discard, r.Body)
					io.WriteString(nc, strings.ReplaceAll(answer, "\n", "\r\n"))
					if close {
						return
					}
				}
			}()
		}
	}()
	return start(t, "http://"+ln.Addr().String(), change...)
}

// Answers as servers in the field give them, asked for as a document and by a
// script: the browser gets what it would get from the target.
func TestAwkwardAnswers(t *testing.T) {
	const doc, in = "<!doctype html><head></head>", "<!doctype html><head>" + testTag + "</head>"
	length := func(s string) string { return fmt.Sprintf("Content-Length: %d", len(s)) }
	for _, c := range []struct {
		name, answer string
		close        bool
		status       int
		body         string // for a script
		doc          string // for a document; "" the same
	}{
		{"until the end", "HTTP/1.1 200 OK\nConnection: close\nContent-Type: text/html\n\n" + doc, true, 200, doc, in},
		{"until the end, unsaid", "HTTP/1.0 200 OK\nContent-Type: text/html\n\n" + doc, true, 200, doc, in},
		{"one length twice", "HTTP/1.1 200 OK\nContent-Length: 2\nContent-Length: 2\n\nok", false, 200, "ok", ""},
		{"two lengths", "HTTP/1.1 200 OK\nContent-Length: 2\nContent-Length: 3\n\nokk", false, 502, "*", ""},
		{"length and chunks", "HTTP/1.1 200 OK\nContent-Length: 999\nTransfer-Encoding: chunked\n\n2\nok\n0\n\n", false, 200, "ok", ""},
		{"no content with content", "HTTP/1.1 204 No Content\nContent-Length: 3\n\nabc", false, 204, "", ""},
		{"reset with a length", "HTTP/1.1 205 Reset Content\nContent-Length: 0\n\n", false, 205, "", ""},
		{"identity coding", "HTTP/1.1 200 OK\nContent-Encoding: identity\nContent-Type: text/html\n" + length(doc) + "\n\n" + doc, false, 200, doc, in},
		{"transfer coding gzip", "HTTP/1.1 200 OK\nTransfer-Encoding: gzip, chunked\n\n0\n\n", false, 502, "*", ""},
		{"no reason", "HTTP/1.1 200\nContent-Length: 2\n\nok", false, 200, "ok", ""},
		{"odd status", "HTTP/1.1 299 Whatever\nContent-Length: 2\n\nok", false, 299, "ok", ""},
		{"status 999", "HTTP/1.1 999 Request denied\nContent-Length: 2\n\nok", false, 999, "ok", ""},
		{"no type, html", "HTTP/1.1 200 OK\n" + length(doc) + "\n\n" + doc, false, 200, doc, in},
		{"no type, html, chunked", "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n1c\n" + doc + "\n0\n\n", false, 200, doc, in},
		{"no type, text", "HTTP/1.1 200 OK\nContent-Length: 9\n\na < b > c", false, 200, "a < b > c", ""},
		{"no type, xml", "HTTP/1.1 200 OK\nContent-Length: 24\n\n<?xml version='1.0'?><a/>", false, 200, "<?xml version='1.0'?><a/"[:24], ""},
		{"no type, no looking", "HTTP/1.1 200 OK\nX-Content-Type-Options: nosniff\n" + length(doc) + "\n\n" + doc, false, 200, doc, ""},
		{"empty type", "HTTP/1.1 200 OK\nContent-Type:\n" + length(doc) + "\n\n" + doc, false, 200, doc, in},
		{"two types", "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Type: text/html\n" + length(doc) + "\n\n" + doc, false, 200, doc, in},
		{"one byte, no type", "HTTP/1.1 200 OK\nContent-Length: 1\n\nx", false, 200, "x", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := literal(t, c.answer, c.close)
			if c.doc == "" {
				c.doc = c.body
			}
			for range 2 { // the second time over what was kept
				for want, got := range map[string]result{"script " + c.body: r.get(t, "/", "Sec-Fetch-Dest", "empty"), "doc " + c.doc: r.doc(t, "/")} {
					_, want, _ = strings.Cut(want, " ")
					if got.StatusCode != c.status || want != "*" && got.body != want {
						t.Errorf("%d %q, want %q", got.StatusCode, got.body, want)
					}
				}
			}
		})
	}
}

// What a browser gets of a HEAD is what a GET would say.
func TestHeadOfCodedDocument(t *testing.T) {
	r := literal(t, "HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Type: text/html\nContent-Length: 33\nETag: \"a\"\n\n", false)
	got := r.send(t, "HEAD", "/", nil, "Sec-Fetch-Dest", "empty")
	if got.Header.Get("Content-Encoding") != "gzip" || got.Header.Get("Content-Length") != "33" || got.Header.Get("Etag") != `"a"` {
		t.Errorf("%v", got.Header)
	}
	got = r.send(t, "HEAD", "/", nil, "Sec-Fetch-Dest", "document")
	if got.Header.Get("Content-Encoding") != "" || got.Header.Get("Content-Length") != "" || !strings.HasPrefix(got.Header.Get("Etag"), `W/"a-`) {
		t.Errorf("%v", got.Header)
	}
}

func TestAwkwardHeaders(t *testing.T) {
	cookies := strings.Repeat("Set-Cookie: n=v; Path=/\n", 300)
	r := literal(t, "HTTP/1.1 200 OK\nContent-Length: 0\n"+cookies+"Strict-Transport-Security: max-age=31536000; includeSubDomains\nAlt-Svc: h3=\":443\"\n"+
		"Clear-Site-Data: \"cache\"\nService-Worker-Allowed: /\nVary: Origin, Cookie\nVary: Accept\nSourceMap: /a.js.map\nAccess-Control-Allow-Origin: http://other.example\n"+
		"Access-Control-Allow-Credentials: true\nX-Twice: a\nX-Twice: b\nServer: x\n\n", false)
	got := r.get(t, "/", "Origin", "http://other.example", "Sec-Fetch-Dest", "empty")
	if n := len(got.Header["Set-Cookie"]); n != 300 {
		t.Errorf("%d cookies", n)
	}
	for name, want := range map[string]string{
		"Strict-Transport-Security": "", "Alt-Svc": "", "Clear-Site-Data": `"cache"`, "Service-Worker-Allowed": "/", "Vary": "Origin, Cookie|Accept", "Sourcemap": "/a.js.map",
		"Access-Control-Allow-Origin": "http://other.example", "Access-Control-Allow-Credentials": "true", "X-Twice": "a|b", "Server": "x", "Date": "",
	} {
		if v := strings.Join(got.Header[name], "|"); v != want {
			t.Errorf("%s: %q, want %q", name, v, want)
		}
	}
	// The record has what the target said: audits judge that.
	if e := r.log.http(t, "/"); e.ResponseHead.Get("Strict-Transport-Security") == "" {
		t.Error("the record lost a header")
	}
}

// Names of the target on IPv6 become the proxy's.
func TestNamesOnIPv6(t *testing.T) {
	ln, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Fatal(err)
	}
	target := "http://" + ln.Addr().String()
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", target+"/next?u="+target)
		w.Header().Set("Refresh", "3; url="+target+"/r")
		w.Header().Set("SourceMap", target+"/m")
		w.WriteHeader(302)
	})}
	go srv.Serve(ln)
	t.Cleanup(func() { srv.Close() })
	r := start(t, target)
	got := r.get(t, "/")
	if l := got.Header.Get("Location"); l != r.URL()+"/next?u="+target {
		t.Errorf("Location %s", l)
	}
	if l := got.Header.Get("Refresh"); l != "3; url="+r.URL()+"/r" {
		t.Errorf("Refresh %s", l)
	}
	if l := got.Header.Get("SourceMap"); l != r.URL()+"/m" {
		t.Errorf("SourceMap %s", l)
	}
}

// A camera's stream of pictures arrives picture by picture.
func TestMixedReplace(t *testing.T) {
	next := make(chan struct{})
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "multipart/x-mixed-replace; boundary=b")
		for i := range 3 {
			fmt.Fprintf(w, "--b\r\nContent-Type: text/plain\r\n\r\n%d\r\n", i)
			w.(http.Flusher).Flush()
			<-next
		}
	})
	resp, err := plain().Get(r.URL() + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	br := bufio.NewReader(resp.Body)
	for i := range 3 {
		for {
			line, err := br.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if strings.TrimSpace(line) == fmt.Sprint(i) {
				break
			}
		}
		next <- struct{}{}
	}
}

func TestIntegrityPolicy(t *testing.T) {
	agent := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "agent "+r.URL.Path) })
	for policy, want := range map[string]string{
		"blocked-destinations=(script)": `<script src="/__devtool/agent.js" integrity="sha256-XIjKD+Ymkqn7+PyoMIOCWfUuEaeBqLoFcDrlS6cok2c=" crossorigin=""></script>`,
		"blocked-destinations=(style)":  testTag,
	} {
		for _, name := range []string{"Integrity-Policy", "Integrity-Policy-Report-Only"} {
			r := serve(t, htmlTarget(http.Header{"Content-Type": {"text/html"}, name: {policy}}, page, 200), func(c *Config) { c.Devtool = agent })
			got := r.doc(t, "/")
			if !strings.Contains(got.body, want) || got.Header.Get(name) != policy {
				t.Errorf("%s: %s\n%s %v", name, policy, got.body, got.Header)
			}
		}
	}
	r := serve(t, htmlTarget(http.Header{"Content-Type": {"text/html"}, "Integrity-Policy": {"blocked-destinations=(script)"}}, page, 200),
		func(c *Config) { c.Devtool = http.NotFoundHandler() })
	if got := r.doc(t, "/"); !strings.Contains(got.body, testTag) {
		t.Errorf("an agent that is not there: %s", got.body)
	}
}
