package proxy

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isBusy covers ports that Windows keeps for itself as well.
func isBusy(err error) bool {
	return errors.Is(err, windows.WSAEADDRINUSE) || errors.Is(err, windows.WSAEACCES)
}
