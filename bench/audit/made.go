package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"oriel/internal/har"
)

// busyPage makes up records: a page at work, with chains, fan-outs, repeats and
// plain calls from forty places, about thirty calls a second.
const busyPage = `
function busyPage(count) {
  let state = 5;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296;
  const word = (n) => "w" + String.fromCharCode(97 + n % 26, 97 + Math.floor(n / 26)) + "x";
  const calls = [];
  for (let clock = 100; calls.length < count; ) {
    const site = Math.floor(next() * 40);
    const initiator = "at load" + word(site) + " (http://app.test/src/" + word(site) + ".ts:" + (10 + Math.floor(next() * 5)) + ":7)\nat request (http://app.test/src/http.ts:8:3)";
    const kind = next();
    const size = kind < 0.3 ? 4 : 1;
    let start = clock;
    for (let step = 0; step < size; step++) {
      const duration = 40 + next() * 300;
      const path = kind < 0.5 ? word(step) : Math.floor(next() * 500) + "?v=" + step;
      calls.push({ id: "c" + calls.length, kind: "fetch", method: "GET", url: "http://app.test/api/" + word(site) + "/" + path, start, end: start + duration, duration,
        timestamp: start, status: 200, ok: true, error: null, aborted: false, initiator, bodyKey: null });
      start += duration + next() * 8;
    }
    clock += size * next() * 66;
  }
  return calls.slice(0, count);
}
`

// recording takes turns between the recorded fetch and the browser's own, in
// bursts because a page's clock is coarse, and gives per call in µs: the median
// of the native one, and of what the recorded burst beside it took more.
const recording = `(async () => {
  const burst = async (call) => {
    const began = performance.now();
    const all = [];
    for (let i = 0; i < 20; i++) all.push(call("data:,x"));
    for (const one of all) await one;
    return (performance.now() - began) * 1000 / 20;
  };
  const native = [], added = [];
  for (let i = 0; i < 104; i++) {
    let a, b;
    if (i % 2) a = await burst(pristine), b = await burst(fetch);
    else b = await burst(fetch), a = await burst(pristine);
    if (i >= 4) native.push(a), added.push(b - a);
  }
  const median = (list) => list.sort((x, y) => x - y)[list.length >> 1];
  return [median(native), median(added)];
})()`

// archives times the judgement of HAR files of a thousand and ten thousand
// calls, from the file's bytes to the report.
func archives(rounds int) ([2][]float64, error) {
	var took [2][]float64
	for i, count := range []int{1000, 10000} {
		file, err := archive(count)
		if err != nil {
			return took, err
		}
		for range rounds {
			began := time.Now()
			if err := judge(file); err != nil {
				return took, err
			}
			took[i] = append(took[i], float64(time.Since(began).Microseconds())/1000)
		}
	}
	return took, nil
}

func judge(file []byte) error {
	recording, err := har.Read(bytes.NewReader(file))
	if err != nil {
		return err
	}
	for _, visit := range recording.Visits {
		if _, err := har.Judge(context.Background(), visit); err != nil {
			return err
		}
	}
	return nil
}

// archive is a HAR file of one visit with this many calls.
func archive(count int) ([]byte, error) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	type pairs []struct{}
	type request struct {
		Method  string `json:"method"`
		URL     string `json:"url"`
		Headers pairs  `json:"headers"`
	}
	type response struct {
		Status  int   `json:"status"`
		Headers pairs `json:"headers"`
		Content struct {
			MimeType string `json:"mimeType"`
		} `json:"content"`
	}
	type entry struct {
		Started  time.Time          `json:"startedDateTime"`
		Time     float64            `json:"time"`
		Type     string             `json:"_resourceType"`
		Request  request            `json:"request"`
		Response response           `json:"response"`
		Timings  map[string]float64 `json:"timings"`
	}
	entries := make([]entry, count)
	for i := range entries {
		took := float64(40 + (i*37)%300)
		e := entry{Started: began.Add(time.Duration(i) * 33 * time.Millisecond), Time: took, Type: "fetch", Timings: map[string]float64{"send": 0, "wait": took, "receive": 0}}
		e.Request = request{Method: "GET", URL: fmt.Sprintf("http://app.test/api/part%c/rows/%d?v=%d", 'a'+i%26, i%500, i%4), Headers: pairs{}}
		e.Response.Status, e.Response.Headers = 200, pairs{}
		e.Response.Content.MimeType = "application/json"
		entries[i] = e
	}
	var file struct {
		Log struct {
			Version string  `json:"version"`
			Entries []entry `json:"entries"`
		} `json:"log"`
	}
	file.Log.Version, file.Log.Entries = "1.2", entries
	return json.Marshal(file)
}
