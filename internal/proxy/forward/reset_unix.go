//go:build !windows

package forward

import (
	"errors"
	"syscall"
)

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

func isBrokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }
