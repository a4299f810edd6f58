package paint

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"strings"
	"testing"

	"oriel/internal/audit"
	"oriel/internal/report/chart"
)

var update = flag.Bool("update", false, "write the golden files")

func shop(t *testing.T) chart.Input {
	t.Helper()
	data, err := os.ReadFile("../testdata/shop.json")
	if err != nil {
		t.Fatal(err)
	}
	var page struct {
		chart.Input
		Audits []audit.Report
	}
	if err := json.Unmarshal(data, &page); err != nil {
		t.Fatal(err)
	}
	page.Report = page.Audits[0]
	return page.Input
}

func TestGolden(t *testing.T) {
	got := StandaloneSVG(chart.New(shop(t), chart.Screen))
	const file = "testdata/shop.svg"
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the picture differs from %s (go test -update writes it)", file)
	}
}

// elements reads a document as strict XML and lists what is in it.
func elements(t *testing.T, doc []byte) []xml.StartElement {
	t.Helper()
	var all []xml.StartElement
	d := xml.NewDecoder(bytes.NewReader(doc))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok {
			all = append(all, e.Copy())
		}
	}
}

func TestHostileWords(t *testing.T) {
	const attack = `"></title></script><img src=x onerror=alert(1)>` + "\x00\x1b]0;x\x07\u202e\ufffe" + `&{{.}}<![CDATA[ ]]>`
	end := 50.0
	in := chart.Input{
		Page:  "https://a.test/" + attack,
		Calls: []chart.Call{{ID: attack, Method: attack, URL: "https://b.test/" + attack, Start: 1, End: &end, Error: attack}, {ID: "c2", Method: "GET", URL: attack, Start: 2, End: &end}},
	}
	in.Report.Findings = []audit.Finding{{
		ID: "waterfall-1", Type: "waterfall", Selector: attack, Message: attack, Calls: []string{attack, "c2"},
		Initiator: &audit.Initiator{File: attack, Function: attack},
	}}
	p := chart.New(in, chart.Screen)
	known := map[string]bool{"svg": true, "title": true, "desc": true, "style": true, "defs": true, "pattern": true, "g": true, "a": true, "rect": true, "circle": true, "path": true, "text": true}
	for _, doc := range [][]byte{SVG(p), StandaloneSVG(p)} {
		for _, e := range elements(t, doc) {
			if !known[e.Name.Local] {
				t.Errorf("element %s", e.Name.Local)
			}
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || (a.Name.Local == "href" && !strings.HasPrefix(a.Value, "#")) || a.Name.Local == "src" {
					t.Errorf("attribute %s=%q", a.Name.Local, a.Value)
				}
			}
		}
	}
	if _, err := PNG(p); err != nil {
		t.Error(err)
	}
}

func TestPNG(t *testing.T) {
	many := chart.Input{Page: "https://a.test/"}
	for i := range 1000 {
		end := float64(i*7 + 30 + i%40)
		many.Calls = append(many.Calls, chart.Call{ID: fmt.Sprintf("c%d", i), Method: "GET", URL: fmt.Sprintf("https://a.test/api/items/%d?q=ü", i), Start: float64(i * 7), End: &end, Status: 200 + i%2*300})
	}
	for i := range 12 {
		f := audit.Finding{ID: fmt.Sprintf("n-plus-one-%d", i), Type: "n-plus-one", Message: "12× /api/items/{id} → batch", Initiator: &audit.Initiator{File: "src/list.tsx", Line: 4, Function: "load"}}
		for j := range 20 {
			f.Calls = append(f.Calls, fmt.Sprintf("c%d", i*50+j))
		}
		many.Report.Findings = append(many.Report.Findings, f)
	}
	for name, in := range map[string]chart.Input{"shop": shop(t), "many": many, "none": {}} {
		data, err := PNG(chart.New(in, chart.Glance))
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %v, %d bytes", name, img.Bounds().Max, len(data))
		if len(data) > 60<<10 || img.Bounds().Dx() != 1000 || img.Bounds().Dy() > 1400 {
			t.Errorf("%s: %v, %d bytes", name, img.Bounds().Max, len(data))
		}
	}
}

// TestPNGShowsTheBars reads the picture back: a failed call is a red box where
// the layout put it.
func TestPNGShowsTheBars(t *testing.T) {
	p := chart.New(shop(t), chart.Glance)
	data, err := PNG(p)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, s := range p.Shapes {
		if s.Kind != chart.Box || s.H != 12 || s.W < 4 {
			continue
		}
		r, g, b, _ := img.At(int(s.X+s.W-2), int(s.Y+2)).RGBA()
		want := shades[s.Role].light
		if uint8(r>>8) == want.R && uint8(g>>8) == want.G && uint8(b>>8) == want.B {
			seen++
		}
	}
	if seen < 20 {
		t.Errorf("only %d bars are where they should be", seen)
	}
}

// TestTypeface: every character of an address has a shape of its own.
func TestTypeface(t *testing.T) {
	shapes := map[string]rune{}
	for r := '!'; r <= '~'; r++ {
		text, ok := strokes[r]
		if !ok {
			t.Errorf("no %q", r)
			continue
		}
		if other, twice := shapes[text]; twice {
			t.Errorf("%q looks like %q", r, other)
		}
		shapes[text] = r
		for _, s := range outline(r) {
			if max(s.x0, s.x1) > 5 || max(s.y0, s.y1) > 11 {
				t.Errorf("%q leaves its cell: %+v", r, s)
			}
		}
	}
	if len(outline(' ')) != 0 || len(outline('語')) == 0 {
		t.Error("a space has ink, or an unknown character has none")
	}
}

// TestContrast goes by the ratio that accessibility rules use.
func TestContrast(t *testing.T) {
	light := func(c [3]uint8) float64 {
		sum := 0.0
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			v := float64(c[i]) / 255
			if v <= 0.03928 {
				v /= 12.92
			} else {
				v = pow24((v + 0.055) / 1.055)
			}
			sum += weight * v
		}
		return sum
	}
	for _, r := range []chart.Role{chart.Ink, chart.Faint, chart.Load, chart.Bad, chart.Chain, chart.Fan, chart.Twin, chart.Could} {
		for _, ground := range []chart.Role{chart.Paper, chart.Stripe, chart.Window} {
			for i, pair := range [][2][3]uint8{
				{{shades[r].light.R, shades[r].light.G, shades[r].light.B}, {shades[ground].light.R, shades[ground].light.G, shades[ground].light.B}},
				{{shades[r].dark.R, shades[r].dark.G, shades[r].dark.B}, {shades[ground].dark.R, shades[ground].dark.G, shades[ground].dark.B}},
			} {
				a, b := light(pair[0]), light(pair[1])
				if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4.3 {
					t.Errorf("%s on %s (%d): contrast %.1f", r, ground, i, ratio)
				}
			}
		}
	}
}

func pow24(v float64) float64 { return math.Pow(v, 2.4) }
