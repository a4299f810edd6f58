// Command page measures what Oriel costs a page in Chromium, against the same
// page served direct and through a bare reverse proxy, interleaved; medians of
// what each page adds over the direct one. Processor time is the page's own
// thread time, so a busy machine disturbs it little.
//
//	go run ./bench/page [-n 15]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
)

func main() {
	n := flag.Int("n", 15, "rounds")
	flag.Parse()
	if err := run(context.Background(), *n); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

// row is one measured quantity, its name and how far it may go over direct.
type row struct {
	name string
	of   func(cost) float64
	unit string
}

var rows = []row{
	{"script CPU", func(c cost) float64 { return c.script }, "ms"},
	{"script CPU with idle work", func(c cost) float64 { return c.scriptAll }, "ms"},
	{"task CPU", func(c cost) float64 { return c.task }, "ms"},
	{"DOMContentLoaded", func(c cost) float64 { return c.dcl }, "ms"},
	{"heap after GC", func(c cost) float64 { return c.heap / 1e6 }, "MB"},
	{"5,000 DOM insertions, CPU", func(c cost) float64 { return c.insert }, "ms"},
}

func run(ctx context.Context, rounds int) error {
	w, err := newWorld(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	all := make([][]cost, len(w.ways))
	for range rounds + 1 {
		for i, way := range w.ways {
			c, err := w.visit(way.url)
			if err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
			all[i] = append(all[i], c)
		}
	}
	fmt.Printf("%-28s", "")
	for _, way := range w.ways {
		fmt.Printf("%16s", way.name)
	}
	fmt.Println()
	for _, r := range rows {
		fmt.Printf("%-28s", r.name)
		base := median(all[0][1:], r.of) // the first round warms the caches
		for i := range w.ways {
			m := median(all[i][1:], r.of)
			if i == 0 {
				fmt.Printf("%13.2f %s", m, r.unit)
			} else {
				fmt.Printf("%13s %s", fmt.Sprintf("%+.2f", m-base), r.unit)
			}
		}
		if bare, ours := median(all[1][1:], r.of), median(all[2][1:], r.of); bare > 0 {
			fmt.Printf("   %.2f × bare", ours/bare)
		}
		fmt.Println()
	}
	fmt.Printf("bytes added to the document: %d; agent %d bytes gzipped\n", w.added(), w.agent())
	if err := w.calls(); err != nil {
		return err
	}
	return w.exec(rounds)
}

func median(all []cost, of func(cost) float64) float64 {
	values := make([]float64, len(all))
	for i, c := range all {
		values[i] = of(c)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
