package browser

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const shop = `<!doctype html><title>Shop</title>
<style>body{margin:0;font:16px sans-serif} .hidden{display:none}</style>
<body>
<script>
  window.said = [];
  const say = (text) => said.push(text);
</script>
<h1>Shop</h1>
<button id="buy" onclick="say('buy ' + event.isTrusted)">Buy <b>now</b></button>
<button id="add" onclick="say('add')">Add to cart</button>
<button id="hid" class="hidden" onclick="say('hidden')">Secret</button>
<button id="off" disabled>Checkout</button>
<button aria-label="Close panel" onclick="say('close')">×</button>
<input type="submit" value="Send order" onclick="say('send')">
<a href="#terms" onclick="say('terms')">Terms <span>and</span> conditions</a>
<ul>
  <li>Tea <button onclick="say('item 0')">Take</button>
  <li>Rum <button onclick="say('item 1')">Take</button>
</ul>
<div id="host"></div>
<div style="position:relative;width:200px;height:40px">
  <button id="under" style="position:absolute;inset:0" onclick="say('under')">Under</button>
  <div id="veil" style="position:absolute;inset:0;background:#0003"></div>
</div>
<div style="position:relative;width:200px;height:40px">
  <button id="half" style="position:absolute;inset:0" onclick="say('half')">Half</button>
  <div style="position:absolute;left:40%;width:20%;top:0;bottom:0;background:#0003"></div>
</div>
<style>@keyframes go { from { transform: translateX(0) } to { transform: translateX(300px) } }</style>
<button id="slide" style="animation: go .6s linear forwards" onclick="say('slide')">Sliding</button>
<div><button id="ever" style="animation: go .6s linear infinite alternate" onclick="say('ever')">Never still</button></div>
<label><input id="news" type="checkbox" style="position:absolute;opacity:0" onchange="say('news ' + this.checked)"><span>Newsletter please</span></label>
<button id="late" disabled onclick="say('late')">Late</button>
<script>
  const root = host.attachShadow({mode: "open"});
  root.innerHTML = '<p><slot></slot></p><button onclick="said.push(\'shadow\')">In the <i>shadow</i></button>';
  host.append("Slotted words");
  setTimeout(() => { late.disabled = false }, 400);
</script>
<iframe srcdoc="<button id='inner' onclick=&quot;parent.said.push('inner ' + event.isTrusted)&quot;>Framed</button>" style="margin-top:1500px"></iframe>
<button id="deep" style="margin-top:2000px;display:block" onclick="say('deep')">Far below</button>
</body>`

func open(t *testing.T, document string) *Tab {
	t.Helper()
	return openIn(t, shared(t), document, Look{})
}

func openIn(t *testing.T, b *Browser, document string, look Look) *Tab {
	t.Helper()
	tab, err := b.Open(limited(t), site(t, map[string]string{"/": document, "/next": "<title>Next</title>next"})+"/", look)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tab.Close(context.Background()) })
	return tab
}

func TestClick(t *testing.T) {
	ctx, tab := limited(t), open(t, shop)
	const short = 300 * time.Millisecond
	tests := []struct {
		selector string
		said     string // by the page
		element  string // in the outcome
		patience time.Duration
	}{
		{"#buy", "buy true", `button "Buy now" (#buy)`, 0},
		{"text=Add to cart", "add", `button "Add to cart" (#add)`, 0},
		{"text=add TO  cart", "add", `"Add to cart"`, 0},
		{`text="Add to cart"`, "add", `"Add to cart"`, 0},
		{"text=now", "buy true", `"now"`, 0},
		{`role=button[name="Close panel"]`, "close", `"Close panel"`, 0},
		{"role=button[name=panel]", "close", `"Close panel"`, 0},
		{"text=Send order", "send", `"Send order"`, 0},
		{`role=link[name="Terms and conditions"]`, "terms", "link", 0},
		{"text=Terms and conditions", "terms", "link", 0},
		{"text=Take >> nth=1", "item 1", "Take", 0},
		{"li:nth-child(2) button", "item 1", "Take", 0},
		{"text=In the shadow", "shadow", "In the shadow", 0},
		{`role=button[name="In the shadow"]`, "shadow", "In the shadow", 0},
		{"text=Framed", "inner true", `button "Framed" (#inner)`, 0},
		{"#inner", "inner true", "#inner", 0},
		{`role=button[name="Framed"]`, "inner true", "#inner", 0},
		{"#deep", "deep", "Far below", 0},
		{"#half", "half", "Half", 0},
		{"#slide", "slide", "Sliding", 0},
		{"#late", "late", "Late", 0},
		{"text=Newsletter please", "news true", "Newsletter", 0},
	}
	for _, tt := range tests {
		evaluate[bool](t, tab, `said.length = 0, true`)
		o, err := tab.Click(ctx, tt.selector, tt.patience)
		if err != nil {
			t.Errorf("%s: %v", tt.selector, err)
			continue
		}
		if got := evaluate[string](t, tab, `said.join()`); got != tt.said {
			t.Errorf("%s: the page says %q, want %q", tt.selector, got, tt.said)
		}
		if !strings.Contains(o.Element, tt.element) {
			t.Errorf("%s: acted on %s, want %s", tt.selector, o.Element, tt.element)
		}
	}
	if o, err := tab.Click(ctx, "text=Take", 0); err != nil || o.Matches != 2 {
		t.Errorf("two elements fit: %+v, %v", o, err)
	}

	failures := []struct {
		selector string
		want     []string // in the error
	}{
		{"text=Add to crat", []string{`no element matches text=Add to crat after 300ms`, `nearest of what is visible: button "Add to cart" (#add), `}},
		{"#bui", []string{"no element matches #bui", `button "Buy now" (#buy)`}},
		{`role=link[name="Terms"]`, []string{`role=link[name="Terms"]`, `link "Terms and conditions"`}},
		{`role=button[name="Framd"]`, []string{`button "Framed" (#inner)`}},
		{"#hid", []string{"#hid matches 1 elements, none of them visible"}},
		{"text=Secret", []string{"none of them visible"}},
		{"#off", []string{`button "Checkout" (#off) is disabled`}},
		{"#under", []string{`button "Under" (#under) is covered by div (#veil)`}},
		{"#ever", []string{`"Never still" (#ever) keeps moving`}},
		{"text=Take >> nth=5", []string{"only 2 visible elements match"}},
		{"button[", []string{"not a CSS selector: button[", "text="}},
		{"text=", []string{"text= needs words"}},
		{"", []string{"empty selector"}},
		{"role=button[nam=x]", []string{`expected role=button[name="…"]`}},
	}
	for _, tt := range failures {
		_, err := tab.Click(ctx, tt.selector, short)
		if err == nil {
			t.Errorf("%s: no error", tt.selector)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not say %q", tt.selector, err, want)
			}
		}
	}
}

