package main

import (
	"fmt"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// pristine keeps the browser's own fetch before the agent's script can run.
const pristine = `globalThis.pristine = globalThis.fetch`

// recording takes turns between the recorded fetch and the browser's own, in
// batches because a page's clock is coarse, and gives the medians in µs: of a
// native call, and of what recording adds to one.
const recording = `(async () => {
  const batch = async (call) => {
    const began = performance.now();
    for (let i = 0; i < 50; i++) await call("data:,x");
    return (performance.now() - began) * 1000 / 50;
  };
  const native = [], added = [];
  for (let i = 0; i < 44; i++) {
    const [a, b] = i % 2 ? [await batch(pristine), await batch(fetch)] : [await batch(fetch), await batch(pristine)].reverse();
    if (i > 3) native.push(a), added.push(b - a);
  }
  const median = (list) => list.sort((x, y) => x - y)[list.length >> 1];
  return [median(native), median(added)];
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
