package relay

import (
	"errors"

	"golang.org/x/sys/windows"
)

func isReset(err error) bool {
	return errors.Is(err, windows.WSAECONNRESET) || errors.Is(err, windows.WSAECONNABORTED) || errors.Is(err, windows.ERROR_BROKEN_PIPE)
}
