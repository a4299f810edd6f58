package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

// whole is what all eight audits of one page took, in ms.
type whole struct {
	Elements, Ms, CPU, Longest, Axe float64
}

// wholePage is a page of 2,000 elements: cards with headings, text, links,
// images and fields, some of it at fault.
func wholePage() string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><title>Cards</title>
<style>body{font:16px sans-serif;color:#222}.card{border:1px solid #ccc;padding:8px}.dim{color:#bbb}.grid{display:grid;grid-template-columns:repeat(4,1fr)}</style></head><body><main><h1>Cards</h1><div class="grid">`)
	for i := range 154 {
		alt := ` alt="a dot"`
		if i%10 == 0 {
			alt = ""
		}
		fmt.Fprintf(&b, `<section class="card" aria-label="Card %[1]d"><h2>Card %[1]d</h2><p>Some text with <a href="/item/%[1]d">a link to item %[1]d</a> and <em>stress</em>.</p>
<ul><li>one</li><li class="dim">two</li><li>three</li></ul><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" width="10" height="10"%[2]s><label>Name <input name="n%[1]d"></label><button type="button">Buy %[1]d</button></section>`, i, alt)
	}
	b.WriteString(`</div></main></body></html>`)
	return b.String()
}

// everything runs all audits as a first visitor's tool does: loading them is
// part of it.
const everything = `(async () => {
  await new Promise((done) => setTimeout(done, 300));
  const began = performance.now();
  await __devtool.load("audits");
  const all = await __devtool.auditAll();
  return { Elements: document.querySelectorAll("*").length, Ms: performance.now() - began, Longest: all.longestTaskMs, Axe: all.ms.accessibility };
})()`

// look opens the page of many elements in a tab of its own and audits it.
func (w *world) look() (whole, error) {
	tab, cancel := chromedp.NewContext(w.ctx)
	defer cancel()
	ctx, stop := context.WithTimeout(tab, 2*time.Minute)
	defer stop()
	if err := chromedp.Do(ctx, chromedp.Navigate(w.url+"/cards")); err != nil {
		return whole{}, fmt.Errorf("open the page of many elements: %w", err)
	}
	if _, err := chromedp.Call(ctx, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
		return whole{}, fmt.Errorf("enable metrics: %w", err)
	}
	before, err := taskTime(ctx)
	if err != nil {
		return whole{}, err
	}
	got, err := chromedp.Run(ctx, chromedp.Evaluate[whole](everything, chromedp.EvalAwaitPromise))
	if err != nil {
		return whole{}, fmt.Errorf("run all audits: %w", err)
	}
	after, err := taskTime(ctx)
	got.CPU = after - before
	return got, err
}
