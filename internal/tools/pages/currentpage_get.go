package pages

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"oriel/internal/journal"
	"oriel/internal/page"
	"oriel/internal/quote"
	"oriel/internal/tools/words"
)

// vital is one measured value.
type vital struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Rating string  `json:"rating,omitempty"`
}

// call is one record of the page's buffer.
type call struct {
	Method   string   `json:"method"`
	URL      string   `json:"url"`
	Status   int      `json:"status"`
	Duration *float64 `json:"duration"`
	Error    string   `json:"error,omitempty"`
}

type currentGetOut struct {
	state
	Framework string          `json:"framework,omitempty"`
	Vitals    []vital         `json:"vitals"`
	Frames    []string        `json:"frames"`
	Visits    []journal.Entry `json:"visits"`  // loads and route changes, newest first
	Errors    []journal.Entry `json:"errors"`  // newest first
	Actions   []journal.Entry `json:"actions"` // newest first
	Since     []journal.Entry `json:"since"`   // what happened after the last action, oldest first
	Calls     []call          `json:"calls"`   // newest first
	CallCount int             `json:"callCount"`
	unasked   string          // why the page could not be asked
}

const (
	keptEach  = 20
	shownEach = 5
)

// read sorts what the journal knows of the page. Entries come newest first.
func (o *currentGetOut) read(entries []journal.Entry) {
	o.Visits, o.Errors, o.Actions, o.Since = []journal.Entry{}, []journal.Entry{}, []journal.Entry{}, []journal.Entry{}
	seen := map[string]bool{}
	keep := func(list *[]journal.Entry, e journal.Entry) {
		if len(*list) < keptEach {
			*list = append(*list, e)
		}
	}
	for _, e := range entries {
		switch {
		case e.Performance != nil && !seen[e.Performance.Name]:
			seen[e.Performance.Name] = true
			o.Vitals = append(o.Vitals, vital{e.Performance.Name, e.Performance.Value, e.Performance.Rating})
		case e.Navigation != nil:
			keep(&o.Visits, e)
		case e.Error != nil, e.Console != nil && e.Console.Level == "error":
			keep(&o.Errors, e)
		case e.Action != nil:
			keep(&o.Actions, e)
		}
	}
	if len(o.Actions) == 0 {
		return
	}
	last := o.Actions[0].Time
	for i := len(entries) - 1; i >= 0 && len(o.Since) < keptEach; i-- {
		if e := entries[i]; e.Time.After(last) && (e.Error != nil || e.Console != nil || e.Navigation != nil) {
			o.Since = append(o.Since, e)
		}
	}
}

// askCode tells what only the page knows: its framework and its calls.
const askCode = `
const w = window, root = document.querySelector("#root,#app,#__next,#svelte,[ng-version],[data-reactroot]") || document.body;
const react = root && Object.keys(root).some((k) => k.startsWith("__react"));
const names = [
  [w.next || document.getElementById("__NEXT_DATA__"), "Next.js " + (w.next?.version ?? "")],
  [w.__NUXT__ || w.useNuxtApp, "Nuxt"],
  [w.__sveltekit || Object.keys(w).some((k) => k.startsWith("__sveltekit")), "SvelteKit"],
  [document.querySelector("astro-island") || document.querySelector("meta[name=generator][content^=Astro]"), "Astro"],
  [w.__remixContext, "Remix"],
  [w.__reactRouterContext, "React Router"],
  [document.querySelector("[ng-version]"), "Angular " + (document.querySelector("[ng-version]")?.getAttribute("ng-version") ?? "")],
  [w.__vue_app__ || root?.__vue_app__ || w.Vue, "Vue " + (root?.__vue_app__?.version ?? "")],
  [react || w.React, "React " + (w.React?.version ?? "")],
  [w.__svelte, "Svelte"],
  [w.preact || root?.__k, "Preact"],
  [w._$HY, "Solid"],
  [w.jQuery, "jQuery " + (w.jQuery?.fn?.jquery ?? "")],
];
const calls = w.__devtool_api.getCalls();
return { framework: names.filter(([there]) => there).map(([, name]) => String(name).trim()).slice(0, 2).join(", "),
  count: calls.length,
  calls: calls.slice(-20).reverse().map((c) => ({ method: c.method, url: c.url, status: c.status ?? 0, duration: c.duration ?? null, error: c.error ?? "" })) };`

