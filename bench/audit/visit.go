package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"oriel/web"
)

// sample is what one visit gave, in ms; recording in µs.
type sample struct {
	First, FirstCPU, Read, Later     float64
	Small, SmallLater, Big, BigLater float64
	Recording, RecordingCPU, Native  float64
}

const (
	// pristine keeps the browser's own fetch before the agent's script can run.
	pristine = `globalThis.pristine = globalThis.fetch`
	// made is true when the page has made its calls and the agent has put their
	// stacks into words, which it does in idle moments.
	made = `new Promise((done) => {
  const look = () => {
    const { total, inFlight } = __devtool_api.getStats();
    if (window.made && total === 1000 && inFlight === 0) setTimeout(() => requestIdleCallback(() => requestIdleCallback(() => done(true))), 3000);
    else setTimeout(look, 50);
  };
  look();
})`
	// first is one audit by the clock: the very first of the page.
	first = `(() => { const began = performance.now(); __devtool.auditApi(); return performance.now() - began; })()`
	later = `(() => {
  const median = (run) => {
    const took = [];
    for (let i = 0; i < 20; i++) { const began = performance.now(); run(); took.push(performance.now() - began); }
    return took.sort((x, y) => x - y)[10];
  };
  return { read: median(() => __devtool_api.getCalls()), later: median(() => __devtool.auditApi()) };
})()`
	// direct feeds the detectors, freshly loaded, without the buffer.
	direct = `(() => {
  const input = (count) => ({ calls: busyPage(count), actions: [], pageUrl: "http://app.test/page", dropped: 0, now: 0 });
  const once = (given) => { const began = performance.now(); detectors.auditCalls(given); return performance.now() - began; };
  const median = (given) => Array.from({ length: 20 }, () => once(given)).sort((x, y) => x - y)[10];
  const small = input(1000), big = input(10000);
  return { small: once(small), big: once(big), smallLater: median(small), bigLater: median(big) };
})()`
)

// visit opens the page in a tab of its own and measures it.
func (w *world) visit() (sample, error) {
	var s sample
	tab, cancel := chromedp.NewContext(w.ctx)
	defer cancel()
	ctx, stop := context.WithTimeout(tab, 2*time.Minute)
	defer stop()
	if err := chromedp.Do(ctx); err != nil {
		return s, fmt.Errorf("open a tab: %w", err)
	}
	if _, err := chromedp.Call(ctx, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
		return s, fmt.Errorf("enable metrics: %w", err)
	}
	if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: pristine}); err != nil {
		return s, fmt.Errorf("keep the native fetch: %w", err)
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(w.url)); err != nil {
		return s, fmt.Errorf("open the page: %w", err)
	}
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](made, chromedp.EvalAwaitPromise)); err != nil {
		return s, fmt.Errorf("wait for the calls: %w", err)
	}
	if err := w.audits(ctx, &s); err != nil {
		return s, err
	}
	took, err := chromedp.Run(ctx, chromedp.Evaluate[[]float64](recording, chromedp.EvalAwaitPromise))
	if err != nil {
		return s, fmt.Errorf("time fetch: %w", err)
	}
	s.Native, s.Recording = took[0], took[1]
	s.RecordingCPU, err = recordingCPU(ctx)
	return s, err
}

// recordingCPU is the processor time of the page's thread that recording adds
// to one call, in µs: the same bursts of fetches, recorded and not, in turns.
func recordingCPU(ctx context.Context) (float64, error) {
	const turns, bursts, size = 4, 25, 20
	var spent [2]float64
	for turn := range 2 * turns {
		before, err := taskTime(ctx)
		if err != nil {
			return 0, err
		}
		code := fmt.Sprintf(`(async () => { for (let i = 0; i < %d; i++) { const all = []; for (let j = 0; j < %d; j++) all.push(%s("data:,x")); await Promise.all(all); } return true; })()`,
			bursts, size, [2]string{"pristine", "fetch"}[turn%2])
		if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](code, chromedp.EvalAwaitPromise)); err != nil {
			return 0, fmt.Errorf("fetch in bursts: %w", err)
		}
		after, err := taskTime(ctx)
		if err != nil {
			return 0, err
		}
		spent[turn%2] += after - before
	}
	return (spent[1] - spent[0]) * 1000 / (turns * bursts * size), nil
}

func (w *world) audits(ctx context.Context, s *sample) error {
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`__devtool.load("api").then(() => true)`, chromedp.EvalAwaitPromise)); err != nil {
		return fmt.Errorf("load the audit: %w", err)
	}
	before, err := taskTime(ctx)
	if err != nil {
		return err
	}
	if s.First, err = chromedp.Run(ctx, chromedp.Evaluate[float64](first)); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	after, err := taskTime(ctx)
	if err != nil {
		return err
	}
	s.FirstCPU = after - before
	again, err := chromedp.Run(ctx, chromedp.Evaluate[struct{ Read, Later float64 }](later))
	if err != nil {
		return fmt.Errorf("audit again: %w", err)
	}
	s.Read, s.Later = again.Read, again.Later
	detectors, ok := web.Bundle("detectors")
	if !ok {
		return errors.New("the detectors are not in this build")
	}
	// Behind a comment of its own, so that nothing of an earlier visit's compilation is used.
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](string(detectors.Body)+busyPage+fmt.Sprintf(";true//%d", time.Now().UnixNano()))); err != nil {
		return fmt.Errorf("load the detectors: %w", err)
	}
	fed, err := chromedp.Run(ctx, chromedp.Evaluate[struct{ Small, Big, SmallLater, BigLater float64 }](direct))
	if err != nil {
		return fmt.Errorf("feed the detectors: %w", err)
	}
	s.Small, s.Big, s.SmallLater, s.BigLater = fed.Small, fed.Big, fed.SmallLater, fed.BigLater
	return nil
}

// taskTime is how much processor time the page's tasks have taken, in ms.
func taskTime(ctx context.Context) (float64, error) {
	got, err := chromedp.Call(ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		return 0, fmt.Errorf("read metrics: %w", err)
	}
	for _, m := range got.Metrics {
		if m.Name == "TaskDuration" {
			return m.Value * 1000, nil
		}
	}
	return 0, fmt.Errorf("read metrics: no TaskDuration")
}
