package main

import (
	"fmt"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// pristine keeps the browser's own fetch before the agent's script can run.
const pristine = `globalThis.pristine = globalThis.fetch`

// recording takes turns between the recorded fetch and the browser's own, in
// bursts because a page's clock is coarse, and gives the medians per call in
// µs: of the native one, and of what the recorded one takes more.
const recording = `(async () => {
  const burst = async (call, took) => {
    const began = performance.now();
    const all = [];
    for (let i = 0; i < 20; i++) all.push(call("data:,x"));
    for (const one of all) await one;
    took.push((performance.now() - began) * 1000 / 20);
  };
  const native = [], recorded = [];
  for (let i = 0; i < 100; i++) {
    if (i % 2) await burst(pristine, native), await burst(fetch, recorded);
    else await burst(fetch, recorded), await burst(pristine, native);
  }
  const median = (list) => list.slice(4).sort((x, y) => x - y)[list.length - 4 >> 1];
  return [median(native), median(recorded) - median(native)];
})()`

// calls measures what recording adds to one call of the page.
func (w *world) calls() error {
	tab, cancel := chromedp.NewContext(w.ctx)
	defer cancel()
	if err := chromedp.Do(tab); err != nil {
		return fmt.Errorf("open a tab: %w", err)
	}
	if _, err := chromedp.Call(tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: pristine}); err != nil {
		return fmt.Errorf("keep the native fetch: %w", err)
	}
	if err := chromedp.Do(tab, chromedp.Navigate(w.ways[2].url)); err != nil {
		return fmt.Errorf("open the page: %w", err)
	}
	took, err := chromedp.Run(tab, chromedp.Evaluate[[]float64](recording, chromedp.EvalAwaitPromise))
	if err != nil {
		return fmt.Errorf("time fetch: %w", err)
	}
	fmt.Printf("%-28s%+13.1f µs median, over %.0f µs of a native fetch of a data: URL\n", "recording one call", took[1], took[0])
	return nil
}
