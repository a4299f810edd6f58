package forward

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestNominated(t *testing.T) {
	for in, want := range map[string]string{
		"": "[]", "keep-alive": "[]", "Close": "[]", "close, x-a": "[X-A]", "Upgrade, X-A , x-b,,": "[X-A X-B]",
	} {
		if got := fmt.Sprint(Nominated(http.Header{"Connection": {in}})); got != want {
			t.Errorf("%q: %s", in, got)
		}
	}
}

func TestIsUpgrade(t *testing.T) {
	for _, c := range []struct {
		connection, upgrade []string
		want                bool
	}{
		{[]string{"Upgrade"}, []string{"websocket"}, true},
		{[]string{"keep-alive, upgrade"}, []string{"websocket"}, true},
		{[]string{"keep-alive", "Upgrade"}, []string{"h"}, true},
		{[]string{"keep-alive"}, []string{"websocket"}, false},
		{[]string{"Upgrade"}, nil, false},
		{[]string{"upgraded"}, []string{"x"}, false},
		{nil, []string{"x"}, false},
	} {
		h := http.Header{}
		if c.connection != nil {
			h["Connection"] = c.connection
		}
		if c.upgrade != nil {
			h["Upgrade"] = c.upgrade
		}
		if got := IsUpgrade(h); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestWriteHead(t *testing.T) {
	in := &http.Request{
		Method: "GET", RequestURI: "/a?b;c", Header: http.Header{
			"X-One": {"1", "2"}, "Connection": {"X-Hop, Upgrade"}, "X-Hop": {"h"}, "Upgrade": {"websocket"}, "Origin": {"old"}, "Forwarded": {"f"}, "Te": {"gzip"},
		},
	}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	writeHead(w, &Request{In: in, Set: []Field{{"Origin", "new"}, {"Forwarded", ""}}}, "target:1", true)
	w.Flush()
	want := "GET /a?b;c HTTP/1.1\r\nHost: target:1\r\nX-One: 1\r\nX-One: 2\r\nOrigin: new\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestRequestTarget(t *testing.T) {
	for uri, want := range map[string]string{"/a%2f?;": "/a%2f?;", "*": "*", "http://h/x?y": "/x?y", "http://h": "/"} {
		u, _ := url.Parse(uri)
		if got := requestTarget(&http.Request{RequestURI: uri, URL: u}); got != want {
			t.Errorf("%s: %s", uri, got)
		}
	}
}

func TestOutHeader(t *testing.T) {
	in := &http.Request{Header: http.Header{"A": {"1"}, "Te": {"trailers, x"}, "Connection": {"B"}, "B": {"2"}, "C": {"3"}}}
	got := outHeader(&Request{In: in, Set: []Field{{"C", "4"}, {"A", ""}}})
	if s := fmt.Sprint(got); s != "map[C:[4] Te:[trailers] User-Agent:[]]" {
		t.Errorf("%s", s)
	}
	if strings.Join(in.Header["C"], "") != "3" || in.Header["A"] == nil {
		t.Error("the browser's header was changed")
	}
}
