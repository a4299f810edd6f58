package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// cost is what one visit took.
type cost struct {
	script, task, dcl, insert float64 // ms
	scriptAll                 float64 // ms, with what waits for an idle moment after the load
	heap                      float64 // bytes
}

const (
	// settle lets the page come to rest: its agent connects after the load.
	settle = `new Promise((r) => setTimeout(() => requestIdleCallback(() => requestIdleCallback(() => r(true))), 700))`
	// idle is long enough for what the agent leaves for later: the Web Vitals.
	idle   = `new Promise((r) => setTimeout(() => requestIdleCallback(() => requestIdleCallback(() => r(true))), 2000))`
	insert = `(() => { const box = document.createElement("div"); document.body.append(box);
for (let i = 0; i < 5000; i++) { const p = document.createElement("p"); p.className = "row"; p.textContent = "row " + i; box.append(p); } return true; })()`
	dcl = `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`
)

// visit opens a page in a tab of its own and measures it.
func (w *world) visit(url string) (cost, error) {
	var c cost
	tab, cancel := chromedp.NewContext(w.ctx)
	defer cancel()
	ctx, stop := context.WithTimeout(tab, time.Minute)
	defer stop()
	if err := chromedp.Do(ctx); err != nil {
		return c, fmt.Errorf("open a tab: %w", err)
	}
	if _, err := chromedp.Call(ctx, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
		return c, fmt.Errorf("enable metrics: %w", err)
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		return c, fmt.Errorf("open the page: %w", err)
	}
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](settle, chromedp.EvalAwaitPromise)); err != nil {
		return c, fmt.Errorf("let the page settle: %w", err)
	}
	before, err := metrics(ctx)
	if err != nil {
		return c, err
	}
	c.script, c.task = before["ScriptDuration"]*1000, before["TaskDuration"]*1000
	if c.dcl, err = chromedp.Run(ctx, chromedp.Evaluate[float64](dcl)); err != nil {
		return c, err
	}
	if _, err := chromedp.Call(ctx, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
		return c, fmt.Errorf("collect garbage: %w", err)
	}
	clean, err := metrics(ctx)
	if err != nil {
		return c, err
	}
	c.heap = clean["JSHeapUsedSize"]
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](idle, chromedp.EvalAwaitPromise)); err != nil {
		return c, fmt.Errorf("let the page idle: %w", err)
	}
	if clean, err = metrics(ctx); err != nil {
		return c, err
	}
	c.scriptAll = clean["ScriptDuration"] * 1000
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](insert)); err != nil {
		return c, err
	}
	after, err := metrics(ctx)
	if err != nil {
		return c, err
	}
	c.insert = (after["TaskDuration"] - clean["TaskDuration"]) * 1000
	return c, nil
}

func metrics(ctx context.Context) (map[string]float64, error) {
	got, err := chromedp.Call(ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		return nil, fmt.Errorf("read metrics: %w", err)
	}
	values := map[string]float64{}
	for _, m := range got.Metrics {
		values[m.Name] = m.Value
	}
	return values, nil
}

// exec measures the round trip of code through the tool to the page and back.
func (w *world) exec(rounds int) error {
	tab, cancel := chromedp.NewContext(w.ctx)
	defer cancel()
	if err := chromedp.Do(tab, chromedp.Navigate(w.ways[2].url)); err != nil {
		return err
	}
	ready := time.Now().Add(10 * time.Second)
	for {
		if _, err := w.call(tab, "proxy", `{"action":"exec","code":"1"}`); err == nil {
			break
		} else if time.Now().After(ready) {
			return err
		}
	}
	for _, c := range []struct{ name, code string }{{"exec of 1+1", "1+1"}, {"exec of a 1 MB answer", "'x'.repeat(1000000)"}} {
		var took []time.Duration
		for range max(rounds, 30) {
			began := time.Now()
			if _, err := w.call(tab, "proxy", fmt.Sprintf(`{"action":"exec","raw":true,"code":%q}`, c.code)); err != nil {
				return err
			}
			took = append(took, time.Since(began))
		}
		slices.Sort(took)
		fmt.Printf("%-28s%13.2f ms median, %.2f ms least\n", c.name, ms(took[len(took)/2]), ms(took[0]))
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
