package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// loaderRecord is one record of __devtool.loaders().
type loaderRecord struct {
	ID                                int
	Selector, Region, Kind, Container string
	Start                             float64
	End                               *float64
}

func loaders(t *testing.T, page context.Context) []loaderRecord {
	t.Helper()
	return eval[[]loaderRecord](t, page, `__devtool.loaders().records`)
}

// styles that the pages of these tests use.
const loaderStyles = `<style>
@keyframes turn { to { transform: rotate(360deg) } }
@keyframes fade { from { opacity: .5 } }
.box { width: 40px; height: 40px; background: #ccc }
.turning { animation: turn 1s linear infinite }
.logo { animation: turn 20s linear infinite }
.fading { animation: fade 1s infinite }
</style>`

// TestLoadersSeen puts something on the page and reads whether it was taken for
// a loader. What is read is up to date, so nothing is waited for.
func TestLoadersSeen(t *testing.T) {
	cases := []struct{ name, html, want string }{
		{"spinner", `<div class="box spinner"></div>`, "spinner div.box"},
		{"word in camel case", `<div class="box isLoading"></div>`, "spinner div.box"},
		{"id", `<div class="box" id="page-loader"></div>`, "spinner div#page-loader"},
		{"busy", `<ul id="list" aria-busy="true"><li>row</li></ul>`, "busy ul#list"},
		{"progress", `<progress></progress>`, "progress progress"},
		{"progressbar", `<div class="box" role="progressbar"></div>`, "progress div.box"},
		{"skeletons in a busy list are one", `<div id="list" aria-busy="true"><div class="box skeleton"></div><div class="box skeleton"></div></div>`, "busy div#list"},
		{"skeletons beside each other are several", `<div class="box skeleton"></div><div class="box skeleton"></div>`, "skeleton div.box:nth-of-type(1), skeleton div.box:nth-of-type(2)"},
		{"a turning thing", `<div class="box turning"></div>`, "spinner div.box"},
		{"around a visible child only", `<div class="spinner" style="display:contents"><div class="box"></div></div>`, "spinner div.spinner"},
		{"turning slowly", `<div class="box logo"></div>`, ""},
		{"fading", `<div class="box fading"></div>`, ""},
		{"other words", `<button class="box download-button reload payload preload uploading lazyload">x</button>`, ""},
		{"not busy", `<div class="box" aria-busy="false"></div>`, ""},
		{"not displayed", `<div class="box spinner" style="display:none"></div>`, ""},
		{"in something not displayed", `<div hidden><div class="box spinner"></div></div>`, ""},
		{"not visible", `<div class="box spinner" style="visibility:hidden"></div>`, ""},
		{"transparent", `<div style="opacity:0"><div class="box spinner"></div></div>`, ""},
		{"of no size", `<div class="spinner"></div>`, ""},
		{"far away", `<div class="box spinner" style="position:absolute;left:-9999px"></div>`, ""},
		{"below the fold", `<div style="height:5000px"></div><div class="box spinner"></div>`, ""},
		{"state of the body", `<script>document.body.className = "loading"</script>`, ""},
	}
	site := agentSite(t, true, "")
	ctx := browser(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			page := tab(t, ctx, site.URL+"/page")
			do(t, page, fmt.Sprintf(`document.body.innerHTML = %q; await new Promise((r) => requestAnimationFrame(() => setTimeout(r, 30)))`, loaderStyles+`<main>`+c.html+`</main>`))
			var got []string
			for _, r := range loaders(t, page) {
				got = append(got, r.Kind+" "+r.Selector)
				if r.End != nil || r.Start <= 0 || r.Region != "main" {
					t.Errorf("record %+v: want it visible, with a start, in main", r)
				}
			}
			if line := strings.Join(got, ", "); line != c.want {
				t.Errorf("loaders %q, want %q", line, c.want)
			}
		})
	}
}

// TestLoadersInTime shows loaders come and go without anybody asking: beside a
// call, after a click, in an open shadow root.
func TestLoadersInTime(t *testing.T) {
	cases := []struct{ name, code, want string }{
		{"with a fetch", `const s = document.createElement("div"); s.className = "box spinner"; document.querySelector("main").append(s);
await (await fetch("/api/slow?ms=600")).text(); s.remove(); await rest()`, "spinner div.box"},
		{"replaced by its like while a call goes on", `const main = document.querySelector("main"); const show = () => { main.innerHTML = '<div class="box spinner"></div>' };
const turns = setInterval(show, 20); await (await fetch("/api/slow?ms=700")).text(); clearInterval(turns); main.innerHTML = ""; await rest()`, "spinner div.box"},
		{"progress in an open shadow root", `const host = document.createElement("div"); host.id = "host"; document.querySelector("main").append(host);
host.attachShadow({ mode: "open" }).innerHTML = "<progress></progress>"; await (await fetch("/api/slow?ms=600")).text(); host.shadowRoot.innerHTML = ""; await rest()`, "progress div#host >>> progress"},
		{"a turning thing, without any call", `const s = document.createElement("div"); s.className = "box turning"; document.querySelector("main").append(s);
await new Promise((r) => setTimeout(r, 500)); s.remove(); await rest()`, "spinner div.box"},
	}
	site := agentSite(t, true, "")
	ctx := browser(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			page := tab(t, ctx, site.URL+"/page")
			// Long enough that the end was seen without anybody asking: reading the records looks once more.
			do(t, page, fmt.Sprintf(`document.body.innerHTML = %q; const rest = () => new Promise((r) => setTimeout(r, 1500));`, loaderStyles+`<main></main>`)+c.code)
			all := loaders(t, page)
			if len(all) != 1 {
				t.Fatalf("%d records, want 1: %+v", len(all), all)
			}
			r := all[0]
			if got := r.Kind + " " + r.Selector; got != c.want || r.Region != "main" && r.Region != "div#host" {
				t.Errorf("record %+v, want %q", r, c.want)
			}
			if r.End == nil || *r.End <= r.Start {
				t.Errorf("record %+v did not end", r)
			} else if took := *r.End - r.Start; took < 200 || took > 30_000 {
				t.Errorf("visible for %.0f ms", took)
			}
		})
	}
}

// TestIdlePageIsLeftAlone counts the looks at a page where nothing happens, and
// those while many elements are inserted.
func TestIdlePageIsLeftAlone(t *testing.T) {
	site := agentSite(t, true, "")
	page := tab(t, browser(t), site.URL+"/page")
	got := eval[[]int](t, page, `(async () => {
		let looks = 0;
		for (const name of ["querySelector", "querySelectorAll"]) {
			const native = Document.prototype[name];
			Document.prototype[name] = function (...args) { if (String(args[0]).includes("aria-busy")) looks++; return native.apply(this, args) };
		}
		const rest = (ms) => new Promise((r) => setTimeout(r, ms));
		await rest(1500);
		const counts = [looks = 0];
		await rest(1500);
		counts.push(looks);
		for (let i = 0; i < 5000; i++) document.body.append(document.createElement("p"));
		await rest(500);
		counts.push(looks);
		await (await fetch("/api/slow?ms=300")).text();
		counts.push(looks);
		return counts;
	})()`)
	if got[1] != 0 || got[2] != 0 {
		t.Errorf("an idle page was looked at %d times, and %d times after insertions; want 0", got[1], got[2])
	}
	if got[3] == 0 {
		t.Error("a page with a call in flight was not looked at")
	}
}
