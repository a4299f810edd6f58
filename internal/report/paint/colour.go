package paint

import (
	"image/color"

	"oriel/internal/report/chart"
)

// shade is a role's colour on light and on dark paper.
type shade struct{ light, dark color.RGBA }

func rgb(v uint32) color.RGBA {
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 255}
}

// roles in a fixed order, so that what is written is the same every time.
var roles = []chart.Role{chart.Ink, chart.Faint, chart.Grid, chart.Window, chart.Load, chart.OK, chart.Bad, chart.Gone, chart.Live, chart.Chain, chart.Fan, chart.Twin, chart.Could, chart.Paper, chart.Stripe}

// Words keep a contrast of 4.5 to 1 against the paper in both; bars of 3 to 1.
var shades = map[chart.Role]shade{
	chart.Ink:    {rgb(0x1b2230), rgb(0xe8ebf1)},
	chart.Faint:  {rgb(0x5f6b7e), rgb(0x9aa5b8)},
	chart.Grid:   {rgb(0xe4e8ef), rgb(0x2b323f)},
	chart.Window: {rgb(0xfff7e0), rgb(0x25221a)},
	chart.Load:   {rgb(0x8a5a00), rgb(0xe8b84a)},
	chart.OK:     {rgb(0x4f7fe0), rgb(0x6f9bf5)},
	chart.Bad:    {rgb(0xd13b3b), rgb(0xf47067)},
	chart.Gone:   {rgb(0x8b95a5), rgb(0x77839a)},
	chart.Live:   {rgb(0x8fb0f0), rgb(0x4a69a8)},
	chart.Chain:  {rgb(0xb45309), rgb(0xf5a524)},
	chart.Fan:    {rgb(0x7c3aed), rgb(0xb197fc)},
	chart.Twin:   {rgb(0x0b7a75), rgb(0x2dd4bf)},
	chart.Could:  {rgb(0x15803d), rgb(0x4ade80)},
	chart.Paper:  {rgb(0xffffff), rgb(0x161a21)},
	chart.Stripe: {rgb(0xf6f8fb), rgb(0x1c212a)},
}
