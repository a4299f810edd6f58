package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

const (
	fetchHead = "\nHost: HOST\nAccept: */*\nAccept-Encoding: gzip, deflate, br, zstd\nAccept-Language: en\nCookie: sid=0123456789abcdef; theme=dark\n" +
		"Sec-Fetch-Dest: empty\nSec-Fetch-Mode: cors\nSec-Fetch-Site: same-origin\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36\n\n"
	pageHead = "\nHost: HOST\nAccept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\nAccept-Encoding: gzip, deflate, br, zstd\nAccept-Language: en\n" +
		"Sec-Fetch-Dest: document\nSec-Fetch-Mode: navigate\nSec-Fetch-Site: none\nSec-Fetch-User: ?1\nUpgrade-Insecure-Requests: 1\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36\n\n"
)

type scenario struct {
	name  string
	conns int
	load  load
	floor float64 // throughput against the bare proxy's
	cpu   float64 // processor time per answer against the bare proxy's; 0: no bar
}

var scenarios = []scenario{
	{"json 1 KB, 32 connections", 32, requests("GET /json HTTP/1.1" + fetchHead), 1.0, 1.15},
	{"json 1 KB, 1 connection", 1, requests("GET /json HTTP/1.1" + fetchHead), 1.0, 1.15},
	{"json post, 32 connections", 32, requests("POST /post HTTP/1.1" + strings.Replace(fetchHead, "\n\n", "\nContent-Type: application/json\nContent-Length: 13\n\n", 1) + `{"a":"b12345"`), 1.0, 1.15},
	{"html 20 KB, 32 connections", 32, requests("GET /html HTTP/1.1" + pageHead), 0.9, 1.15},
	{"html 200 KB, identity or gzip", 32, requests("GET /either HTTP/1.1" + pageHead), 0.9, 1.15},
	{"html 200 KB, always gzip", 32, requests("GET /gzip HTTP/1.1" + pageHead), 0.12, 0},
	{"file 5 MB, 32 connections", 32, requests("GET /file HTTP/1.1" + fetchHead), 1.0, 1.15},
	{"websocket 100 B, 1 connection", 1, messages(100), 1.0, 1.15},
	{"websocket 100 B, 32 connections", 32, messages(100), 1.0, 1.15},
	{"websocket 100 B, 64 connections", 64, messages(100), 1.0, 1.15},
	{"websocket 16 KB, 1 connection", 1, messages(16 << 10), 1.0, 1.15},
	{"websocket 16 KB, 8 connections", 8, messages(16 << 10), 1.0, 1.15},
	{"websocket 16 KB, 64 connections", 64, messages(16 << 10), 1.0, 1.15},
	{"websocket flood down, 100 B", 1, flood(100), 1.0, 1.15},
	{"websocket flood down, 16 KB", 1, flood(16 << 10), 1.0, 1.15},
	{"websocket flood up, 16 KB", 1, pour(16 << 10), 1.0, 1.15},
}

// child is a process of this program in another role.
type child struct {
	cmd  *exec.Cmd
	in   io.Closer
	base string
}

func spawn(args ...string) (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %v: %w", args, err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("start %v: %w", args, err)
	}
	return &child{cmd: cmd, in: in, base: strings.TrimSpace(line)}, nil
}

func (c *child) stop() {
	c.in.Close()
	c.cmd.Wait()
}

