package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/coder/websocket"
)

// probe stands for the agent: it does what the agent does in a page and sends
// home what it found.
const probe = `(() => {
const violations = [], me = document.currentScript, nonce = me.nonce;
document.addEventListener("securitypolicyviolation", e => e.blockedURI.endsWith("/favicon.ico") || violations.push(e.effectiveDirective + " " + e.blockedURI + " " + e.disposition));
const first = document.scripts[0] === me && (!document.head || document.head.querySelector("script") === me);
addEventListener("load", async () => {
	const r = {first, mode: document.compatMode, charset: document.characterSet, title: document.title, violations};
	try { r.module = (await import("/__devtool/module.js")).ok } catch (e) { r.module = String(e) }
	r.script = await new Promise(done => {
		const s = document.createElement("script");
		let url = "/__devtool/dynamic.js";
		if (location.search.includes("typed")) url = trustedTypes.createPolicy("oriel", {createScriptURL: u => u}).createScriptURL(url);
		s.nonce = nonce;
		s.onload = () => done("ok"); s.onerror = () => done("blocked");
		s.src = url;
		document.documentElement.appendChild(s);
	});
	const ws = new WebSocket("ws://" + location.host + "/__devtool/channel");
	ws.onopen = () => ws.send(JSON.stringify(r));
});
})()`

type finding struct {
	First      bool
	Mode       string
	Charset    string
	Title      string
	Module     string
	Script     string
	Violations []string
}

// probing serves the probe and passes on what it sends.
func probing(found chan<- finding) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8") // else it is read in the page's encoding
		switch r.URL.Path {
		case "/__devtool/agent.js":
			io.WriteString(w, probe)
		case "/__devtool/module.js":
			io.WriteString(w, `export const ok = "ok"`)
		case "/__devtool/channel":
			c, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
			if err != nil {
				return
			}
			defer c.CloseNow()
			if _, data, err := c.Read(r.Context()); err == nil {
				var f finding
				json.Unmarshal(data, &f)
				found <- f
			}
		}
	})
}

// browser starts a Chromium for the test.
func browser(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	ctx, stop := chromedp.NewExecAllocator(ctx, opts...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	return ctx
}

type site struct {
	name    string
	path    string // query
	head    http.Header
	body    string
	mode    string // "" is CSS1Compat
	charset string // "" is UTF-8
	opaque  bool   // without an origin, so that modules are out of reach
	fenced  bool   // no script without a hash, so that only the agent itself runs
}

func policy(p ...string) http.Header { return http.Header{"Content-Security-Policy": p} }

var sites = []site{
	{name: "no policy", body: page},
	{name: "self", head: policy("default-src 'self'"), body: page},
	{name: "nonce", head: policy("default-src 'none'; script-src 'nonce-abc'"), body: page},
	{name: "hash", head: policy("script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"), body: page},
	{name: "hash and strict-dynamic", head: policy("script-src 'strict-dynamic' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='; object-src 'none'"), body: page},
	{name: "none", head: policy("default-src 'none'"), body: page},
	{name: "connect none", head: policy("script-src 'self'; connect-src 'none'"), body: page},
	{name: "two headers, two nonces", head: policy("script-src 'nonce-one'", "script-src 'nonce-two' 'strict-dynamic'; connect-src 'none'"), body: page},
	{name: "report only", head: http.Header{"Content-Security-Policy-Report-Only": {"default-src 'none'; report-uri /r"}}, body: page},
	{name: "meta", body: strings.Replace(page, "<head>", `<head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self'">`, 1)},
	{name: "meta nonce and header", head: policy("script-src 'self' 'nonce-h'"), body: strings.Replace(page, "<head>", `<head><meta http-equiv=content-security-policy content="script-src 'nonce-m'; connect-src 'none'">`, 1)},
	{name: "trusted types", path: "?typed", head: policy("require-trusted-types-for 'script'; trusted-types a"), body: page},
	{name: "trusted types, none allowed", path: "?typed", head: policy("require-trusted-types-for 'script'; trusted-types 'none'; script-src 'nonce-abc'"), body: page},
	{name: "sandbox with scripts", head: policy("sandbox allow-scripts; script-src 'none'"), body: page, opaque: true},
	{name: "upper case, omitted tags", body: "<!DOCTYPE HTML>\n<TITLE>x</TITLE><P>hi"},
	{name: "quirks", body: "<html><head><title>x</title>", mode: "BackCompat"},
	{name: "head in a comment", body: "<!doctype html><!-- <head> --><html><head><title>x</title>"},
	{name: "head in a title", body: "<!doctype html><title>x</title><p>"},
	{name: "charset by meta", body: "<!doctype html><head><!--" + strings.Repeat(".", 900) + "--><meta charset=koi8-r><title>x</title>", charset: "KOI8-R"},
	{name: "utf-16", head: http.Header{"Content-Type": {"text/html; charset=utf-16le"}}, body: widen(page), charset: "UTF-16LE"},
	{name: "xhtml", head: http.Header{"Content-Type": {"application/xhtml+xml"}}, body: `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body/></html>`},
	{name: "frameset", body: "<!doctype html><html><head><title>x</title></head><frameset cols='50%,50%'><frame/></frameset></html>"},
	{name: "no type", head: http.Header{"Content-Type": nil}, body: page},
	{name: "upgrade insecure requests", head: policy("upgrade-insecure-requests; default-src 'self' https:"), body: page},
	{name: "upgrade by meta, mixed content blocked", body: strings.Replace(page, "<head>", `<head><meta http-equiv="Content-Security-Policy" content="upgrade-insecure-requests; block-all-mixed-content">`, 1)},
	{name: "integrity policy", head: http.Header{"Integrity-Policy": {"blocked-destinations=(script), endpoints=(e)"}}, body: page, fenced: true},
	{name: "nosniff", head: http.Header{"X-Content-Type-Options": {"nosniff"}, "Cross-Origin-Embedder-Policy": {"require-corp"}, "Cross-Origin-Opener-Policy": {"same-origin"}}, body: page},
}

func widen(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteByte(s[i])
		b.WriteByte(0)
	}
	return b.String()
}

