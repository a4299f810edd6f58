package har

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oriel/internal/journal"
)

var start = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func at(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }

// sample has one of everything, newest first as a query gives it.
func sample() []journal.Entry {
	return []journal.Entry{
		{Seq: 9, Kind: journal.KindPerformance, Time: at(900), Page: "p1", Performance: &journal.Performance{Name: "load", Value: 850.5}},
		{Seq: 8, Kind: journal.KindWebSocket, Time: at(500), Page: "p1", WebSocket: &journal.WebSocket{URL: "/hmr?token=x", Protocol: "vite-hmr", Sent: 10, Received: 20, Duration: time.Second, Closed: true}},
		{Seq: 7, Kind: journal.KindWebSocket, Time: at(501), Page: "p1", WebSocket: &journal.WebSocket{URL: "/live"}},
		{Seq: 6, Kind: journal.KindConsole, Time: at(450), Page: "p1", Console: &journal.Console{Text: "not in a HAR"}},
		{Seq: 5, Kind: journal.KindHTTP, Time: at(400), HTTP: &journal.HTTP{Method: "GET", URL: "/down", Error: "connection refused", Duration: 3 * time.Millisecond}},
		{Seq: 4, Kind: journal.KindHTTP, Time: at(300), Page: "p1", HTTP: &journal.HTTP{
			Method: "POST", URL: "/form?a=1&b=%zz&c", Status: 302, Proto: "HTTP/2.0",
			RequestHead:  http.Header{"Content-Type": {"application/x-www-form-urlencoded"}, "Cookie": {"sid=***; theme=dark"}},
			ResponseHead: http.Header{"Location": {"/done"}, "Set-Cookie": {"sid=***; Path=/", "x=1"}},
			RequestBody:  journal.Body{Size: 11, Data: []byte("name=Ada+L&x")}, TTFB: 40 * time.Millisecond, Duration: 50 * time.Millisecond,
		}},
		{Seq: 3, Kind: journal.KindHTTP, Time: at(200), Page: "p1", HTTP: &journal.HTTP{
			Method: "GET", URL: "/img.png", Status: 200, Destination: "image", ResponseHead: http.Header{"Content-Type": {"image/png"}},
			ResponseBody: journal.Body{Size: 5, Data: []byte{0x89, 'P', 'N', 'G', 0xff}},
		}},
		{Seq: 2, Kind: journal.KindWebSocket, Time: at(500), Page: "p1", WebSocket: &journal.WebSocket{URL: "/hmr?token=x"}},
		{Seq: 1, Kind: journal.KindHTTP, Time: at(0), Page: "p1", HTTP: &journal.HTTP{
			Method: "GET", URL: "/", Status: 200, Destination: "document", Aborted: true,
			ResponseHead: http.Header{"Content-Type": {"text/html"}},
			ResponseBody: journal.Body{Size: 100_000, Data: []byte("<!doctype html>"), Cut: true},
			TTFB:         20 * time.Millisecond, Duration: 30 * time.Millisecond,
		}},
	}
}

func write(t *testing.T, entries []journal.Entry) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, entries, Meta{Version: "1.0", Origin: "http://127.0.0.1:4000"}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// required are the fields that HAR 1.2 does not let anyone leave out, with the
// type that each must have.
var required = map[string]map[string]string{
	"log":      {"version": "string", "creator": "object", "entries": "array", "pages": "array"},
	"creator":  {"name": "string", "version": "string"},
	"page":     {"startedDateTime": "time", "id": "string", "title": "string", "pageTimings": "object"},
	"entry":    {"startedDateTime": "time", "time": "number", "request": "object", "response": "object", "cache": "object", "timings": "object"},
	"request":  {"method": "string", "url": "url", "httpVersion": "string", "cookies": "array", "headers": "array", "queryString": "array", "headersSize": "number", "bodySize": "number"},
	"response": {"status": "number", "statusText": "string", "httpVersion": "string", "cookies": "array", "headers": "array", "content": "object", "redirectURL": "string", "headersSize": "number", "bodySize": "number"},
	"content":  {"size": "number", "mimeType": "string"},
	"timings":  {"send": "number", "wait": "number", "receive": "number"},
	"postData": {"mimeType": "string", "text": "string", "params": "array"},
	"pair":     {"name": "string", "value": "string"},
}

type object map[string]json.RawMessage

func check(t *testing.T, kind string, raw json.RawMessage) object {
	t.Helper()
	var o object
	if err := json.Unmarshal(raw, &o); err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	for field, want := range required[kind] {
		value := string(o[field])
		ok := false
		switch want {
		case "string":
			ok = strings.HasPrefix(value, `"`)
		case "number":
			ok = value != "" && strings.Trim(value, "-0123456789.e+") == ""
		case "array":
			ok = strings.HasPrefix(value, "[")
		case "object":
			ok = strings.HasPrefix(value, "{")
		case "time":
			_, err := time.Parse(`"2006-01-02T15:04:05.999999999Z07:00"`, value)
			ok = err == nil
		case "url":
			ok = strings.HasPrefix(value, `"http`) || strings.HasPrefix(value, `"ws`)
		}
		if !ok {
			t.Errorf("%s.%s = %.40s, want a %s", kind, field, value, want)
		}
	}
	return o
}

