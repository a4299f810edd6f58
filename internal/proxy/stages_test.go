package proxy

import (
	"strings"
	"testing"
)

// The order is the architecture: record must see what the others have not
// touched, and the tag needs the nonce that policy finds.
func TestOrder(t *testing.T) {
	var names []string
	for _, s := range stages {
		names = append(names, s.name)
		if s.response == nil {
			t.Errorf("%s has no response side", s.name)
		}
	}
	if got := strings.Join(names, " "); got != "record origin policy html" {
		t.Errorf("stages %s", got)
	}
}