// In a real browser the agent must run first, load its modules and reach its
// channel under every policy, and cause no violation and no other mode.
func TestInChromium(t *testing.T) {
	found := make(chan finding, 10)
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var i int
		if _, err := fmt.Sscanf(r.URL.Path, "/site/%d", &i); err != nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		for k, v := range sites[i].head {
			w.Header()[k] = v
		}
		io.WriteString(w, sites[i].body)
	}, func(c *Config) { c.Devtool = probing(found) })
	ctx := browser(t)
	for i, s := range sites {
		t.Run(s.name, func(t *testing.T) {
			if err := chromedp.Do(ctx, chromedp.Navigate(fmt.Sprintf("%s/site/%d%s", r.URL(), i, s.path))); err != nil {
				t.Fatal(err)
			}
			select {
			case f := <-found:
				want := finding{First: true, Mode: "CSS1Compat", Charset: "UTF-8", Title: "x", Module: "ok", Script: "ok"}
				if s.mode != "" {
					want.Mode = s.mode
				}
				if s.charset != "" {
					want.Charset = s.charset
				} else if i := s.head["Content-Type"]; s.head == nil || i == nil {
					want.Charset = f.Charset // the browser's guess
				}
				if s.fenced {
					want.Module, want.Script = f.Module, "blocked"
				}
				if s.opaque {
					want.Module = f.Module
				}
				if fmt.Sprintf("%+v", f) != fmt.Sprintf("%+v", want) {
					t.Errorf("\n got %+v\nwant %+v", f, want)
				}
			case <-time.After(20 * time.Second):
				t.Fatal("the agent was not heard of")
			}
		})
	}
}

// A tab that was opened before its dev server shows the site by itself once
// the server is up.
func TestDownPageReloadsInChromium(t *testing.T) {
	port := freePort(t)
	found := make(chan finding, 10)
	r := start(t, fmt.Sprintf("http://localhost:%d", port), func(c *Config) { c.Devtool = probing(found) })
	ctx := browser(t)
	if err := chromedp.Do(ctx, chromedp.Navigate(r.URL()+"/")); err != nil {
		t.Fatal(err)
	}
	title, err := chromedp.Run(ctx, chromedp.Title())
	if err != nil || !strings.HasPrefix(title, "502") {
		t.Fatalf("title %q, %v", title, err)
	}
	ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: htmlTarget(http.Header{"Content-Type": {"text/html"}}, page, 200)}
	go s.Serve(ln)
	t.Cleanup(func() { s.Close() })
	select {
	case f := <-found:
		if f.Title != "x" {
			t.Errorf("%+v", f)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the page did not come back")
	}
}
