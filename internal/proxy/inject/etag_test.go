package inject

import "testing"

func TestETagRoundTrip(t *testing.T) {
	for etag, kind := range map[string]byte{`"abc"`: 's', `W/"abc"`: 'w', `""`: 's', `W/"a-oriel-b"`: 'w'} {
		own, print, k, ok := unmarkETag(MarkETag(etag, "0123abcd"))
		if own != etag || print != "0123abcd" || k != kind || !ok {
			t.Errorf("%s: %s %s %c %v", etag, own, print, k, ok)
		}
	}
	for _, tag := range []string{`"abc"`, `W/"abc-oriel-"`, `W/"abc-oriel-x0123abcd"`, `-oriel-s0123abc`, ""} {
		if own, _, _, ok := unmarkETag(tag); ok {
			t.Errorf("%s was taken for ours: %s", tag, own)
		}
	}
}

func TestUnmark(t *testing.T) {
	const now, old = "0123abcd", "deadbeef"
	for _, c := range []struct {
		list, print string
		want        Validators
	}{
		{MarkETag(`"a"`, now), now, Validators{ETags: `"a"`}},
		{MarkETag(`"a"`, now) + ", " + MarkETag(`W/"b"`, now) + `, "c"`, now, Validators{ETags: `"a", W/"b"`}},
		{MarkETag(`"a"`, old), now, Validators{}},
		{MarkETag("", now), now, Validators{ByDate: true}},
		{MarkETag("", old), now, Validators{}},
		{`"a"`, now, Validators{}},
		{`"a", ` + MarkETag(`"b"`, now), "", Validators{ETags: `"a"`}},
	} {
		if got := Unmark(c.list, c.print); got != c.want {
			t.Errorf("%s %s: %+v", c.list, c.print, got)
		}
	}
}

func TestFingerprint(t *testing.T) {
	a, b, c := Fingerprint("x", "s"), Fingerprint("x", "t"), Fingerprint("y", "s")
	if a == b || a == c || len(a) != 8 || a != Fingerprint("x", "s") {
		t.Errorf("%s %s %s", a, b, c)
	}
}
