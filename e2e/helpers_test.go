package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"oriel/internal/tool"
)

// helpersPage has one of everything that the helpers of __devtool tell about.
const helpersPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Helpers</title><style>
body{margin:0;font:16px/1.5 sans-serif;background:#fff;color:#000}
#card{position:absolute;left:20px;top:20px;width:200px;height:100px;padding:10px;border:2px solid #333;margin:5px;box-sizing:content-box}
#under{position:absolute;left:300px;top:20px;width:100px;height:40px;z-index:1}
#veil{position:absolute;left:290px;top:10px;width:140px;height:80px;background:#0008;z-index:2}
#row{position:absolute;left:20px;top:200px;display:flex;gap:8px;width:300px}
#faint{position:absolute;left:20px;top:260px;opacity:.5;background:#000}
#faint>div{background:rgba(255,255,255,.5)} #faint span{color:#000}
#behind{position:absolute;left:300px;top:260px;width:200px;height:40px;background:#000}
#floating{position:absolute;left:300px;top:260px;width:200px;height:40px;color:#fff}
#narrow{position:absolute;left:20px;top:320px;width:80px;white-space:nowrap;overflow:hidden}
#wide{position:absolute;top:360px;left:0;width:3000px;height:10px;background:#eee}
#far{position:absolute;top:3000px;left:20px} #none{display:none} #off{visibility:hidden} #zero{width:0;height:0;overflow:hidden}
form{position:absolute;left:20px;top:400px}
</style></head><body>
<div id="card" class="card big" data-x="1"><p>In the card</p><ul><li>one</li><li>two</li></ul></div>
<button id="under">Under</button><div id="veil"></div>
<div id="row"><span id="a">a</span><span id="b" style="flex:1">b</span></div>
<div id="faint"><div><span>faint text</span></div></div>
<div id="behind"></div><div id="floating">white on black</div>
<div id="narrow">a text that does not fit in its box</div><div id="wide"></div>
<div id="none">x</div><div id="off">x</div><div id="zero">x</div>
<form id="form"><label>Name <input id="name" name="name" maxlength="10"></label><input id="secret" type="password" value="hunter2"><input id="day" type="date">
<select id="size"><option value="s">Small</option><option value="l">Large</option></select><input id="agree" type="checkbox"><input id="file" type="file">
<textarea id="words"></textarea><div id="rich" contenteditable>old</div><button id="ok">OK</button><button id="no" type="button" disabled>No</button></form>
<img id="bare" src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"><div id="fake" role="button"></div>
<x-box></x-box><a id="far" href="#there">Far <b>away</b></a>
<script>
window.seen = [];
for (const type of ["click", "input", "change", "submit", "keydown", "mousedown"]) addEventListener(type, (e) => { seen.push(type + " " + (e.target.id ?? "")); if (type === "submit") e.preventDefault() });
customElements.define("x-box", class extends HTMLElement { connectedCallback() { this.attachShadow({mode: "open"}).innerHTML = "<button id=inner style='position:absolute;left:20px;top:560px'>Inner</button>" } });
localStorage.setItem("cart", "secret-value"); document.cookie = "sid=secret-cookie";
</script></body></html>`

func helpersSite(t *testing.T, policy string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/slow") {
			wait(r.Context(), 700e6)
			fmt.Fprint(w, "{}")
			return
		}
		if policy != "" {
			w.Header().Set("Content-Security-Policy", policy)
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, helpersPage)
	}))
	t.Cleanup(s.Close)
	return s
}

// exec runs code in the page by the tool and returns its answer, an error's
// too.
func (s *session) exec(code string) string {
	s.t.Helper()
	args, err := json.Marshal(map[string]string{"action": "exec", "code": code})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.caller.Call(s.t.Context(), tool.Call{Tool: "proxy", Args: args, From: tool.Origin{Dir: s.root, Env: os.Environ()}}).Text
}

// TestHelpers calls every helper by proxy exec, in a page whose policy is
// strict. want must be in the answer; what begins with "!" must not.
func TestHelpers(t *testing.T) {
	s, url := eyes(t, helpersSite(t, "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:").URL)
	page := tab(t, browser(t), url+"/")
	if err := chromedp.Do(page, chromedp.EmulateViewport(1000, 700)); err != nil {
		t.Fatal(err)
	}
	awaitPage(t, s)
	for _, c := range helperCases {
		t.Run(c.code, func(t *testing.T) {
			got := s.exec(c.code)
			for _, want := range c.want {
				if hard, ok := strings.CutPrefix(want, "!"); ok && strings.Contains(got, hard) || !ok && !strings.Contains(got, want) {
					t.Errorf("%s:\n%s", want, got)
				}
			}
			if strings.Contains(got, "hunter2") || strings.Contains(got, "secret-") {
				t.Errorf("it shows a secret: %s", got)
			}
		})
	}
	if left := eval[int](t, page, "document.querySelectorAll('oriel-layer').length"); left != 0 {
		t.Errorf("%d layers are left", left)
	}
	checkHelp(t, s)
}

// checkHelp: every helper has a line that shows how it is called, whether it
// was used before or not.
func checkHelp(t *testing.T, s *session) {
	t.Helper()
	help := s.exec("__devtool.help()")
	for _, name := range strings.Fields("getElementInfo inspect getComputed getBox getLayout getStacking walkChildren walkParents isVisible isInViewport checkOverlap findOverflows highlight click fill press waitFor captureState getA11yInfo getContrast log pick indicator") {
		if !strings.Contains(help, name+": "+name+"(") {
			t.Errorf("help says nothing of %s", name)
		}
	}
}

var helperCases = []struct {
	code string
	want []string
}{
	{`__devtool.getElementInfo("#card")`, []string{`"tag":"div"`, `"classes":["card","big"]`, `"data-x":"1"`, `"selector":"#card"`, `"children":2`, "In the card one two", `"component":null`}},
	{`__devtool.getElementInfo("#secret")`, []string{`"value":"(7 characters)"`}},
	{`__devtool.getElementInfo("li")`, []string{`"matches":2`, `"selector":"li:nth-of-type(1)"`}},
	{`__devtool.getElementInfo("#inner")`, []string{`"tag":"button"`}},
	{`__devtool.getElementInfo("#crad")`, []string{"no element matches #crad", "nearest: #card"}},
	{`__devtool.getElementInfo("div[")`, []string{"not a valid CSS selector: div["}},
	{`__devtool.getElementInfo(null)`, []string{"expected a CSS selector or an element, got null"}},
	{`__devtool.getElementInfo(document.querySelector("#a"))`, []string{`"selector":"#a"`}},
	{`__devtool.inspect("#card")`, []string{`"a11y":`, `"contrast":`, `"stacking":`, `"layout":`}},
	{`__devtool.getComputed("#row")`, []string{`"display":"flex"`, `"gap":"8px"`, "!float"}},
	{`__devtool.getComputed("#row", ["float", "columnGap"])`, []string{`{"float":"none","columnGap":"8px"}`}},
	{`__devtool.getBox("#card")`, []string{`"viewport":{"x":25,"y":25,"width":224,"height":124}`, `"content":{"width":200,"height":100}`, `"padding":[10,10,10,10]`, `"border":[2,2,2,2]`, `"margin":[5,5,5,5]`}},
	{`__devtool.getLayout("#b")`, []string{`"flexItem":{"flex":"1 1 0%"`, `flex"`}},
	{`__devtool.getLayout("#row")`, []string{`"flex":{"direction":"row"`, `"gap":"8px"`}},
	{`__devtool.getStacking("#under")`, []string{`"z-index: 1"`, `"coveredBy":{"element":"<div#veil>"`}},
	{`__devtool.getStacking("#a")`, []string{`"coveredBy":null`, `"root"`}},
	{`__devtool.walkChildren("#card")`, []string{`"<li>"`, `"text":"one"`}},
	{`__devtool.walkChildren("#card", 1)`, []string{`"more":2`, "!<li>"}},
	{`__devtool.walkParents("#card li")`, []string{`"<ul>"`, `"<html>"`, `"position":"absolute"`}},
	{`__devtool.isVisible("#card")`, []string{`"visible":true`}},
	{`__devtool.isVisible("#none")`, []string{`"visible":false`, "display: none"}},
	{`__devtool.isVisible("#off")`, []string{`"visible":false`, "visibility: hidden"}},
	{`__devtool.isVisible("#zero")`, []string{`"visible":false`, "its box is 0×0"}},
	{`__devtool.isVisible("#under")`, []string{`"visible":false`, "covered by <div#veil>"}},
	{`__devtool.isInViewport("#far")`, []string{`"inViewport":false`, `"where":"below"`}},
	{`__devtool.isInViewport("#card")`, []string{`"inViewport":true`, `"share":1`}},
	{`__devtool.checkOverlap("#under", "#veil")`, []string{`"overlaps":true`, `"shareOfFirst":1`, `"onTop":"<div#veil>"`}},
	{`__devtool.checkOverlap("#a", "#card")`, []string{`"overlaps":false`, `"area":0`}},
	{`__devtool.findOverflows()`, []string{`{"element":"<div#wide>","selector":"#wide","kind":"wider than the page"`, `"selector":"#narrow","kind":"content cut off"`}},
	// Half white over black is mid grey; all of it at half opacity over white. Black text on it, faded the same.
	{`__devtool.getContrast("#faint span")`, []string{`"background":"#bfbfbf"`, `"text":"#808080"`, `"AA":false`}},
	{`__devtool.getContrast("#floating")`, []string{`"background":"#000000"`, `"text":"#ffffff"`, `"ratio":21`}},
	{`__devtool.getContrast("#card")`, []string{`"ratio":21`, `"AAA":true`}},
	{`__devtool.getA11yInfo("#name")`, []string{`"role":"textbox"`, `"name":"Name"`, `"nameFrom":"label"`, `"focusable":true`}},
	{`__devtool.getA11yInfo("#far")`, []string{`"role":"link"`, `"name":"Far away"`}},
	{`__devtool.getA11yInfo("#bare")`, []string{"an image without alt"}},
	{`__devtool.getA11yInfo("#fake")`, []string{"no name", "the keyboard cannot reach it"}},
	{`__devtool.click("#under")`, []string{"cannot be clicked: <div#veil> covers it"}},
	{`__devtool.click("#no")`, []string{"is disabled"}},
	{`__devtool.click("#none")`, []string{"cannot be clicked: display: none"}},
	{`__devtool.click("#far").then((r) => [r.navigated, scrollY > 1000, seen.filter((s) => s.endsWith("far")).join()])`, []string{`[true,true,"mousedown far,click far"]`}},
	{`__devtool.fill("#name", "a name that is long").then((r) => [r.value, seen.slice(-2).join()])`, []string{`["a name tha","input name,change name"]`}},
	{`__devtool.fill("#secret", "hunter2").then((r) => r.value)`, []string{`"(7 characters)"`}},
	{`__devtool.fill("#day", "31.1.2026")`, []string{`type date wants a value such as 2026-01-31`}},
	{`__devtool.fill("#day", "2026-01-31").then((r) => r.value)`, []string{`"2026-01-31"`}},
	{`__devtool.fill("#size", "Large").then((r) => r.value)`, []string{`"l"`}},
	{`__devtool.fill("#size", "XL")`, []string{`has no option`, `s (Small)`}},
	{`__devtool.fill("#agree", true).then((r) => r.value)`, []string{`"checked"`}},
	{`__devtool.fill("#agree", false).then((r) => r.value)`, []string{`"not checked"`}},
	{`__devtool.fill("#file", "/etc/passwd")`, []string{"takes files, and a page cannot choose any"}},
	{`__devtool.fill("#rich", "new words").then(() => rich.textContent)`, []string{`"new words"`}},
	{`__devtool.fill("#card", "x")`, []string{"it is no input"}},
	{`__devtool.fill("#words", "two").then(() => __devtool.press("Enter", "#words")).then(() => __devtool.press("x")).then(() => words.value)`, []string{`"two\nx"`}},
	{`__devtool.press("Enter", "#name").then(() => seen.slice(-2).join())`, []string{"click ok,submit form"}},
	{`__devtool.press("Tab", "#name").then(() => document.activeElement.id)`, []string{`"secret"`}},
	{`__devtool.press("Entre")`, []string{"unknown key", "valid: one character"}},
	{`setTimeout(() => { const p = document.createElement("p"); p.id = "late"; p.textContent = "Here I am"; document.body.append(p) }, 100); return __devtool.waitFor("#late")`, []string{`<p#late>`}},
	{`__devtool.waitFor({selector: "#late", text: "Here I am"})`, []string{`"ms":`}},
	{`setTimeout(() => late.remove(), 100); return __devtool.waitFor({selector: "#late", gone: true})`, []string{`"ms":`}},
	{`__devtool.waitFor("#lte", {timeout: 100})`, []string{"waited 100 ms in vain for #lte"}},
	{`__devtool.waitFor("#none", 100)`, []string{"it is there, but display: none"}},
	{`__devtool.waitFor({text: "In the card"})`, []string{`"ms":`}},
	{`__devtool.waitFor("p[")`, []string{"not a valid CSS selector"}},
	{`__devtool.waitFor({idle: 100})`, []string{`"ms":`}},
	{`__devtool.captureState()`, []string{`"cart":12`, `"cookies":["sid"]`, `"field":"<input#name[name=name]>"`, `(7 characters)`}},
	{`__devtool.log("a line from", {the: "page"})`, []string{`"logged":2`}},
	{`const r = await __devtool.highlight("li", {ms: 100}); return new Promise((d) => setTimeout(() => d([r.shown, document.querySelectorAll("oriel-layer").length]), 300))`, []string{"[2,0]"}},
	{`const r = __devtool.highlight("#card", {ms: 60000}); const l = document.querySelector("oriel-layer"); const out = [l.shadowRoot, getComputedStyle(l).pointerEvents, document.elementFromPoint(100, 60) !== l]; l.remove(); return out`, []string{`[null,"none",true]`}},
	{`__devtool.highlight("#crad")`, []string{"nearest: #card"}},
	{`const r = __devtool.highlight("x-box >>> #inner", {ms: 100}); const tag = __devtool.getElementInfo("x-box >>> #inner").tag; await new Promise((d) => setTimeout(d, 300)); return [r.shown, tag]`, []string{`[1,"button"]`}},
	{`__devtool.highlight("x-box >>> #outer")`, []string{"no element matches"}},
	{`__devtool.highlight("x-box >>> p:::")`, []string{"not a valid CSS selector"}},
	{`__devtool.highlight("#far", {ms: 100}); const r = document.querySelector("#far").getBoundingClientRect(); scrollTo(0, 0); await new Promise((d) => setTimeout(d, 300)); return [r.top > 0, r.bottom <= innerHeight]`, []string{"[true,true]"}},
	{`[__devtool.indicator().shown, document.querySelectorAll("oriel-layer").length, __devtool.indicator(false).shown, document.querySelectorAll("oriel-layer").length].join()`, []string{"true,1,false,0"}},
}

// TestHelpersOfAPerson: the picker takes a person's click, which the page does
// not see, and Escape.
func TestHelpersOfAPerson(t *testing.T) {
	s, url := eyes(t, helpersSite(t, "").URL)
	page := tab(t, browser(t), url+"/")
	awaitPage(t, s)
	do(t, page, "__devtool.help().then((text) => { window.helped = text })")
	awaitTrue(t, page, "window.helped !== undefined && window.helped.includes('pick: pick(')")
	do(t, page, "window.seen.length = 0; __devtool.pick().then((info) => window.picked = info)")
	if err := chromedp.Do(page, chromedp.MouseClickXY(100, 60)); err != nil {
		t.Fatal(err)
	}
	awaitTrue(t, page, "window.picked !== undefined")
	if got := eval[string](t, page, "picked.html + ' ' + seen.join() + document.querySelectorAll('oriel-layer').length"); got != "<p></p> 0" {
		t.Errorf("picked %s", got)
	}
	do(t, page, "window.picked = undefined; __devtool.pick().then((info) => window.picked = info)")
	if err := chromedp.Do(page, chromedp.KeyEvent("\u001b")); err != nil {
		t.Fatal(err)
	}
	awaitTrue(t, page, "window.picked === null")
}

// reactForm is a component whose fields are React's own.
const reactForm = `import { useState } from 'react';
export function Field({ label }) {
  const [value, set] = useState('');
  return <label id="field">{label} <input id="controlled" value={value} onChange={(e) => set(e.target.value.toUpperCase())} /><output id="echo">{value}</output></label>;
}
export function App() {
  return <main><p id="greeting">hello one</p><Field label="Name" /></main>;
}
`

// TestHelpersWithReact: a controlled field takes what is filled in, and an
// element's component is named with its source.
func TestHelpersWithReact(t *testing.T) {
	a := app{name: "vite-react", file: "src/App.jsx"}
	root := a.install(t)
	if err := os.WriteFile(filepath.Join(root, a.file), []byte(reactForm), 0o644); err != nil {
		t.Fatal(err)
	}
	s := newSession(t, root)
	s.call("run", `{"script_name":"dev","timeout":"2m"}`)
	s.call("proxy", fmt.Sprintf(`{"action":"start","id":"look","target_url":%q}`, s.field("proc", `{"action":"status"}`, "url")))
	page := tab(t, browser(t), s.field("proxy", `{"action":"status"}`, "url")+"/")
	awaitGreeting(t, page, "hello one")
	awaitPage(t, s)
	if got := s.exec(`__devtool.fill("#controlled", "ada").then(() => echo.textContent + controlled.value)`); !strings.Contains(got, `"ADAADA"`) {
		t.Error(got)
	}
	if got := s.exec(`__devtool.getElementInfo("#controlled").component`); !strings.Contains(got, `"framework":"React","name":"Field"`) || !strings.Contains(got, `"source":"src/App.jsx:4"`) || !strings.Contains(got, `"within":["App"`) || !strings.Contains(got, `"props":["label"]`) {
		t.Error(got)
	}
	if diff := rasterDifference(t, s, page); diff > 5 {
		t.Errorf("the rasteriser differs in %.2f %% of the pixels", diff)
	}
}
