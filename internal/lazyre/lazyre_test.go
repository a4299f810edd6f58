package lazyre

import "testing"

func TestCompiledOnFirstUse(t *testing.T) {
	r := New(`(\d+)-(\d+)`)
	if r.re != nil {
		t.Error("compiled before it was used")
	}
	if got := r.FindStringSubmatch("a 12-34"); len(got) != 3 || got[2] != "34" {
		t.Errorf("got %q", got)
	}
	if r.re == nil || r.Get() != r.re {
		t.Error("not kept")
	}
	if r.ReplaceAllString("1-2", "$2-$1") != "2-1" || r.MatchString("x") {
		t.Error("not the same expression")
	}
}
