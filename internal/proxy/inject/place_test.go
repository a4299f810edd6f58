package inject

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/net/html"
)

// pages are documents with | where the tag belongs; without one it does not.
var pages = []struct{ name, page string }{
	{"plain", "<!doctype html><html><head>|<title>x</title></head><body></body></html>"},
	{"attributes", `<!DOCTYPE html><html lang="en" class='a>b'><head prefix="og: http://ogp.me/ns#" data-x='>'>|<meta charset=utf-8>`},
	{"upper case", "<!DOCTYPE HTML><HTML><HEAD>|<TITLE>x</TITLE></HEAD><BODY></BODY></HTML>"},
	{"new lines", "<!doctype html>\n<html>\n<head>|\n<title>x</title>\n"},
	{"no head", "<!doctype html><html>|<body>hi</body></html>"},
	{"no html", "<!doctype html>|<title>x</title><p>hi"},
	{"no doctype", "<html><head>|<title>x</title></head></html>"},
	{"body only", "|<body>hi</body>"},
	{"element only", "|<div>hi</div>"},
	{"text", "|hello"},
	{"one byte", "|a"},
	{"white space then text", "\n  |hello <b>you</b>"},
	{"text then head", "|hello <head></head>"},
	{"less than", "|< 5"},
	{"comment", "<!-- <head> --><!doctype html><!-- <html><head> --><html><!-- <head> --><head>|<!-- x --></head>"},
	{"comment with gt", "<!doctype html><!-- > -- > --><html><head>|</head>"},
	{"empty comments", "<!--><!---><head>|"},
	{"script string", "<!doctype html>|<script>var x = '<head>'</script><head></head>"},
	{"title", "<!doctype html>|<title><head></title>"},
	{"template", "<!doctype html>|<template><head></template>"},
	{"attribute", `<!doctype html><html data-x="<head>"><head>|</head>`},
	{"frameset", "<!doctype html><html>|<frameset cols=50%,50%><frame src=a><frame src=b></frameset></html>"},
	{"head and frameset", "<html><head>|<title>x</title></head><frameset></frameset></html>"},
	{"xml declaration", `<?xml version="1.0"?><!DOCTYPE html><html><head>|</head>`},
	{"cdata", "<![CDATA[<head>|]]><p>"},
	{"old doctype", `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"><html xmlns="http://www.w3.org/1999/xhtml"><head>|</head>`},
	{"self-closed head", "<html><head/>|<title>x</title>"},
	{"head-like names", "<!doctype html>|<header>x</header>"},
	{"stray end tags", "<!doctype html></p></div>|<p>x"},
	{"end of head first", "<!doctype html>|</head><body>x"},
	{"bom", "\ufeff<!doctype html><head>|</head>"},
	{"doctype only", "<!doctype html>|"},
	{"comment only", "<!-- x -->|"},
	{"white space only", " \n\t"},
	{"empty", ""},
	{"unclosed comment", "<!-- x"},
	{"unclosed comment after a doctype", "<!doctype html><!-- <head> --"},
	{"unclosed doctype", "<!doctype html"},
	{"unclosed tag", "<!doctype html><html>|<head"},
	{"unclosed html tag", "<!doctype html>|<html lang"},
	{"unclosed other tag", `<!doctype html>|<p title="<head>`},
	{"unclosed end tag", "<!doctype html>|</head"},
	{"latin-1", "<!doctype html><html><head>|<title>\xe9\xe8</title>"},
	{"shift-jis", "<html><head>|<meta charset=shift_jis><title>\x83\x5c</title>"},
	{"nul", "|\x00<head>"},
}

func split(page string) (doc, want string) {
	doc = strings.Replace(page, "|", "", 1)
	return doc, strings.Replace(page, "|", tag, 1)
}

