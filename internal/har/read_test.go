package har

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"oriel/internal/journal"
)

func readFixture(t *testing.T) *Recording {
	t.Helper()
	f, err := os.Open("testdata/chrome.har")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rec, err := Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// judged is what the tests look at in a report.
type judged struct {
	Score         int `json:"score"`
	CallsAnalyzed int `json:"callsAnalyzed"`
	Dropped       int `json:"dropped"`
	Findings      []struct {
		Type     string   `json:"type"`
		Selector string   `json:"selector"`
		Message  string   `json:"message"`
		Calls    []string `json:"calls"`
		Stacks   []string `json:"stacks"`
	} `json:"findings"`
}

func judgeVisit(t *testing.T, v Visit) judged {
	t.Helper()
	data, err := Judge(context.Background(), v)
	if err != nil {
		t.Fatal(err)
	}
	var j judged
	if err := json.Unmarshal(data, &j); err != nil {
		t.Fatal(err)
	}
	return j
}

func TestChrome(t *testing.T) {
	rec := readFixture(t)
	if len(rec.Visits) != 2 || rec.Skipped != 0 || rec.Entries != 26 {
		t.Fatalf("%d visits, %d of %d entries skipped (%s)", len(rec.Visits), rec.Skipped, rec.Entries, rec.Why)
	}
	v := rec.Visits[0]
	if v.URL != "https://shop.example/products" || len(v.Calls) != 16 {
		t.Errorf("visit of %s with %d calls", v.URL, len(v.Calls))
	}
	var lines []string
	for _, c := range v.Calls {
		lines = append(lines, fmt.Sprintf("%s %s %s %.1f-%.1f %d %q", c.ID, c.Method, strings.TrimPrefix(c.URL, "https://shop.example"), c.Start, c.End, c.Status, c.Error))
	}
	all := strings.Join(lines, "\n")
	for _, want := range []string{
		`c1 GET /api/session 100.0-280.0 200 ""`,
		`GET /old 1100.0-1146.0 200 ""`, // a redirect is one call
		`GET /api/search?q=a 1200.0-1212.0 0 "aborted"`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no call %s in\n%s", want, all)
		}
	}
	for _, never := range []string{"/new", "/live", "/events", "/beacon", "/api/cross", "/assets", "GET /products "} {
		if strings.Contains(all, never) {
			t.Errorf("%s is no call of the page's:\n%s", never, all)
		}
	}
	if want := "    at request (https://shop.example/src/lib/http.js:7:9)\n    at async boot (https://shop.example/src/boot.js:3:24)"; v.Calls[1].Initiator != want {
		t.Errorf("stack %q, want %q", v.Calls[1].Initiator, want)
	}
	if v.Calls[12].BodyKey == "" || v.Calls[12].BodyKey == v.Calls[13].BodyKey {
		t.Errorf("body keys %q and %q", v.Calls[12].BodyKey, v.Calls[13].BodyKey)
	}
	if body, _, err := rec.Fetch(context.Background(), "https://shop.example/assets/app.js"); string(body) != "/* app */" {
		t.Errorf("the script is %q, %v", body, err)
	}
	if _, _, err := rec.Fetch(context.Background(), "https://shop.example/api/user"); err == nil {
		t.Error("an API answer was given out as a script")
	}
}

func TestJudge(t *testing.T) {
	rec := readFixture(t)
	j := judgeVisit(t, rec.Visits[0])
	var got []string
	for _, f := range j.Findings {
		got = append(got, fmt.Sprintf("%s %s %s %s", f.Type, f.Selector, f.Message, strings.Join(f.Calls, ",")))
	}
	want := []string{
		"waterfall /api/session 3 calls run serially, ~348ms wasted vs parallel c1,c2,c3",
		"n-plus-one /api/products/{id} 7× /api/products/{id} → batch c4,c5,c6,c7,c8,c9,c10",
		"duplicate-call /api/user GET /api/user fetched 2× in 30ms → share one request c11,c12",
		"over-fetch-unavailable /products response sizes are not in the call buffer; payload over-fetch cannot be measured ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if j.CallsAnalyzed != 16 || j.Score != 72 {
		t.Errorf("%d calls, score %d", j.CallsAnalyzed, j.Score)
	}
	if two := judgeVisit(t, rec.Visits[1]); two.Score != 100 || two.CallsAnalyzed != 1 {
		t.Errorf("second visit: %+v", two)
	}
	if none := judgeVisit(t, Visit{}); none.Score != 100 || none.CallsAnalyzed != 0 || len(none.Findings) != 0 {
		t.Errorf("no calls: %+v", none)
	}
}

func TestJudgeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	reason := errors.New("asked to stop")
	cancel(reason)
	if _, err := Judge(ctx, Visit{Calls: many(5000)}); !errors.Is(err, reason) {
		t.Errorf("error %v", err)
	}
}

func TestOtherWriters(t *testing.T) {
	entry := func(url, request, response string) string {
		return `{"startedDateTime":"2026-11-15T12:00:00.000+01:00","time":5,"request":{"method":"GET","url":"` + url + `","headers":[` + request + `]},"response":{"status":200,"content":{"mimeType":"` + response + `"}}}`
	}
	for _, c := range []struct {
		name, entry string
		want        string
	}{
		{"json", entry("http://a/x", "", "application/json; charset=utf-8"), "fetch"},
		{"vendor json", entry("http://a/x", "", "application/vnd.api+json"), "fetch"},
		{"manifest", entry("http://a/m", "", "application/manifest+json"), ""},
		{"html", entry("http://a/", "", "text/html"), ""},
		{"script", entry("http://a/x.js", "", "text/javascript"), ""},
		{"html fragment by fetch", entry("http://a/f", `{"name":"sec-fetch-dest","value":"empty"},{"name":"sec-fetch-mode","value":"cors"}`, "text/html"), "fetch"},
		{"json as an image", entry("http://a/f", `{"name":"Sec-Fetch-Dest","value":"image"}`, "application/json"), ""},
		{"jquery", entry("http://a/f", `{"name":"X-Requested-With","value":"XMLHttpRequest"}`, "text/html"), "xhr"},
		{"websocket", entry("ws://a/f", "", "application/json"), ""},
		{"upgrade", entry("http://a/f", `{"name":"upgrade","value":"websocket"}`, "application/json"), ""},
		{"events", entry("http://a/f", `{"name":"sec-fetch-dest","value":"empty"}`, "text/event-stream"), ""},
		{"preflight", entry("http://a/f", `{"name":"Access-Control-Request-Method","value":"PUT"}`, "application/json"), ""},
		{"data", entry("data:application/json,1", "", "application/json"), ""},
		{"ours", entry("http://a/__devtool/x", "", "application/json"), ""},
	} {
		rec, err := Read(strings.NewReader(`{"log":{"entries":[` + c.entry + `]}}`))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := ""
		if calls := rec.Visits[0].Calls; len(calls) > 0 {
			got = calls[0].Kind
		}
		if got != c.want {
			t.Errorf("%s: kind %q, want %q", c.name, got, c.want)
		}
	}
}

