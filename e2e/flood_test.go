package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"oriel/internal/incident"
)

// floodPage throws about 1,000 errors a second from a timer for as long as it
// is told, and counts what it manages to draw meanwhile.
const floodPage = `<!doctype html><title>flood</title><p id=n>0</p><script>
let thrown = 0, frames = 0, over = false, longest = 0;
function flood(total) {
  return new Promise((done) => {
    const begun = performance.now(), from = frames;
    let last = begun;
    const loop = setInterval(() => {
      const now = performance.now();
      longest = Math.max(longest, now - last); last = now;
      for (const due = Math.min(total, now - begun); thrown < due; thrown++) setTimeout(() => { throw new Error("the loop") });
      if (now - begun < total) return;
      clearInterval(loop);
      done({ thrown, frames: frames - from, ms: now - begun, longest });
    }, 5);
  });
}
function quiet(ms) { return new Promise((done) => { const from = frames, begun = performance.now(); setTimeout(() => done({ thrown: 0, frames: frames - from, ms: performance.now() - begun, longest: 0 }), ms) }) }
(function count() { n.textContent = ++frames; requestAnimationFrame(count) })();
</script>`

type flooded struct {
	Thrown  int     `json:"thrown"`
	Frames  int     `json:"frames"`
	MS      float64 `json:"ms"`
	Longest float64 `json:"longest"`
}

func (f flooded) rate() float64 { return float64(f.Frames) / f.MS * 1000 }

// TestFloodFromATimer: 1,000 errors a second for five seconds, more than 50,000
// a minute. The page goes on drawing and answers, what is kept stays small, and
// it is one incident with their number.
func TestFloodFromATimer(t *testing.T) {
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, floodPage)
	}))
	defer target.Close()
	s, url := eyes(t, target.URL)
	b := browser(t)
	direct := tab(t, b, target.URL+"/")
	without := eval[flooded](t, direct, "flood(5000)")
	page := tab(t, b, url+"/")
	awaitPage(t, s)
	idle := eval[flooded](t, page, "quiet(2000)")
	before, heap := held(), eval[float64](t, page, "performance.memory.usedJSHeapSize")
	with := eval[flooded](t, page, "flood(5000)")
	if with.Thrown != 5000 || with.Frames == 0 {
		t.Errorf("%+v", with)
	}
	if got := s.exec("1 + 1"); !strings.Contains(got, "2") {
		t.Errorf("the page does not answer: %s", got)
	}
	var got []incident.Incident
	awaitCondition(t, func() bool {
		got = incidents(t, s, `{"raw":true}`)
		return len(got) > 0 && got[0].Count >= with.Thrown
	})
	if len(got) != 1 || got[0].Count != with.Thrown {
		t.Errorf("%d incidents: %+v", len(got), got)
	}
	grown := held() - before
	if grown > 16<<20 {
		t.Errorf("%d bytes are held for it", grown)
	}
	page2 := eval[float64](t, page, "performance.memory.usedJSHeapSize")
	t.Logf("frames a second: %.0f without errors, %.0f with %d errors through the proxy, %.0f with as many and no agent; longest pause %.0f ms and %.0f ms; %d KB held here, %.0f KB more in the page",
		idle.rate(), with.rate(), with.Thrown, without.rate(), with.Longest, without.Longest, grown>>10, (page2-heap)/1024)
}

// held is what this process keeps alive.
func held() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
