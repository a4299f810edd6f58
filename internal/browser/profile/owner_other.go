//go:build !linux

package profile

import (
	"strconv"

	"github.com/shirou/gopsutil/v4/process"
)

// started tells one life of a process id from another by the moment in which
// it began. It is empty when there is no such process.
func started(pid int) string {
	p, err := process.NewProcess(int32(pid))
	if err != nil {
		return ""
	}
	at, err := p.CreateTime()
	if err != nil {
		return ""
	}
	return strconv.FormatInt(at, 10)
}

// endUsers leaves the ending to the browser: it exits when its pipe closes.
func endUsers(string) int { return 0 }
