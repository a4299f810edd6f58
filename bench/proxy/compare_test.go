package main

import (
	"bytes"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	if median([]int{3, 1, 2}) != 2 || median([]int(nil)) != 0 || median([]time.Duration{5}) != 5 {
		t.Error("the middle is wrong")
	}
}

// A slow spell of the machine must not show in the ratio.
func TestPaired(t *testing.T) {
	v := [2][]float64{{100, 10, 100, 50}, {200, 20, 200, 100}}
	if got := paired(v); got != 2 {
		t.Errorf("ratio %v", got)
	}
}

func TestSpread(t *testing.T) {
	v := [2][]float64{{1, 1, 1, 1}, {4, 1, 3, 2}}
	if low, high := spread(v); low != 2 || high != 4 {
		t.Errorf("%v to %v", low, high)
	}
}

func TestPage(t *testing.T) {
	for _, n := range []int{20 << 10, 200 << 10} {
		p := page(n)
		if len(p) < n || len(p) > n+1000 || !bytes.HasPrefix(p, []byte("<!doctype html>")) || !bytes.Equal(p, page(n)) {
			t.Errorf("a page of %d bytes for %d", len(p), n)
		}
	}
}
