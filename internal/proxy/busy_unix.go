//go:build !windows

package proxy

import (
	"errors"
	"syscall"
)

func isBusy(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
