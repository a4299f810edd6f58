package forward

import (
	"context"
	"net/http/httptest"
	"net/url"
	"testing"
)

func TestNewRefuses(t *testing.T) {
	for _, target := range []string{"", "ftp://x", "http://", "/x", "x:80"} {
		u, err := url.Parse(target)
		if err != nil {
			continue
		}
		if _, err := New(Options{Target: u}); err == nil {
			t.Errorf("%q was accepted", target)
		}
	}
	if _, err := New(Options{}); err == nil {
		t.Error("no target was accepted")
	}
}

func TestUp(t *testing.T) {
	s := httptest.NewServer(nil)
	c := client(t, s.URL)
	if err := c.Up(context.Background()); err != nil {
		t.Error(err)
	}
	s.Close()
	if c.Up(context.Background()) == nil {
		t.Error("a closed target is up")
	}
}