func TestHoles(t *testing.T) {
	rec, err := Read(strings.NewReader(`{"log":{"version":null,"pages":null,"creator":7,"entries":[
		null, 7, {"request":null},
		{"startedDateTime":"yesterday","request":{"url":"http://a/1"}},
		{"startedDateTime":"2026-11-15T12:00:00Z","time":null,"_initiator":null,"_resourceType":"xhr","request":{"url":"http://a/2","method":null,"headers":null,"postData":null},"response":null},
		{"startedDateTime":"2026-11-15T12:00:00Z","time":"long","_initiator":{"stack":{"callFrames":null}},"_resourceType":"xhr","request":{"url":"http://a/3","method":"put"},"response":{"status":"x"}},
		{"startedDateTime":"2026-11-15T12:00:01Z","time":-1,"pageref":"nowhere","_resourceType":"fetch","request":{"url":"http://a/4"},"response":{"status":-5}}
	]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if rec.Entries != 7 || rec.Skipped != 4 || rec.Why != "entry 1: no request.url" {
		t.Errorf("%d of %d skipped: %s", rec.Skipped, rec.Entries, rec.Why)
	}
	if len(rec.Visits) != 2 || len(rec.Visits[0].Calls) != 2 || len(rec.Visits[1].Calls) != 1 {
		t.Fatalf("visits %+v", rec.Visits)
	}
	if c := rec.Visits[0].Calls; c[0].Method != "GET" || c[0].Done || c[1].Method != "PUT" || c[1].Done || rec.Visits[0].URL != "http://a/" {
		t.Errorf("calls %+v of %s", c, rec.Visits[0].URL)
	}
	judgeVisit(t, rec.Visits[0])
}

func TestBrokenFiles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "the file is empty"},
		{"not json", "<html>", "not JSON after byte"},
		{"a list", "[]", "the file is a list where an object belongs"},
		{"other json", `{"entries":[]}`, `no "log" at the top`},
		{"log of a number", `{"log":7}`, "log is a number where an object belongs"},
		{"no entries", `{"log":{"pages":[]}}`, `no "entries" in "log"`},
		{"entries of text", `{"log":{"entries":"x"}}`, "log.entries is a text where a list belongs"},
		{"cut off", `{"log":{"entries":[{"request":{"url":"http://a`, "the file ends too early"},
		{"cut between", `{"log":{"entries":[{"request":{"url":"http://a"}},`, "the file ends too early"},
		{"comma", `{"log":{"entries":[{"request" "x"}]}}`, "not JSON after byte"},
		{"nothing usable", `{"log":{"entries":[{"request":{"url":"http://a"}}]}}`, "none of its 1 entries can be understood: entry 1: no startedDateTime"},
		{"gzip by name only", "\x1f\x8bxx", "not a gzip file after all"},
	} {
		_, err := Read(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "read HAR: ") {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestCompressedWithMark(t *testing.T) {
	plain, err := os.ReadFile("testdata/chrome.har")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte("\xef\xbb\xbf"))
	z.Write(plain)
	z.Close()
	rec, err := Read(&b)
	if err != nil || len(rec.Visits) != 2 {
		t.Fatalf("%+v, %v", rec, err)
	}
}

// many is a page at work, about thirty calls a second: chains, fan-outs,
// repeats and plain calls from forty places.
func many(n int) []Call {
	next := rand.New(rand.NewPCG(5, 5))
	var calls []Call
	for clock := 100.0; len(calls) < n; {
		site, kind, size := next.IntN(40), next.Float64(), 1
		if kind < 0.3 {
			size = 4
		}
		stack := fmt.Sprintf("    at load%d (https://a.test/src/m%d.js:%d:5)\n    at request (https://a.test/src/http.js:8:3)", site, site, 10+next.IntN(5))
		start := clock
		for step := range size {
			duration := math.Round((40+next.Float64()*300)*1000) / 1000
			address := fmt.Sprintf("https://a.test/api/part%c%c/step%c", 'a'+site/26, 'a'+site%26, 'a'+step)
			if kind >= 0.5 {
				address = fmt.Sprintf("https://a.test/api/part%c%c/%d?v=%d", 'a'+site/26, 'a'+site%26, next.IntN(500), step)
			}
			calls = append(calls, Call{
				ID: fmt.Sprintf("c%d", len(calls)+1), Kind: "fetch", Method: "GET", URL: address, Start: start, End: start + duration,
				Done: true, Status: 200, Initiator: stack,
			})
			start += duration + next.Float64()*8
		}
		clock += float64(size) * next.Float64() * 66
	}
	return calls[:n]
}

// frames writes a stack as Chrome's archives have it.
func frames(stack string) string {
	var out []string
	for line := range strings.SplitSeq(stack, "\n") {
		var name, file string
		var row, column int
		if _, err := fmt.Sscanf(strings.NewReplacer("(https://a.test", "", ".js:", ".js ", ":", " ", ")", "").Replace(line), " at %s %s %d %d", &name, &file, &row, &column); err != nil {
			panic(err)
		}
		out = append(out, fmt.Sprintf(`{"functionName":%q,"url":"https://a.test%s","lineNumber":%d,"columnNumber":%d}`, name, file, row-1, column-1))
	}
	return strings.Join(out, ",")
}

func hugeArchive(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"log":{"version":"1.2","pages":[{"startedDateTime":"2026-11-15T12:00:00Z","id":"p","title":"https://a.test/"}],"entries":[`)
	at := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for i, c := range many(n) {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"pageref":"p","startedDateTime":%q,"time":%g,"_resourceType":"fetch","_initiator":{"type":"script","stack":{"callFrames":[%s]}},"request":{"method":"GET","url":%q,"headers":[{"name":"accept","value":"*/*"},{"name":"user-agent","value":"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"}],"queryString":[],"cookies":[]},"response":{"status":200,"headers":[{"name":"content-type","value":"application/json"}],"content":{"size":600,"mimeType":"application/json","text":%q}},"timings":{"send":0,"wait":5,"receive":1}}`,
			at.Add(time.Duration(c.Start*1e6)).Format(time.RFC3339Nano), c.End-c.Start, frames(c.Initiator), c.URL, strings.Repeat("x", 600))
	}
	b.WriteString(`]}}`)
	return b.Bytes()
}

// TestHuge also prints what a large archive costs; only the growth is judged,
// generously, since the machine may be busy: a square would be 100.
func TestHuge(t *testing.T) {
	cost := func(n int) time.Duration {
		file := hugeArchive(n)
		began := time.Now()
		rec, err := Read(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		read := time.Since(began)
		j := judgeVisit(t, rec.Visits[0])
		took := time.Since(began)
		if j.CallsAnalyzed != n || len(j.Findings) < 2 {
			t.Fatalf("%d calls, %d findings", j.CallsAnalyzed, len(j.Findings))
		}
		t.Logf("%d calls, %d MB: read %v, read and judged %v", n, len(file)>>20, read.Round(time.Millisecond), took.Round(time.Millisecond))
		return took
	}
	small, large := cost(1000), cost(10_000)
	// Far above what it is: only another order of growth gets there.
	if growth := float64(large) / float64(small); growth > 60 {
		t.Errorf("ten times the calls took %.1f times as long", growth)
	}
}

func TestOldestCallsAreDropped(t *testing.T) {
	rec, err := Read(bytes.NewReader(hugeArchive(maxCalls + 10)))
	if err != nil {
		t.Fatal(err)
	}
	v := rec.Visits[0]
	if v.Dropped != 10 || len(v.Calls) != maxCalls || v.Calls[0].ID != "c11" {
		t.Errorf("%d dropped, %d kept, the first is %s", v.Dropped, len(v.Calls), v.Calls[0].ID)
	}
}

// TestOwnArchives: what proxylog exports can be audited.
func TestOwnArchives(t *testing.T) {
	entries := sample()
	for i := range 6 {
		entries = append(entries, journal.Entry{Seq: uint64(20 + i), Kind: journal.KindHTTP, Time: at(600 + i), Page: "p1", HTTP: &journal.HTTP{
			Method: "GET", URL: fmt.Sprintf("/api/items/%d", 40+i), Status: 200, Destination: "empty", Duration: 30 * time.Millisecond,
		}})
	}
	rec, err := Read(bytes.NewReader(write(t, entries)))
	if err != nil || rec.Skipped != 0 {
		t.Fatalf("%+v, %v", rec, err)
	}
	found := false
	for _, v := range rec.Visits {
		for _, f := range judgeVisit(t, v).Findings {
			found = found || (f.Type == "n-plus-one" && len(f.Calls) == 6)
		}
	}
	if !found {
		t.Errorf("the fan-out is not found in %+v", rec.Visits)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"log":{"pages":[{"id":"p","startedDateTime":"2026-11-15T12:00:00Z"}],"entries":[{"pageref":"p","startedDateTime":"2026-11-15T12:00:00Z","time":1e309,"_resourceType":"xhr","request":{"url":"http://a/2"},"response":{"status":302,"redirectURL":"%zz"}}]}}`))
	f.Add([]byte(`{"log":{"entries":[null,[],{"request":{"url":"h"}}]}} trailing`))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rec, err := Read(bytes.NewReader(data))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "read HAR: ") {
				t.Errorf("error %v", err)
			}
			return
		}
		for _, v := range rec.Visits {
			for _, c := range v.Calls {
				if c.ID == "" || c.Method == "" || (c.Kind != "fetch" && c.Kind != "xhr") || math.IsNaN(c.Start) || (c.Done && c.End < c.Start) {
					t.Errorf("call %+v", c)
				}
			}
		}
	})
}