func compare(round time.Duration, rounds int, only, profile string) error {
	target, err := spawn("-role", "target")
	if err != nil {
		return err
	}
	defer target.stop()
	var proxies [2]*child
	for i, role := range []string{"bare", "oriel"} {
		args := []string{"-role", role, "-target", target.base}
		if role == "oriel" {
			args = append(args, "-profile", profile)
		}
		if proxies[i], err = spawn(args...); err != nil {
			return err
		}
		defer proxies[i].stop()
	}
	fmt.Printf("%-34s %9s %9s %7s %5s  %17s %7s  %15s\n", "", "bare/s", "oriel/s", "ratio", "bar", "cpu µs", "ratio", "p50 µs   middle half")
	for _, s := range scenarios {
		if !strings.Contains(s.name, only) {
			continue
		}
		if err := measure(s, proxies, round, rounds); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if strings.Contains("download", only) {
		if err := download(proxies[1].base); err != nil {
			return err
		}
	}
	if strings.Contains("soak", only) {
		return soak(proxies[1].base)
	}
	return nil
}

// soak sends 100,000 requests and says what the proxy's memory does.
func soak(base string) error {
	load := requests("GET /json HTTP/1.1" + fetchHead)
	n, marks := 0, []string{}
	for _, goal := range []int{0, 25_000, 50_000, 75_000, 100_000} {
		for n < goal {
			out, err := load(base, 32, 500*time.Millisecond)
			if err != nil {
				return err
			}
			n += out.n
		}
		u, err := usageOf(base)
		if err != nil {
			return err
		}
		marks = append(marks, fmt.Sprintf("%d: %.0f MB", n, float64(u.RSS)/(1<<20)))
	}
	fmt.Printf("memory with a full journal, after requests: %s\n", strings.Join(marks, ", "))
	return nil
}

// measure runs one scenario in turns and prints its line.
func measure(s scenario, proxies [2]*child, round time.Duration, rounds int) error {
	var rates, cpus, p50 [2][]float64
	for i := range rounds + 1 {
		for j := range proxies {
			side := (j + i) % 2
			before, err := usageOf(proxies[side].base)
			if err != nil && side == 1 {
				return err
			}
			out, err := s.load(proxies[side].base, s.conns, round)
			if err != nil {
				return err
			}
			after, err := usageOf(proxies[side].base)
			if err != nil && side == 1 {
				return err
			}
			if i == 0 {
				continue // to warm up
			}
			rates[side] = append(rates[side], out.rate)
			cpus[side] = append(cpus[side], float64((after.CPU-before.CPU).Microseconds())/float64(max(1, out.n)))
			p50[side] = append(p50[side], float64(out.p50.Microseconds()))
		}
	}
	rate, cpu := paired(rates), paired(cpus)
	verdict := ""
	if rate < s.floor || s.cpu > 0 && cpu > s.cpu {
		verdict = "  BELOW"
	}
	low, high := spread(rates)
	fmt.Printf("%-34s %9.0f %9.0f %6.2fx %5.2f  %8.1f %8.1f %6.2fx  %7.0f %7.0f  %.2f to %.2f%s\n", s.name, median(rates[0]), median(rates[1]), rate, s.floor,
		median(cpus[0]), median(cpus[1]), cpu, median(p50[0]), median(p50[1]), low, high, verdict)
	return nil
}

// paired is the middle of the ratios of rounds that stood side by side, so
// that what else the machine did in the meantime counts for both.
func paired(v [2][]float64) float64 { return median(ratios(v)) }

// spread is where the middle half of those ratios lies.
func spread(v [2][]float64) (low, high float64) {
	r := slices.Sorted(slices.Values(ratios(v)))
	if len(r) == 0 {
		return 0, 0
	}
	return r[len(r)/4], r[len(r)*3/4]
}

func ratios(v [2][]float64) []float64 {
	var out []float64
	for i := range v[0] {
		out = append(out, v[1][i]/v[0][i])
	}
	return out
}

// download fetches 500 MB and says what that added to the proxy's memory.
func download(base string) error {
	before, err := usageOf(base)
	if err != nil {
		return err
	}
	resp, err := http.Get(base + "/big")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	start := time.Now()
	peak := before.RSS
	for n := int64(0); ; n += 25 << 20 {
		if _, err := io.CopyN(io.Discard, resp.Body, 25<<20); err != nil {
			if err == io.EOF {
				break
			}
			return err
		}
		u, err := usageOf(base)
		if err != nil {
			return err
		}
		peak = max(peak, u.RSS)
	}
	fmt.Printf("500 MB download: memory %+.1f MB at most, %.0f MB/s\n", float64(peak-before.RSS)/(1<<20), 500/time.Since(start).Seconds())
	return nil
}

func median[T cmp.Ordered](v []T) T {
	var zero T
	if len(v) == 0 {
		return zero
	}
	s := slices.Sorted(slices.Values(v))
	return s[len(s)/2]
}