const form = `<!doctype html><title>Form</title><body>
<script>window.events = []; const note = (e) => events.push(e.target.id + ":" + e.type + ":" + e.isTrusted);
for (const type of ["input", "change"]) addEventListener(type, note, true);</script>
<label for="mail">E-mail address</label><input id="mail" value="old words">
<textarea id="area">before</textarea>
<select id="size"><option value="s">Small<option value="m">Medium<option value="x" disabled>Extra</select>
<select id="many" multiple><option>red<option>green<option>blue</select>
<div id="rich" contenteditable>Some <b>bold</b> text</div>
<input id="box" type="checkbox"><label for="box">Agree</label>
<input id="one" type="radio" name="r" checked><input id="two" type="radio" name="r">
<input id="day" type="date"><input id="hue" type="color"><input id="num" type="number" maxlength="3"><input id="cap" maxlength="3">
<input id="fixed" readonly value="fixed"><input id="dead" disabled>
<input id="file" type="file">
<input id="push" type="submit" value="Go"><p id="plain">plain</p>
</body>`

func TestFill(t *testing.T) {
	ctx, tab := limited(t), open(t, form)
	path := filepath.Join(t.TempDir(), "photo.txt")
	if err := os.WriteFile(path, []byte("cheese"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ selector, value, code, want, reported string }{
		{"#mail", "a@b.de", "mail.value", "a@b.de", "a@b.de"},
		{"text=E-mail address", "c@d.de", "mail.value", "c@d.de", "c@d.de"},
		{`role=textbox[name="E-mail address"]`, "", "mail.value", "", ""},
		{"#area", "line one\nline two ✓", "area.value", "line one\nline two ✓", "line one\nline two ✓"},
		{"#size", "m", "size.value", "m", "Medium"},
		{"#size", "small", "size.value", "s", "Small"},
		{"#many", "red\nblue", "[...many.selectedOptions].map((o) => o.value).join()", "red,blue", "red, blue"},
		{"#rich", "Other words", "rich.innerText", "Other words", "Other words"},
		{"#box", "true", "String(box.checked)", "true", "true"},
		{"#box", "true", "String(box.checked)", "true", "true"},
		{"text=Agree", "off", "String(box.checked)", "false", "false"},
		{"#two", "on", "String(two.checked)", "true", "true"},
		{"#day", "2026-01-31", "day.value", "2026-01-31", "2026-01-31"},
		{"#hue", "#ff8800", "hue.value", "#ff8800", "#ff8800"},
		{"#num", "42", "num.value", "42", "42"},
		{"#cap", "abcdef", "cap.value", "abc", "abc"},
		{"#file", path, "file.files[0].text()", "cheese", "photo.txt"},
	}
	for _, tt := range tests {
		o, err := tab.Fill(ctx, tt.selector, tt.value, 0)
		if err != nil {
			t.Errorf("%s: %v", tt.selector, err)
			continue
		}
		if got := evaluate[string](t, tab, tt.code); got != tt.want || o.Value != tt.reported {
			t.Errorf("%s: holds %q, want %q; reported %q, want %q", tt.selector, got, tt.want, o.Value, tt.reported)
		}
	}
	got := evaluate[[]string](t, tab, "events")
	for _, want := range []string{"mail:input:true", "mail:change:true", "rich:input:true", "box:change:true", "size:change:false"} {
		if !strings.Contains(strings.Join(got, " "), want) {
			t.Errorf("the page heard %v, not %s", got, want)
		}
	}
	for _, tt := range []struct{ selector, value, want string }{
		{"#size", "Medum", `has no option "Medum": nearest of 2: ["Medium"`},
		{"#size", "x", `has no option "x"`},
		{"#fixed", "x", "is read-only"},
		{"#dead", "x", "is disabled"},
		{"#plain", "x", "is no field"},
		{"#push", "x", "is a button: click it"},
		{"#box", "maybe", "takes true or false"},
		{"#two", "false", "cannot be switched off"},
		{"#day", "31.1.2026", "such as 2026-01-31"},
		{"#file", "photo.txt", "there is no file"},
		{"#mali", "x", `textbox "E-mail address" (#mail)`},
	} {
		if _, err := tab.Fill(ctx, tt.selector, tt.value, 300*time.Millisecond); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v does not say %s", tt.selector, err, tt.want)
		}
	}
}

