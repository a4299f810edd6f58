package proxy

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"oriel/internal/journal"
)

func TestRecord(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Add("Set-Cookie", "sid=s3cret; Path=/")
		w.Header().Set("X-Session-Token", "s3cret")
		w.WriteHeader(201)
		io.WriteString(w, `{"access_token":"s3cret","name":"n"}`)
	}, func(c *Config) { c.Redact = []string{"ssn"} })
	got := r.send(t, "POST", "/login?api_key=s3cret&a=b", strings.NewReader(`{"password":"s3cret","ssn":"s3cret","user":"u"}`),
		"Content-Type", "application/json; charset=utf-8", "Authorization", "Bearer s3cret", "Cookie", "sid=s3cret; t=s3cret", "X-Api-Key", "s3cret", "Sec-Fetch-Dest", "empty",
		"Referer", "http://x/?token=s3cret")
	if strings.Count(got.body, "s3cret") != 1 || strings.Count(fmt.Sprint(got.Header), "s3cret") != 2 {
		t.Errorf("the browser got %v %s", got.Header, got.body)
	}
	entry := r.log.wait(t, func(e journal.Entry) bool { return e.Kind == journal.KindHTTP })
	e := entry.HTTP
	if all := fmt.Sprintf("%+v %s %s", e, e.RequestBody.Data, e.ResponseBody.Data); strings.Contains(all, "s3cret") {
		t.Errorf("a secret was kept: %s", all)
	}
	if e.URL != "/login?api_key=[redacted]&a=b" || e.Method != "POST" || e.Status != 201 || e.Destination != "empty" || e.Proto != "HTTP/1.1" || e.Error != "" || e.Aborted {
		t.Errorf("recorded %+v", e)
	}
	if string(e.RequestBody.Data) != `{"password":"[redacted]","ssn":"[redacted]","user":"u"}` || e.RequestBody.Size != 47 {
		t.Errorf("request body %s size %d", e.RequestBody.Data, e.RequestBody.Size)
	}
	if string(e.ResponseBody.Data) != `{"access_token":"[redacted]","name":"n"}` || e.ResponseBody.Size != 36 || e.ResponseBody.Cut {
		t.Errorf("response body %s size %d", e.ResponseBody.Data, e.ResponseBody.Size)
	}
	if e.RequestHead.Get("Cookie") != "sid=[redacted]; t=[redacted]" || e.ResponseHead.Get("Set-Cookie") != "sid=[redacted]; Path=/" {
		t.Errorf("heads %v %v", e.RequestHead, e.ResponseHead)
	}
	if e.TTFB <= 0 || e.Duration < e.TTFB || entry.Time.IsZero() || entry.Proxy != "web" {
		t.Errorf("times %v %v %v", e.TTFB, e.Duration, entry)
	}
}

func TestBodyLimit(t *testing.T) {
	body := strings.Repeat("0123456789", 10_000)
	packed := pack(t, "gzip", body)
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		switch r.URL.Path {
		case "/binary":
			w.Header().Set("Content-Type", "image/png")
			io.WriteString(w, body)
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(packed)
		case "/broken":
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, "not gzip")
		case "/untyped", "/refused":
			w.Header()["Content-Type"] = nil
			if r.URL.Path == "/refused" {
				w.WriteHeader(http.StatusInternalServerError)
			}
			io.WriteString(w, `{"token":"t1","why":"x"}`)
		default:
			io.WriteString(w, body)
		}
	}, func(c *Config) { c.BodyLimit = 1000 })
	for path, want := range map[string]journal.Body{
		"/text":   {Size: 100_000, Data: []byte(body[:1000]), Cut: true},
		"/binary": {Size: 100_000},
		"/gzip":   {Size: int64(len(packed)), Data: []byte(body[:1000]), Cut: true},
		"/broken": {Size: 8, Data: []byte{}, Cut: true},
		// What a server says without a type may be anything, unless it says why it failed.
		"/untyped": {Size: 24},
		"/refused": {Size: 24, Data: []byte(`{"token":"[redacted]","why":"x"}`)},
	} {
		r.get(t, path)
		got := r.log.http(t, path).ResponseBody
		if got.Size != want.Size || !bytes.Equal(got.Data, want.Data) || got.Cut != want.Cut {
			t.Errorf("%s: size %d, %d bytes kept, cut %v", path, got.Size, len(got.Data), got.Cut)
		}
	}
	none := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, body) }, func(c *Config) { c.BodyLimit = -1 })
	none.get(t, "/")
	if got := none.log.http(t, "/").ResponseBody; got.Data != nil || got.Size != 100_000 {
		t.Errorf("kept %d bytes", len(got.Data))
	}
}

func TestDevtoolIsNeitherForwardedNorRecorded(t *testing.T) {
	forwarded := false
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		forwarded = forwarded || strings.Contains(r.RequestURI, "devtool")
	}, func(c *Config) {
		c.Devtool = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "devtool "+r.URL.Path) })
	})
	for _, path := range []string{"/__devtool/agent.js", "/__devtool/", "/__devtool", "/%5f_devtool/x"} {
		if got := r.get(t, path); !strings.HasPrefix(got.body, "devtool /__devtool") {
			t.Errorf("%s: %d %s", path, got.StatusCode, got.body)
		}
	}
	r.get(t, "/last")
	r.log.http(t, "/last")
	if forwarded || len(r.log.all) != 1 {
		t.Errorf("forwarded %v, %d entries", forwarded, len(r.log.all))
	}
	bare := serve(t, func(http.ResponseWriter, *http.Request) {})
	if got := bare.get(t, "/__devtool/x"); got.StatusCode != 404 {
		t.Errorf("without a handler: %d", got.StatusCode)
	}
}

func TestNothingRecorded(t *testing.T) {
	r := serve(t, htmlTarget(http.Header{"Content-Type": {"text/html"}}, page, 200), func(c *Config) { c.Record = nil })
	if got := r.doc(t, "/"); got.body != tagged {
		t.Errorf("%s", got.body)
	}
	if s := r.Stats(); s.Injected != 1 {
		t.Errorf("stats %+v", s)
	}
}

// A secret does not hide in a coded body, sent or received, known coding or
// not.
func TestCodedBodiesAreRedacted(t *testing.T) {
	secret := `{"token":"s3cret","a":1}`
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", r.Header.Get("Content-Encoding"))
		w.Write(pack(t, "gzip", secret))
	})
	for coding, want := range map[string]string{"gzip": `{"token":"[redacted]","a":1}`, "dcb": ""} {
		r.send(t, "POST", "/"+coding, bytes.NewReader(pack(t, "gzip", secret)), "Content-Encoding", coding, "Content-Type", "application/json")
		e := r.log.http(t, "/"+coding)
		for _, b := range []journal.Body{e.RequestBody, e.ResponseBody} {
			if string(b.Data) != want || b.Cut != (want == "") || b.Size == 0 {
				t.Errorf("%s: kept %q, cut %v, size %d", coding, b.Data, b.Cut, b.Size)
			}
		}
	}
}
