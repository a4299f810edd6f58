// Package paint makes pictures of a chart's shapes: SVG for documents, and PNG
// with a small rasteriser and typeface of its own, for which nothing has to be
// installed.
package paint

import (
	"bytes"
	"fmt"
	"html"
	"strconv"
	"strings"

	"oriel/internal/report/chart"
)

// Variables are the colours as CSS custom properties, for a document that
// holds SVG pictures: on light paper, and on dark.
func Variables() (light, dark string) {
	var l, d strings.Builder
	for _, r := range roles {
		s := shades[r]
		fmt.Fprintf(&l, "--%s:#%02x%02x%02x;", r, s.light.R, s.light.G, s.light.B)
		fmt.Fprintf(&d, "--%s:#%02x%02x%02x;", r, s.dark.R, s.dark.G, s.dark.B)
	}
	return l.String(), d.String()
}

// Style is the CSS by which SVG pictures in a document take their colours from
// Variables.
func Style() string {
	var b strings.Builder
	b.WriteString(".chart text{font:11px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}")
	b.WriteString(".chart .m{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}.chart .b{font-weight:600}")
	b.WriteString(".chart path{fill:none;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round}.chart .d{stroke-dasharray:3 3}.chart .r-grid.l{stroke-width:1}")
	for _, r := range roles {
		fmt.Fprintf(&b, ".chart .r-%s{fill:var(--%s)}.chart path.r-%s{fill:none;stroke:var(--%s)}", r, r, r, r)
	}
	return b.String()
}

// SVG paints the picture for use inside an HTML document that has Style and
// Variables.
func SVG(p chart.Picture) []byte { return svg(p, false) }

// StandaloneSVG paints the picture as a file of its own, light or dark as its
// reader prefers.
func StandaloneSVG(p chart.Picture) []byte { return svg(p, true) }

func svg(p chart.Picture, alone bool) []byte {
	w := &svgWriter{links: !alone}
	fmt.Fprintf(&w.b, `<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" role="img"`, px(p.W), px(p.H))
	if alone {
		fmt.Fprintf(&w.b, ` width="%s" height="%s"`, px(p.W), px(p.H))
	}
	fmt.Fprintf(&w.b, "><title>%s</title><desc>%s</desc>", escape(p.Title), escape(p.Desc))
	if alone {
		light, dark := Variables()
		fmt.Fprintf(&w.b, "<style>.chart{%s}@media (prefers-color-scheme:dark){.chart{%s}}%s</style>", light, dark, Style())
	}
	w.patterns(p)
	for _, s := range p.Shapes {
		w.shape(s)
	}
	w.b.WriteString("</svg>\n")
	return w.b.Bytes()
}

// maxBar is how tall a bar can be; boxes of that height have round corners.
const maxBar = 14

type svgWriter struct {
	b     bytes.Buffer
	links bool
	open  []string // what ends each open part
	name  string   // of this picture's patterns
}

// patterns are the hatchings, one per role that has one.
func (w *svgWriter) patterns(p chart.Picture) {
	w.name = "hatch-"
	seen := map[chart.Role]bool{}
	for _, s := range p.Shapes {
		if s.Kind == chart.Open && w.name == "hatch-" && s.ID != "" {
			w.name = s.ID + "-hatch-" // unique in a document of several pictures
		}
	}
	w.b.WriteString("<defs>")
	for _, s := range p.Shapes {
		if s.Kind != chart.Hatch || seen[s.Role] {
			continue
		}
		seen[s.Role] = true
		fmt.Fprintf(&w.b, `<pattern id="%s%s" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="5" height="5" class="r-paper"/><rect width="2.4" height="5" class="r-%s"/></pattern>`, escape(w.name), s.Role, s.Role)
	}
	w.b.WriteString("</defs>\n")
}

func (w *svgWriter) shape(s chart.Shape) {
	switch s.Kind {
	case chart.Open:
		w.part(s)
	case chart.Close:
		if n := len(w.open); n > 0 {
			w.b.WriteString(w.open[n-1] + "\n")
			w.open = w.open[:n-1]
		}
	case chart.Box:
		radius := 0.0
		if s.H <= maxBar {
			radius = min(2, s.H/2, s.W/2)
		}
		fmt.Fprintf(&w.b, `<rect class="r-%s" x="%s" y="%s" width="%s" height="%s"`, s.Role, px(s.X), px(s.Y), px(s.W), px(s.H))
		if radius > 0 {
			fmt.Fprintf(&w.b, ` rx="%s"`, px(radius))
		}
		w.b.WriteString("/>")
	case chart.Hatch:
		fmt.Fprintf(&w.b, `<rect fill="url(#%s%s)" x="%s" y="%s" width="%s" height="%s"/>`, escape(w.name), s.Role, px(s.X), px(s.Y), px(s.W), px(s.H))
	case chart.Disc:
		fmt.Fprintf(&w.b, `<circle class="r-%s" cx="%s" cy="%s" r="%s"/>`, s.Role, px(s.X), px(s.Y), px(s.W))
	case chart.Line, chart.Dash:
		w.path(s)
	case chart.Text:
		w.words(s)
	}
}

// part groups shapes under a name that is read out and shown when pointed at.
func (w *svgWriter) part(s chart.Shape) {
	end := "</g>"
	if s.Href != "" && w.links {
		fmt.Fprintf(&w.b, `<a href="#%s">`, escape(s.Href))
		end += "</a>"
	}
	fmt.Fprintf(&w.b, `<g class="%s"`, escape(s.Class))
	if s.ID != "" {
		fmt.Fprintf(&w.b, ` id="%s"`, escape(s.ID))
	}
	fmt.Fprintf(&w.b, "><title>%s</title>", escape(s.Text))
	w.open = append(w.open, end)
}

func (w *svgWriter) path(s chart.Shape) {
	class := "l r-" + string(s.Role)
	if s.Kind == chart.Dash {
		class += " d"
	}
	fmt.Fprintf(&w.b, `<path class="%s" d="`, class)
	for i, p := range s.Points {
		w.b.WriteString(map[bool]string{true: "M", false: "L"}[i == 0] + px(p.X) + " " + px(p.Y))
	}
	w.b.WriteString(`"/>`)
}

func (w *svgWriter) words(s chart.Shape) {
	class := "r-" + string(s.Role)
	if s.Mono {
		class += " m"
	}
	if s.Bold {
		class += " b"
	}
	fmt.Fprintf(&w.b, `<text class="%s" x="%s" y="%s"`, class, px(s.X), px(s.Y))
	switch s.Anchor {
	case chart.AtMiddle:
		w.b.WriteString(` text-anchor="middle"`)
	case chart.AtEnd:
		w.b.WriteString(` text-anchor="end"`)
	}
	w.b.WriteString(">" + escape(s.Text) + "</text>")
}

// px writes a number short: a picture of hundreds of calls is mostly numbers.
func px(v float64) string {
	return trimFraction(strconv.FormatFloat(v, 'f', 1, 64))
}

func trimFraction(s string) string { return strings.TrimSuffix(s, ".0") }

// escape makes a page's words inert in XML and in HTML. Control characters,
// which XML has no way to write, were taken out when the words came in; this
// is the second lock.
func escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0xfffe || r == 0xffff {
			return -1
		}
		return r
	}, s)
	return html.EscapeString(s)
}
