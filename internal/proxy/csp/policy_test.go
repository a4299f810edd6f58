package csp

import "testing"

// What is not amended is byte for byte what it was.
func TestRoundTrip(t *testing.T) {
	for _, p := range []string{"", ";", " ;; ", "a b ; c\t d;", "x,y , z", "default-src  'self' ,", "\timg-src *\n;"} {
		if got := joinLine(parseLine(p)); got != p {
			t.Errorf("%q became %q", p, got)
		}
	}
}

func FuzzHeaders(f *testing.F) {
	f.Add("default-src 'none'; script-src 'nonce-a' 'strict-dynamic', sandbox")
	f.Fuzz(func(t *testing.T, p string) {
		once, _, v := Headers([]string{p}, nil, grant)
		if len(once) != 1 || len(once[0]) < len(p)-len("'none'")*len(parseLine(p))*3 {
			t.Errorf("%q became %q", p, once)
		}
		if v.Sandboxed {
			return
		}
		twice, _, _ := Headers(once, nil, grant)
		if twice[0] != once[0] {
			t.Errorf("%q: %q then %q", p, once, twice)
		}
	})
}
