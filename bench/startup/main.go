// Command startup measures what an editor waits for: from spawning `oriel mcp`
// to the answer of tools/list, with a daemon running, with one that has to be
// started, and without; then the first tool call, the size of the list, and
// memory. Medians; the machine's noise is in the spread.
//
//	go run ./bench/startup [-n 30] bin/oriel
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	n := flag.Int("n", 30, "runs of each kind")
	flag.Parse()
	binary := "bin/oriel"
	if flag.NArg() > 0 {
		binary = flag.Arg(0)
	}
	if err := measure(binary, *n); err != nil {
		fmt.Fprintln(os.Stderr, "startup:", err)
		os.Exit(1)
	}
}

// sample is one spawned server's figures.
type sample struct {
	list  time.Duration // spawn to tools/list
	call  time.Duration // spawn to the first tool's answer
	bytes int           // of the tools/list answer
	rss   int           // KB, of the server
}

func measure(binary string, n int) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "ob")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	env := append(os.Environ(), "ORIEL_HOME="+filepath.Join(home, "h"))
	stop := func() {
		cmd := exec.Command(binary, "daemon", "stop")
		cmd.Env = env
		cmd.Run()
	}
	defer stop()
	fmt.Printf("%-34s %12s %12s %10s %10s\n", "", "tools/list", "first call", "list", "memory")
	for _, kind := range []struct {
		name   string
		args   []string
		before func()
	}{
		{"daemon running", []string{"mcp"}, func() {}},
		{"daemon has to be started", []string{"mcp"}, stop},
		{"no daemon", []string{"mcp", "--no-daemon"}, func() {}},
	} {
		var all []sample
		for range n {
			kind.before()
			s, err := spawn(binary, env, home, kind.args)
			if err != nil {
				return fmt.Errorf("%s: %w", kind.name, err)
			}
			all = append(all, s)
		}
		fmt.Printf("%-34s %12s %12s %8d B %7.1f MB\n", kind.name,
			median(all, func(s sample) time.Duration { return s.list }),
			median(all, func(s sample) time.Duration { return s.call }), all[0].bytes, float64(all[len(all)-1].rss)/1024)
	}
	return nil
}

func median(all []sample, of func(sample) time.Duration) string {
	values := make([]time.Duration, len(all))
	for i, s := range all {
		values[i] = of(s)
	}
	slices.Sort(values)
	return fmt.Sprintf("%.1f ms", float64(values[len(values)/2].Microseconds())/1000)
}

func spawn(binary string, env []string, dir string, args []string) (sample, error) {
	var s sample
	cmd := exec.Command(binary, args...)
	cmd.Env, cmd.Dir, cmd.Stderr = env, dir, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return s, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return s, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return s, err
	}
	defer cmd.Wait()
	defer in.Close()
	lines := bufio.NewReaderSize(out, 1<<20)
	ask := func(line string) ([]byte, error) {
		if _, err := fmt.Fprintln(in, line); err != nil {
			return nil, err
		}
		return lines.ReadBytes('\n')
	}
	if _, err := ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`); err != nil {
		return s, err
	}
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	list, err := ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if err != nil {
		return s, err
	}
	s.list, s.bytes = time.Since(began), len(list)
	answer, err := ask(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"proc","arguments":{}}}`)
	if err != nil {
		return s, err
	}
	s.call = time.Since(began)
	if !json.Valid(answer) || strings.Contains(string(answer), `"isError":true`) {
		return s, fmt.Errorf("the first call failed: %s", answer)
	}
	s.rss = residentKB(cmd.Process.Pid)
	return s, nil
}

func residentKB(pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(status), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0])
			return n
		}
	}
	return 0
}
