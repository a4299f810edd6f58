package forward

import (
	"errors"

	"golang.org/x/sys/windows"
)

func isBrokenPipe(err error) bool { return errors.Is(err, windows.ERROR_BROKEN_PIPE) }
