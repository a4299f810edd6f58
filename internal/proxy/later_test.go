package proxy

import (
	"sync/atomic"
	"testing"
)

func TestLater(t *testing.T) {
	l := newLater()
	var done atomic.Int64
	gate := make(chan struct{})
	l.do(func() { <-gate })
	for range maxLater + 100 { // more than fit: the rest is done here
		l.do(func() { done.Add(1) })
	}
	if done.Load() < 99 {
		t.Errorf("%d jobs were done by the caller", done.Load())
	}
	close(gate)
	l.close()
	if done.Load() != maxLater+100 {
		t.Errorf("%d of %d jobs were done", done.Load(), maxLater+100)
	}
}
