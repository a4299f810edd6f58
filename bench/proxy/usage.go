package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/shirou/gopsutil/v4/process"
)

// usage is what a process has used so far.
type usage struct {
	CPU time.Duration
	RSS uint64
}

func ownUsage() usage {
	u := usage{CPU: cpuTime()}
	if p, err := process.NewProcess(int32(os.Getpid())); err == nil {
		if m, err := p.MemoryInfo(); err == nil {
			u.RSS = m.RSS
		}
	}
	return u
}

// usageOf asks a proxy's process.
func usageOf(base string) (usage, error) {
	var u usage
	resp, err := http.Get(base + "/__devtool/usage")
	if err != nil {
		return u, fmt.Errorf("ask %s for its usage: %w", base, err)
	}
	defer resp.Body.Close()
	return u, json.NewDecoder(resp.Body).Decode(&u)
}
