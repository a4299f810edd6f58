// Command audit measures what the API audit costs: in a page that made a
// thousand real calls through the proxy, on ten thousand records fed to the
// detectors in that page, and on a HAR file of as many without a browser; what
// recording adds to one call; and what all eight audits of a page of 2,000
// elements take. First runs count: that is what a person or
// an assistant gets, before the browser has compiled anything.
//
//	go run ./bench/audit [-n 9]
//
// Beside the wall clock stands the processor time of the page's thread, which a
// busy machine disturbs less.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
)

func main() {
	n := flag.Int("n", 9, "rounds")
	flag.Parse()
	if err := run(context.Background(), *n); err != nil {
		fmt.Fprintln(os.Stderr, "audit:", err)
		os.Exit(1)
	}
}

// row is one measured quantity with the most it may be.
type row struct {
	name, unit string
	bar        float64 // 0: none
	values     []float64
}

func run(ctx context.Context, rounds int) error {
	w, err := newWorld(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	var all []sample
	var looks []whole
	for range rounds {
		s, err := w.visit()
		if err != nil {
			return err
		}
		l, err := w.look()
		if err != nil {
			return err
		}
		all, looks = append(all, s), append(looks, l)
	}
	archives, err := archives(rounds)
	if err != nil {
		return err
	}
	of := func(value func(sample) float64) []float64 { return each(all, value) }
	seen := func(value func(whole) float64) []float64 { return each(looks, value) }
	print([]row{
		{"audit of 1,000 calls, first", "ms", 10, of(func(s sample) float64 { return s.First })},
		{"  of it processor time", "ms", 0, of(func(s sample) float64 { return s.FirstCPU })},
		{"  of it reading the buffer", "ms", 0, of(func(s sample) float64 { return s.Read })},
		{"audit of 1,000 calls, later", "ms", 10, of(func(s sample) float64 { return s.Later })},
		{"1,000 made-up records, first", "ms", 10, of(func(s sample) float64 { return s.Small })},
		{"10,000 made-up records, first", "ms", 150, of(func(s sample) float64 { return s.Big })},
		{"10,000 made-up records, later", "ms", 150, of(func(s sample) float64 { return s.BigLater })},
		{"growth, both settled", "×", 13, of(func(s sample) float64 { return s.BigLater / s.SmallLater })},
		{"HAR of 1,000 calls", "ms", 0, archives[0]},
		{"HAR of 10,000 calls", "ms", 1000, archives[1]},
		{"recording one call, added", "µs", 40, of(func(s sample) float64 { return s.Recording })},
		{"  of it processor time", "µs", 0, of(func(s sample) float64 { return s.RecordingCPU })},
		{"  a native fetch of a data: URL", "µs", 0, of(func(s sample) float64 { return s.Native })},
		{"all audits of many elements", "ms", 2000, seen(func(l whole) float64 { return l.Ms })},
		{"  of it axe-core", "ms", 0, seen(func(l whole) float64 { return l.Axe })},
		{"  processor time", "ms", 0, seen(func(l whole) float64 { return l.CPU })},
		{"  longest task", "ms", 200, seen(func(l whole) float64 { return l.Longest })},
		{"  elements", " ", 0, seen(func(l whole) float64 { return l.Elements })},
	})
	return nil
}

func each[T any](all []T, value func(T) float64) []float64 {
	values := make([]float64, len(all))
	for i, s := range all {
		values[i] = value(s)
	}
	return values
}

func print(rows []row) {
	fmt.Printf("%-34s%12s%10s%10s\n", "", "median", "least", "bar")
	for _, r := range rows {
		slices.Sort(r.values)
		bar := ""
		if r.bar > 0 {
			bar = fmt.Sprintf("%g %s", r.bar, r.unit)
		}
		fmt.Printf("%-34s%9.1f %s%10.1f%10s\n", r.name, r.values[len(r.values)/2], r.unit, r.values[0], bar)
	}
}
