package profile

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// started tells one life of a process id from another: the boot and the tick
// in which it began. It is empty when there is no such process, or only its
// remains.
func started(pid int) string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	// The name in the second field may contain anything, also spaces.
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return ""
	}
	fields := strings.Fields(string(stat[end+1:]))
	const state, tick = 0, 19 // counted from the third field
	if len(fields) <= tick || fields[state] == "Z" || fields[state] == "X" {
		return ""
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return fields[tick]
	}
	return strings.TrimSpace(string(boot)) + " " + fields[tick]
}

// endUsers kills the processes that run on a profile and returns how many it
// found. A browser hands the path to each of its children.
func endUsers(dir string) int {
	want := []byte("--user-data-dir=" + dir)
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	found := 0
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		line, err := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		if err != nil || !has(line, want) {
			continue
		}
		found++
		_ = syscall.Kill(pid, syscall.SIGKILL) // gone already is as good
	}
	return found
}

func has(line, argument []byte) bool {
	for arg := range bytes.SplitSeq(line, []byte{0}) {
		if bytes.Equal(arg, argument) {
			return true
		}
	}
	return false
}