func TestPress(t *testing.T) {
	ctx, tab := limited(t), open(t, `<!doctype html><input id="a" value="hello"><input id="b">
	<script>window.keys = []; addEventListener("keydown", (e) => keys.push([e.ctrlKey ? "C" : "", e.shiftKey ? "S" : "", e.key, e.code, e.isTrusted].join("|")));
	a.form ?? a.addEventListener("keydown", (e) => { if (e.key === "Enter") document.title = "entered"; });</script>`)
	for _, step := range []struct{ selector, keys string }{
		{"#a", "Control+A"}, {"", "x"}, {"", "Y"}, {"", "Shift+z"}, {"", "Tab"}, {"", "1 Space é"}, {"", "Shift+Tab"}, {"", "End Backspace Enter"},
	} {
		if _, err := tab.Press(ctx, step.selector, step.keys, 0); err != nil {
			t.Fatalf("press %s: %v", step.keys, err)
		}
	}
	if a, b := evaluate[string](t, tab, "a.value"), evaluate[string](t, tab, "b.value"); a != "xY" || b != "1 é" {
		t.Errorf("the fields hold %q and %q", a, b)
	}
	if title := evaluate[string](t, tab, "document.title"); title != "entered" {
		t.Errorf("Enter did nothing: %q", title)
	}
	keys := strings.Join(evaluate[[]string](t, tab, "keys"), " ")
	for _, want := range []string{"C||Control|ControlLeft|true C||a|KeyA|true", "|S|Z|KeyZ|true", "|||é||true"[2:], "||Enter|Enter|true"} {
		if !strings.Contains(keys, want) {
			t.Errorf("the page heard %s, not %s", keys, want)
		}
	}
	for _, wrong := range []string{"", "Entre", "Hyper+A", "Control+"} {
		if _, err := tab.Press(ctx, "", wrong, 0); err == nil {
			t.Errorf("%q is no key", wrong)
		}
	}
}

func TestWait(t *testing.T) {
	ctx, tab := limited(t), open(t, `<!doctype html><p id="go">Loading things</p><script>
	const later = (f, ms) => setTimeout(f, ms);
	window.begin = () => { later(() => { go.remove(); document.body.append(Object.assign(document.createElement("h2"), {textContent: "All done"})) }, 250);
	  later(() => history.pushState(0, "", "/orders/17?x=1"), 200); fetch("/next").then(() => fetch("/next")); };</script>`)
	start := func() { evaluate[bool](t, tab, "begin(), true") }
	start()
	for name, want := range map[string]Want{
		"text":    {Selector: "text=All done"},
		"role":    {Selector: "role=heading[name=done]"},
		"gone":    {Selector: "#go", Gone: true},
		"url":     {URL: "/orders/"},
		"pattern": {URL: "/orders/*x=1"},
		"load":    {Load: true},
		"idle":    {Idle: true},
		"time":    {For: 20 * time.Millisecond},
	} {
		if _, err := tab.Wait(ctx, want); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, tt := range map[string]struct {
		Want
		says string
	}{
		"text":    {Want{Selector: "text=All dine"}, "no element matches text=All dine after 200ms"},
		"gone":    {Want{Selector: "h2", Gone: true}, `heading "All done" is still visible`},
		"url":     {Want{URL: "/cart"}, `not "/cart"`},
		"pattern": {Want{URL: "/orders" + "*y"}, "/orders/17?x=1"},
		"nothing": {Want{}, "nothing to wait for"},
		"gone of": {Want{Gone: true, Load: true}, "gone needs a selector"},
		"css":     {Want{Selector: "h2["}, "not a CSS selector"},
	} {
		tt.Patience = 200 * time.Millisecond
		if _, err := tab.Wait(ctx, tt.Want); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v does not say %s", name, err, tt.says)
		}
	}
	cancelled, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
	defer cancel()
	if _, err := tab.Wait(cancelled, Want{Selector: "#never", Patience: time.Minute}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an impatient caller gets %v", err)
	}
}