func list(t *testing.T, raw json.RawMessage) []json.RawMessage {
	t.Helper()
	var out []json.RawMessage
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestStructure(t *testing.T) {
	for name, entries := range map[string][]journal.Entry{"empty": nil, "sample": sample(), "bare": {{HTTP: &journal.HTTP{}}, {WebSocket: &journal.WebSocket{}}}} {
		t.Run(name, func(t *testing.T) {
			text := write(t, entries)
			if bytes.Contains(text, []byte("null")) {
				t.Errorf("null in %s", text)
			}
			var top struct{ Log json.RawMessage }
			if err := json.Unmarshal(text, &top); err != nil {
				t.Fatal(err)
			}
			log := check(t, "log", top.Log)
			check(t, "creator", log["creator"])
			for _, p := range list(t, log["pages"]) {
				check(t, "page", p)
			}
			for _, raw := range list(t, log["entries"]) {
				e := check(t, "entry", raw)
				checkTimings(t, e)
				request := check(t, "request", e["request"])
				response := check(t, "response", e["response"])
				check(t, "content", response["content"])
				if post := request["postData"]; post != nil {
					check(t, "postData", post)
				}
				for _, pairs := range []json.RawMessage{request["headers"], request["cookies"], request["queryString"], response["headers"], response["cookies"]} {
					for _, p := range list(t, pairs) {
						check(t, "pair", p)
					}
				}
			}
		})
	}
}

// checkTimings: the format demands that time is the sum of what is not -1.
func checkTimings(t *testing.T, e object) {
	t.Helper()
	check(t, "timings", e["timings"])
	var parts map[string]float64
	if err := json.Unmarshal(e["timings"], &parts); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for name, v := range parts {
		if v != -1 && name != "ssl" {
			sum += v
		}
		if v < 0 && v != -1 {
			t.Errorf("%s = %v", name, v)
		}
	}
	var total float64
	if err := json.Unmarshal(e["time"], &total); err != nil {
		t.Fatal(err)
	}
	if diff := total - sum; diff > 0.001 || diff < -0.001 {
		t.Errorf("time %v, sum %v", total, sum)
	}
}

func TestContents(t *testing.T) {
	log := New(sample(), Meta{Origin: "http://127.0.0.1:4000/"}).Log
	var urls []string
	for _, e := range log.Entries {
		urls = append(urls, e.Request.URL)
	}
	want := []string{
		"http://127.0.0.1:4000/", "http://127.0.0.1:4000/img.png", "http://127.0.0.1:4000/form?a=1&b=%zz&c",
		"http://127.0.0.1:4000/down", "ws://127.0.0.1:4000/hmr?token=x", "ws://127.0.0.1:4000/live",
	}
	if diff := cmp.Diff(want, urls); diff != "" {
		t.Fatal(diff)
	}
	document, image, form, down, hmr := log.Entries[0], log.Entries[1], log.Entries[2], log.Entries[3], log.Entries[4]
	if !strings.Contains(document.Response.Content.Comment, "cut: 15 bytes kept of a body of 100000") || document.Comment == "" {
		t.Errorf("document: %+v", document)
	}
	if c := image.Response.Content; c.Encoding != "base64" || c.Text != base64.StdEncoding.EncodeToString([]byte{0x89, 'P', 'N', 'G', 0xff}) {
		t.Errorf("image: %+v", c)
	}
	if diff := cmp.Diff([]Pair{{"a", "1"}, {"b", "%zz"}, {"c", ""}}, form.Request.QueryString); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Pair{{"name", "Ada L"}, {"x", ""}}, form.Request.PostData.Params); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]Cookie{{"sid", "***"}, {"theme", "dark"}}, form.Request.Cookies); diff != "" {
		t.Error(diff)
	}
	if form.Response.RedirectURL != "/done" || len(form.Response.Cookies) != 2 || form.Timings.Wait != 40 || form.Timings.Receive != 10 {
		t.Errorf("form: %+v", form.Response)
	}
	if down.Response.Status != 0 || down.Response.Error != "connection refused" {
		t.Errorf("down: %+v", down.Response)
	}
	if hmr.ResourceType != "websocket" || hmr.Messages == nil || hmr.Time != 1000 || hmr.Response.Status != 101 {
		t.Errorf("hmr: %+v", hmr)
	}
	if diff := cmp.Diff([]Page{{Started: at(0), ID: "p1", Title: "http://127.0.0.1:4000/", Timings: PageTimings{-1, 850.5}}}, log.Pages); diff != "" {
		t.Error(diff)
	}
}
