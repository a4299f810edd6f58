//go:build !windows

package relay

import (
	"fmt"
	"io"
	"syscall"
	"testing"
)

func TestIsReset(t *testing.T) {
	for err, want := range map[error]bool{
		fmt.Errorf("read: %w", syscall.ECONNRESET): true, syscall.EPIPE: true, syscall.ECONNREFUSED: false, io.EOF: false,
	} {
		if isReset(err) != want {
			t.Errorf("%v: %v", err, !want)
		}
	}
}
