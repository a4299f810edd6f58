//go:build unix

package cli

import (
	"os/signal"
	"syscall"
)

// ignoreBrokenPipe makes writing to an editor that has gone an error instead of
// the end of the program, which would leave what it started.
func ignoreBrokenPipe() { signal.Ignore(syscall.SIGPIPE) }
