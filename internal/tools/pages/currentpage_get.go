package pages

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
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
	Method   string    `json:"method"`
	URL      string    `json:"url"`
	Status   int       `json:"status"`
	Duration *float64  `json:"duration"` // in ms; null while in flight
	Error    string    `json:"error,omitempty"`
	Aborted  bool      `json:"aborted,omitempty"`
	Time     time.Time `json:"time"`
}

type currentGetOut struct {
	state
	Framework string          `json:"framework,omitempty"`
	Vitals    []vital         `json:"vitals"`
	Frames    []string        `json:"frames"`
	Visits    []visit         `json:"visits"`          // loads and route changes, newest first
	Errors    []journal.Entry `json:"errors"`          // newest first
	Actions   []journal.Entry `json:"actions"`         // newest first
	After     *aftermath      `json:"after,omitempty"` // of the last action
	Calls     []call          `json:"calls"`           // newest first
	CallCount int             `json:"callCount"`
	unasked   string          // why the page could not be asked
}

const (
	mostCalls = 1000 // as the page's buffer
	keptEach  = 20
	shownEach = 5
)

// read sorts what the journal knows of the page. Entries come newest first.
func (o *currentGetOut) read(entries []journal.Entry) {
	o.Errors, o.Actions = []journal.Entry{}, []journal.Entry{}
	seen := map[string]bool{}
	for _, e := range entries {
		_, wrong := isError(e)
		switch {
		case e.Performance != nil && !seen[e.Performance.Name]:
			seen[e.Performance.Name] = true
			o.Vitals = append(o.Vitals, vital{e.Performance.Name, e.Performance.Value, e.Performance.Rating})
		case wrong && len(o.Errors) < keptEach:
			o.Errors = append(o.Errors, e)
		case e.Action != nil && len(o.Actions) < keptEach:
			o.Actions = append(o.Actions, e)
		}
	}
}

// measure asks the page for what it has not reported by itself. A page that
// does not answer has none.
func (o *currentGetOut) measure(ctx context.Context, pg *page.Page) {
	told, err := pg.Vitals(ctx, askPatience)
	if err != nil {
		return
	}
	for _, v := range told {
		at := slices.IndexFunc(o.Vitals, func(known vital) bool { return known.Name == v.Name })
		if now := (vital{v.Name, v.Value, v.Rating}); at >= 0 {
			o.Vitals[at] = now
		} else {
			o.Vitals = append(o.Vitals, now)
		}
	}
}

// inOrder puts what was measured into the order in which it comes about.
func inOrder(a, b vital) int {
	order := []string{"TTFB", "FCP", "LCP", "CLS", "INP", "dcl", "load"}
	rank := func(v vital) int {
		if i := slices.Index(order, v.Name); i >= 0 {
			return i
		}
		return len(order)
	}
	return cmp.Compare(rank(a), rank(b))
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
  calls: JSON.stringify(calls.reverse().map((c) => ({ method: c.method, url: c.url.slice(0, 300), status: c.status ?? 0, duration: c.duration ?? null, error: (c.error ?? "").slice(0, 200), aborted: c.aborted, at: c.timestamp }))) };`

// askPatience bounds the question: a page that is stuck must not hide what is
// known without it.
const askPatience = 2 * time.Second

// ask returns all of the page's calls, newest first.
func (o *currentGetOut) ask(ctx context.Context, pg *page.Page) []call {
	o.Calls = []call{}
	v, err := pg.Exec(ctx, askCode, page.ExecOptions{Timeout: askPatience})
	if err != nil {
		o.unasked = err.Error()
		return nil
	}
	var answer struct {
		Framework string `json:"framework"`
		Count     int    `json:"count"`
		Calls     string `json:"calls"` // JSON, so that no bound of exec on its parts cuts it
	}
	var told []struct {
		call
		At float64 `json:"at"`
	}
	if json.Unmarshal(v.JSON, &answer) != nil || json.Unmarshal([]byte(answer.Calls), &told) != nil {
		o.unasked = "its answer cannot be read"
		return nil
	}
	calls := make([]call, min(len(told), mostCalls))
	for i := range calls {
		c := told[i].call
		c.Method, c.URL, c.Error = quote.Text(c.Method, 20), quote.Text(pg.Clean(c.URL), 300), quote.Text(c.Error, 200)
		c.Time = pg.When(told[i].At)
		calls[i] = c
	}
	o.Framework, o.CallCount = quote.Text(answer.Framework, 60), len(calls)
	o.Calls = append(o.Calls, calls[:min(len(calls), keptEach)]...)
	return calls
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
		for _, v := range o.Vitals {
			parts = append(parts, v.words())
		}
		fmt.Fprintf(&b, "measured: %s\n", strings.Join(parts, ", "))
	}
	if len(o.Frames) > 0 {
		fmt.Fprintf(&b, "frames: %s\n", strings.Join(o.Frames[:min(len(o.Frames), 10)], ", "))
	}
	if len(o.Visits) > 0 {
		fmt.Fprintf(&b, "visits, of %d:\n", len(o.Visits))
		for _, v := range o.Visits[:min(len(o.Visits), shownEach)] {
			fmt.Fprintf(&b, "  %s %s\n", v.Time.Format("15:04:05.000"), v.words())
		}
	}
	section(&b, "errors", o.Errors)
	section(&b, "user actions", o.Actions)
	if o.After != nil {
		b.WriteString(o.After.Text())
	}
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
	case c.Aborted:
		return text + " aborted"
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
	case e.Action != nil && e.Action.Target == "":
		return quote.Text(e.Action.Type, 20)
	case e.Action != nil:
		return quote.Text(e.Action.Type, 20) + " on " + quote.Quoted(e.Action.Target, 80)
	}
	return string(e.Kind)
}
