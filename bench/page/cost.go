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
	heap, clean               float64 // bytes, as found and after a collection
}

const (
	// rest is how long after its load event a page is judged: what it leaves for
	// an idle moment counts too. It runs in the browser's time, outside the page.
	rest   = 1500 * time.Millisecond
	insert = `(() => { const box = document.createElement("div"); document.body.append(box);
for (let i = 0; i < 5000; i++) { const p = document.createElement("p"); p.className = "row"; p.textContent = "row " + i; box.append(p); } return true; })()`
	dcl = `performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`
)

// visit opens a page in a tab of its own and measures it. A fresh visit has a
// profile of its own too: nothing is cached.
func (w *world) visit(url string, fresh bool) (cost, error) {
	var c cost
	var options []chromedp.ContextOption
	if fresh {
		options = append(options, chromedp.WithNewBrowserContext())
	}
	tab, cancel := chromedp.NewContext(w.ctx, options...)
	defer cancel()
	ctx, stop := context.WithTimeout(tab, time.Minute)
	defer stop()
	if err := chromedp.Do(ctx); err != nil {
		return c, fmt.Errorf("open a tab: %w", err)
	}
	domain := performance.EnableTimeDomainThreadTicks
	if w.wall {
		domain = performance.EnableTimeDomainTimeTicks
	}
	if _, err := chromedp.Call(ctx, performance.Enable, performance.EnableParams{TimeDomain: domain}); err != nil {
		return c, fmt.Errorf("enable metrics: %w", err)
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		return c, fmt.Errorf("open the page: %w", err)
	}
	time.Sleep(rest)
	before, err := metrics(ctx)
	if err != nil {
		return c, err
	}
	c.script, c.task, c.heap = before["ScriptDuration"]*1000, before["TaskDuration"]*1000, before["JSHeapUsedSize"]
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
	c.clean = clean["JSHeapUsedSize"]
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
