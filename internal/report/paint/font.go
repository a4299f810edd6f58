package paint

import (
	"math"
	"strings"

	"oriel/internal/report/chart"
)

// strokes is a small typeface, drawn with a pen of one width: per character
// the strokes, apart by commas, each a row of points, each a column of 0 to 8
// and a line of 0 to g. Capitals stand from line 0 to c, small letters rise to
// 4, tails hang to g. A point on its own is a dot.
var strokes = map[rune]string{
	'A': "0c 40 8c,18 78", 'B': "0c 00 50 71 82 84 75 56 06,56 77 88 8a 7b 5c 0c", 'C': "82 60 20 02 0a 2c 6c 8a", 'D': "00 0c 4c 7a 88 84 72 40 00",
	'E': "80 00 0c 8c,06 66", 'F': "80 00 0c,06 66", 'G': "82 60 20 02 0a 2c 6c 8a 87 57", 'H': "00 0c,80 8c,06 86",
	'I': "10 70,40 4c,1c 7c", 'J': "70 7a 5c 2c 0a", 'K': "00 0c,80 07,25 8c", 'L': "00 0c 8c",
	'M': "0c 00 47 80 8c", 'N': "0c 00 8c 80", 'O': "20 02 0a 2c 6c 8a 82 60 20", 'P': "0c 00 60 82 84 66 06",
	'Q': "20 02 0a 2c 6c 8a 82 60 20,58 8d", 'R': "0c 00 60 82 84 66 06,46 8c", 'S': "82 60 20 02 04 26 66 88 8a 6c 2c 0a", 'T': "00 80,40 4c",
	'U': "00 0a 2c 6c 8a 80", 'V': "00 4c 80", 'W': "00 2c 45 6c 80", 'X': "00 8c,80 0c", 'Y': "00 46 80,46 4c", 'Z': "00 80 0c 8c",
	'a': "15 34 54 76 7c,78 28 09 0a 1c 4c 7a", 'b': "00 0c,06 24 64 86 8a 6c 2c 0a", 'c': "76 54 24 06 0a 2c 5c 7a", 'd': "80 8c,86 64 24 06 0a 2c 6c 8a",
	'e': "08 88 86 64 24 06 0a 2c 6c 8b", 'f': "70 50 32 3c,14 64", 'g': "84 8e 6g 2g 0f,86 64 24 06 0a 2c 6c 8a", 'h': "00 0c,06 24 64 86 8c",
	'i': "24 44 4c,1c 7c,41", 'j': "34 54 5e 3g 1g,51", 'k': "00 0c,74 09,27 7c", 'l': "20 40 4a 5c 7c",
	'm': "0c 04,06 14 34 46 4c,46 54 74 86 8c", 'n': "04 0c,06 24 64 86 8c", 'o': "24 06 0a 2c 6c 8a 86 64 24", 'p': "04 0g,06 24 64 86 8a 6c 2c 0a",
	'q': "84 8g,86 64 24 06 0a 2c 6c 8a", 'r': "14 1c,17 34 64 76", 's': "86 64 24 06 28 68 8a 6c 2c 0a", 't': "31 3a 5c 7c,14 74",
	'u': "04 0a 2c 6c 8a,84 8c", 'v': "04 4c 84", 'w': "04 2c 47 6c 84", 'x': "04 8c,84 0c", 'y': "04 4c,84 3f 1g 0g", 'z': "04 84 0c 8c",
	'0': "20 02 0a 2c 6c 8a 82 60 20,39 53", '1': "13 40 4c,1c 7c", '2': "02 20 60 82 84 0c 8c", '3': "02 20 60 82 84 66 36,66 88 8a 6c 2c 0a",
	'4': "6c 60 09 89", '5': "80 10 05 55 87 8a 6c 2c 0a", '6': "70 40 13 07 0a 2c 6c 8a 88 66 26 08", '7': "00 80 3c",
	'8': "26 04 02 20 60 82 84 66 26 08 0a 2c 6c 8a 88 66", '9': "1c 4c 79 85 82 60 20 02 04 26 66 84",
	'!': "40 48,4c", '"': "20 23,60 63", '#': "30 1c,70 5c,04 84,08 88", '$': "82 61 21 02 04 26 66 88 8a 6b 2b 0a,40 4c",
	'%': "80 0c,11 21 22 12 11,6a 7a 7b 6b 6a", '&': "8c 23 22 30 50 62 63 08 0a 1c 4c 88", '\'': "40 43", '(': "60 33 39 6c", ')': "20 53 59 2c",
	'*': "42 48,23 67,63 27", '+': "43 4b,07 87", ',': "4b 4c 3e", '-': "17 77", '.': "4c", '/': "80 0c", ':': "45,4c", ';': "45,4b 4c 3e",
	'<': "73 17 7b", '=': "15 75,19 79", '>': "13 77 1b", '?': "02 20 60 82 84 47 48,4c", '@': "6a 4a 28 26 44 64 6a 8a 84 70 30 03 09 3c 7c",
	'[': "60 30 3c 6c", '\\': "00 8c", ']': "20 50 5c 2c", '^': "13 40 73", '_': "0d 8d", '`': "30 52",
	'{': "60 41 45 26 47 4b 6c", '|': "40 4e", '}': "20 41 45 66 47 4b 2c", '~': "08 26 37 58 78 86",
	'×': "15 7b,75 1b", '…': "1c,4c,7c", '→': "07 87,54 87 5a", '—': "07 87", '·': "47", '↳': "11 18 78,55 78 5b", '−': "07 87",
}

// unknown stands for a character that the typeface does not have.
const unknown = "00 80 8c 0c 00"

// segment is a straight piece of a stroke, in pixels from the upper left of
// the character.
type segment struct{ x0, y0, x1, y1 float64 }

// capHeight is how tall a capital is, in pixels.
const capHeight = 8.0

// outline is a character as segments.
func outline(r rune) []segment {
	text, ok := strokes[r]
	if !ok && r > ' ' && r != '\u00a0' {
		text = unknown
	}
	const scaleX, scaleY = 5.0 / 8, capHeight / 12
	var out []segment
	for stroke := range strings.SplitSeq(text, ",") {
		var points []chart.Point
		for p := range strings.FieldsSeq(stroke) {
			points = append(points, chart.Point{X: digit(p[0]) * scaleX, Y: digit(p[1]) * scaleY})
		}
		if len(points) == 1 {
			points = append(points, points[0])
		}
		for i := 1; i < len(points); i++ {
			out = append(out, segment{points[i-1].X, points[i-1].Y, points[i].X, points[i].Y})
		}
	}
	return out
}

func digit(c byte) float64 {
	if c >= 'a' {
		return float64(c-'a') + 10
	}
	return float64(c - '0')
}

// away is how far a place is from a segment.
func (s segment) away(x, y float64) float64 {
	dx, dy := s.x1-s.x0, s.y1-s.y0
	t := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		t = max(0, min(1, ((x-s.x0)*dx+(y-s.y0)*dy)/length))
	}
	return math.Hypot(x-s.x0-t*dx, y-s.y0-t*dy)
}
