// Command page measures what Oriel costs a page in Chromium, against the same
// page served direct and through a bare reverse proxy, interleaved; medians of
// what each page adds over the direct one, read 1.5 s after the load event by
// the browser's own Performance.getMetrics. Processor time is the page's own
// thread time, so a busy machine disturbs it little; -wall takes the clock's.
//
//	go run ./bench/page [-n 15] [-only first|cached|calls] [-wall] [-scripted]
//	go run ./bench/page -serve     the three ways to the page, for another browser
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
)

func main() {
	n := flag.Int("n", 15, "rounds")
	only := flag.String("only", "", "measure only first visits, cached ones, or calls")
	wall := flag.Bool("wall", false, "wall time instead of processor time")
	scripted := flag.Bool("scripted", false, "the page has a script of its own, as most have")
	serve := flag.Bool("serve", false, "only serve, until interrupted")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *n, *only, *wall, *serve, *scripted); err != nil {
		fmt.Fprintln(os.Stderr, "page:", err)
		os.Exit(1)
	}
}

// row is one measured quantity.
type row struct {
	name string
	of   func(cost) float64
	unit string
}

var rows = []row{
	{"script CPU", func(c cost) float64 { return c.script }, "ms"},
	{"task CPU", func(c cost) float64 { return c.task }, "ms"},
	{"DOMContentLoaded", func(c cost) float64 { return c.dcl }, "ms"},
	{"heap", func(c cost) float64 { return c.heap / 1e6 }, "MB"},
	{"heap after GC", func(c cost) float64 { return c.clean / 1e6 }, "MB"},
	{"5,000 DOM insertions, CPU", func(c cost) float64 { return c.insert }, "ms"},
}

func run(ctx context.Context, rounds int, only string, wall, serve, scripted bool) error {
	w, err := newWorld(ctx, !serve, scripted)
	if err != nil {
		return err
	}
	defer w.close()
	w.wall = wall
	if serve {
		for _, way := range w.ways {
			fmt.Println(way.name, way.url)
		}
		<-ctx.Done()
		return nil
	}
	for _, kind := range []string{"first", "cached"} {
		if only != "" && only != kind {
			continue
		}
		if err := w.compare(kind, rounds); err != nil {
			return err
		}
	}
	fmt.Printf("bytes added to the document: %d; agent %d bytes gzipped\n", w.added(), w.agent())
	if only != "" && only != "calls" {
		return nil
	}
	if err := w.calls(); err != nil {
		return err
	}
	return w.exec(rounds)
}

// warmUps is how many rounds come before those that count: the browser keeps
// compiled code from the second or third visit on.
const warmUps = 3

// compare visits the page in every way in turn and prints the medians.
func (w *world) compare(kind string, rounds int) error {
	fresh := kind == "first"
	skip := warmUps
	if fresh {
		skip = 1
	}
	all := make([][]cost, len(w.ways))
	for round := range rounds + skip {
		for turn := range w.ways {
			i := (round + turn) % len(w.ways) // none always follows the same
			way := w.ways[i]
			c, err := w.visit(way.url, fresh)
			if err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
			all[i] = append(all[i], c)
		}
	}
	fmt.Printf("%-28s", kind+" visits")
	for _, way := range w.ways {
		fmt.Printf("%16s", way.name)
	}
	fmt.Println()
	for _, r := range rows {
		fmt.Printf("%-28s", r.name)
		base := median(all[0][skip:], r.of)
		for i := range w.ways {
			m := median(all[i][skip:], r.of)
			if i == 0 {
				fmt.Printf("%13.2f %s", m, r.unit)
			} else {
				fmt.Printf("%13s %s", fmt.Sprintf("%+.2f", m-base), r.unit)
			}
		}
		if bare, ours := median(all[1][skip:], r.of), median(all[2][skip:], r.of); bare > 0 {
			fmt.Printf("   %.2f × bare", ours/bare)
		}
		fmt.Println()
	}
	return nil
}

func median(all []cost, of func(cost) float64) float64 {
	values := make([]float64, len(all))
	for i, c := range all {
		values[i] = of(c)
	}
	slices.Sort(values)
	return values[len(values)/2]
}
