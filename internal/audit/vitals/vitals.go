// Package vitals puts the values of a performance report into words.
package vitals

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Value is one metric, ready to be shown.
type Value struct{ Name, Text string }

// order is that of a page's life.
var order = []string{"ttfb", "fcp", "lcp", "tbt", "inp", "cls"}

// Words are the metrics that are known here, in the order of a page's life;
// others are left out. Times are in ms, CLS is a share.
func Words(metrics map[string]float64) []Value {
	var out []Value
	for _, name := range order {
		v, ok := metrics[name]
		if !ok {
			continue
		}
		text := fmt.Sprintf("%.0f ms", v)
		switch {
		case name == "cls":
			text = strconv.FormatFloat(math.Round(v*1000)/1000, 'f', -1, 64)
		case v >= 10_000:
			text = fmt.Sprintf("%.1f s", v/1000)
		}
		out = append(out, Value{strings.ToUpper(name), text})
	}
	return out
}

// Line is all of them on one line; empty when there are none.
func Line(metrics map[string]float64) string {
	var parts []string
	for _, v := range Words(metrics) {
		parts = append(parts, v.Name+" "+v.Text)
	}
	return strings.Join(parts, ", ")
}