func TestPlace(t *testing.T) {
	for _, c := range pages {
		t.Run(c.name, func(t *testing.T) {
			doc, want := split(c.page)
			for _, amend := range []func(string) string{nil, func(s string) string { return s }} {
				for name, src := range map[string]io.Reader{
					"whole":      strings.NewReader(doc),
					"with eof":   iotest.DataErrReader(strings.NewReader(doc)),
					"by byte":    iotest.OneByteReader(strings.NewReader(doc)),
					"by halves":  iotest.HalfReader(strings.NewReader(doc)),
					"by byte, 2": iotest.DataErrReader(iotest.OneByteReader(strings.NewReader(doc))),
				} {
					if got := run(t, src, Options{Charset: "utf-8", Amend: amend}); got != want {
						t.Errorf("%s:\n got %q\nwant %q", name, got, want)
					}
				}
			}
		})
	}
}

// The parser must see the page as it was, with one more script that is the
// first thing in the head, and in the same mode.
func TestParsesTheSame(t *testing.T) {
	for _, c := range pages {
		if !strings.Contains(c.page, "|") || strings.HasPrefix(c.name, "unclosed") {
			continue
		}
		doc, _ := split(c.page)
		got := run(t, strings.NewReader(doc), Options{Charset: "utf-8"})
		before, after := parse(t, doc), parse(t, got)
		script := find(after, "script")
		if script == nil || script.Parent.Data != "head" {
			t.Errorf("%s: script is not in the head: %q", c.name, got)
			continue
		}
		for n := script.PrevSibling; n != nil; n = n.PrevSibling {
			if n.Type == html.ElementNode {
				t.Errorf("%s: <%s> stands before the script", c.name, n.Data)
			}
		}
		script.Parent.RemoveChild(script)
		if b, a := render(t, before), render(t, after); squash(b) != squash(a) {
			t.Errorf("%s: the tree changed\nbefore %q\nafter  %q", c.name, b, a)
		}
	}
}

func parse(t *testing.T, doc string) *html.Node {
	t.Helper()
	n, err := html.Parse(strings.NewReader(strings.TrimPrefix(doc, "\ufeff")))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func render(t *testing.T, n *html.Node) string {
	t.Helper()
	var b bytes.Buffer
	if err := html.Render(&b, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// squash drops white space: that before the head is dropped by the parser when
// nothing has opened it yet, which no page can see.
func squash(s string) string { return strings.Join(strings.Fields(s), "") }

func find(n *html.Node, name string) *html.Node {
	if n.Type == html.ElementNode && n.Data == name {
		return n
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if f := find(c, name); f != nil {
			return f
		}
	}
	return nil
}

func TestCharsetStaysInWindow(t *testing.T) {
	pad := func(n int) string { return "<!--" + strings.Repeat("x", n-7) + "-->" }
	meta := "<meta charset=koi8-r>"
	head := "<!doctype html><html><head>"
	room := sniffWindow - len(head) - len(meta)
	for _, c := range []struct{ name, charset, page string }{
		{"early", "", head + "|" + meta},
		{"fits", "", head + "|" + pad(room-len(tag)) + meta},
		{"would be pushed out", "", head + pad(room-len(tag)+1) + meta + "|<title>x</title>"},
		{"just in", "", head + pad(room) + meta + "|<p>"},
		{"was out already", "", head + "|" + pad(room+1) + meta + "<p>"},
		{"header knows", "utf-8", head + "|" + pad(room-3) + meta},
		{"http-equiv", "", head + pad(room-60) + `<meta http-equiv="Content-Type" content="text/html; charset=x">` + "|<p>"},
		{"a script first", "", head + "|<script></script>" + pad(room-30) + meta},
		{"title between", "", head + "<title>" + strings.Repeat("y", room-20) + "</title>" + meta + "|<p>"},
		{"never", "", head + "|" + pad(3000)},
		{"in the body", "", head + "|</head>" + pad(room-20) + meta},
	} {
		doc, want := split(c.page)
		for _, src := range []io.Reader{strings.NewReader(doc), iotest.OneByteReader(strings.NewReader(doc))} {
			if got := run(t, src, Options{Charset: c.charset}); got != want {
				t.Errorf("%s:\n got %q\nwant %q", c.name, got, want)
			}
		}
	}
}
