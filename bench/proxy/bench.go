// Package main measures the proxy against Go's bare httputil.ReverseProxy, in
// one run, with everything recorded. Rounds alternate between the two, so that
// a busy machine is busy for both; what counts is the middle of the ratios of
// neighbouring rounds.
//
// Run it with: go run ./bench/proxy [-only json]
//
// Target, load and each proxy are processes of their own: the CPU time per
// request is that of the proxy alone.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"runtime/pprof"
	"time"
)

func main() {
	role := flag.String("role", "", "internal: target, bare or oriel")
	target := flag.String("target", "", "internal: URL of the target")
	round := flag.Duration("round", 300*time.Millisecond, "length of one round")
	rounds := flag.Int("rounds", 7, "rounds per case and proxy")
	profile := flag.String("profile", "", "write a CPU profile of the proxy to this file")
	only := flag.String("only", "", "run the cases whose name contains this")
	flag.Parse()
	switch *role {
	case "":
	case "target":
		serveTarget()
		return
	default:
		if err := profiled(*profile, func() { serveProxy(*role, *target) }); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := compare(*round, *rounds, *only, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// profiled runs f, under the profiler when there is a file to write to.
func profiled(file string, f func()) error {
	if file == "" {
		f()
		return nil
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := pprof.StartCPUProfile(out); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	f()
	return nil
}