// askPatience bounds the question: a page that is stuck must not hide what is
// known without it.
const askPatience = 2 * time.Second

func (o *currentGetOut) ask(ctx context.Context, pg *page.Page) {
	o.Calls = []call{}
	v, err := pg.Exec(ctx, askCode, page.ExecOptions{Timeout: askPatience})
	if err != nil {
		o.unasked = err.Error()
		return
	}
	var answer struct {
		Framework string `json:"framework"`
		Count     int    `json:"count"`
		Calls     []call `json:"calls"`
	}
	if err := json.Unmarshal(v.JSON, &answer); err != nil {
		o.unasked = "its answer cannot be read"
		return
	}
	o.Framework, o.Calls, o.CallCount = quote.Text(answer.Framework, 60), answer.Calls, max(0, answer.Count)
}

// Text is the page in a dozen lines.
func (o currentGetOut) Text() string {
	var b strings.Builder
	fmt.Fprintln(&b, o.line())
	if o.Framework != "" {
		fmt.Fprintf(&b, "framework: %s\n", o.Framework)
	}
	if len(o.Vitals) > 0 {
		var parts []string
		for i := len(o.Vitals) - 1; i >= 0; i-- {
			parts = append(parts, o.Vitals[i].words())
		}
		fmt.Fprintf(&b, "measured: %s\n", strings.Join(parts, ", "))
	}
	if len(o.Frames) > 0 {
		fmt.Fprintf(&b, "frames: %s\n", strings.Join(o.Frames[:min(len(o.Frames), 10)], ", "))
	}
	section(&b, "visits", o.Visits)
	section(&b, "errors", o.Errors)
	section(&b, "user actions", o.Actions)
	section(&b, "since the last action", o.Since)
	if o.unasked != "" {
		fmt.Fprintf(&b, "the page could not be asked for its calls: %s\n", quote.Text(o.unasked, 160))
	}
	if o.CallCount > 0 {
		fmt.Fprintf(&b, "last calls, of %d:\n", o.CallCount)
		for _, c := range o.Calls[:min(len(o.Calls), shownEach)] {
			fmt.Fprintf(&b, "  %s\n", c.words())
		}
		fmt.Fprintf(&b, "→ %s\n", words.Call("api_audit", words.Arg{Name: "proxy_id", Value: o.Proxy}))
	}
	return b.String()
}

func (v vital) words() string {
	unit := " ms"
	if v.Name == "CLS" {
		unit = ""
	}
	text := fmt.Sprintf("%s %.4g%s", quote.Text(v.Name, 20), v.Value, unit)
	if v.Rating != "" && v.Rating != "good" {
		text += " (" + quote.Text(v.Rating, 20) + ")"
	}
	return text
}

func (c call) words() string {
	text := fmt.Sprintf("%s %s", quote.Text(c.Method, 10), quote.Text(c.URL, 120))
	switch {
	case c.Error != "":
		return text + " failed: " + quote.Quoted(c.Error, 80)
	case c.Duration == nil:
		return text + " in flight"
	default:
		return text + fmt.Sprintf(" %d, %.0f ms", c.Status, *c.Duration)
	}
}

func section(b *strings.Builder, name string, entries []journal.Entry) {
	if len(entries) == 0 {
		return
	}
	fmt.Fprintf(b, "%s, of %d:\n", name, len(entries))
	for _, e := range entries[:min(len(entries), shownEach)] {
		fmt.Fprintf(b, "  %s %s\n", e.Time.Format("15:04:05.000"), entryWords(e))
	}
}

func entryWords(e journal.Entry) string {
	switch {
	case e.Navigation != nil:
		return quote.Text(e.Navigation.Type, 10) + " → " + quote.Text(e.Navigation.To, 120)
	case e.Error != nil:
		return e.Error.Source + " " + quote.Quoted(e.Error.Message, 140)
	case e.Console != nil:
		return "console." + quote.Text(e.Console.Level, 10) + " " + quote.Quoted(e.Console.Text, 140)
	case e.Action != nil:
		return quote.Text(e.Action.Type, 20) + " on " + quote.Quoted(e.Action.Target, 80)
	}
	return string(e.Kind)
}
