package proxy

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
)

// freePort is one where nothing listens.
func freePort(t *testing.T) int {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port
}

func TestTargetDownAndBack(t *testing.T) {
	port := freePort(t)
	target := fmt.Sprintf("http://localhost:%d", port)
	r := start(t, target)
	page := r.doc(t, "/a?b=<c>")
	if page.StatusCode != 502 || !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") || !strings.Contains(page.body, target) ||
		!strings.Contains(page.body, "refused") || !strings.Contains(page.body, upPath) || !strings.Contains(page.body, "reload()") || page.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v %s", page.StatusCode, page.Header, page.body)
	}
	data := r.get(t, "/api", "Accept", "application/json", "Sec-Fetch-Dest", "empty")
	var answer struct{ Error string }
	if err := json.Unmarshal([]byte(data.body), &answer); err != nil || data.StatusCode != 502 || !strings.Contains(answer.Error, "nothing answers at "+target) {
		t.Errorf("%d %s", data.StatusCode, data.body)
	}
	if text := r.get(t, "/x.js", "Sec-Fetch-Dest", "script"); text.StatusCode != 502 || !strings.HasPrefix(text.Header.Get("Content-Type"), "text/plain") {
		t.Errorf("%d %v", text.StatusCode, text.Header)
	}
	if posted := r.send(t, "POST", "/form", strings.NewReader("a=b"), "Sec-Fetch-Dest", "document"); strings.Contains(posted.body, "reload()") || posted.StatusCode != 502 {
		t.Errorf("a form would be sent again: %s", posted.body)
	}
	if e := r.log.http(t, "/api"); e.Status != 0 || !strings.Contains(e.Error, "nothing answers") {
		t.Errorf("recorded %+v", e)
	}
	if s := r.Stats(); s.Failed != 4 {
		t.Errorf("stats %+v", s)
	}
	if got := r.get(t, upPath); got.StatusCode != 503 {
		t.Errorf("up: %d", got.StatusCode)
	}
	// The server comes up on the other loopback address.
	ln, err := net.Listen("tcp", fmt.Sprintf("[::1]:%d", port))
	if err != nil {
		t.Fatalf("listen on ::1: %v", err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "back ", r.Host) })}
	go s.Serve(ln)
	t.Cleanup(func() { s.Close() })
	if got := r.get(t, upPath); got.StatusCode != 204 {
		t.Errorf("up: %d", got.StatusCode)
	}
	for range 3 {
		if got := r.get(t, "/"); got.body != fmt.Sprintf("back localhost:%d", port) {
			t.Errorf("%s", got.body)
		}
	}
}

func TestDownPageEscapes(t *testing.T) {
	got := downPage("http://x/<script>", `"<b>"`, false)
	if strings.Contains(got, "<script>") || strings.Contains(got, "<b>") {
		t.Errorf("%s", got)
	}
}
