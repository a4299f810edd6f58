package pages

import (
	"testing"
	"time"
)

func TestOnePageHasTheFocus(t *testing.T) {
	now := time.Now()
	list := []state{
		{ID: "opened first", Focused: true, focus: now.Add(-time.Minute)},
		{ID: "used last", Focused: true, focus: now},
		{ID: "frame of it", Focused: true, focus: now},
		{ID: "left just now", focus: now.Add(time.Second)},
		{ID: "never", Focused: false},
	}
	oneFocus(list)
	for i, want := range []bool{false, true, true, false, false} {
		if list[i].Focused != want {
			t.Errorf("%s has the focus: %t", list[i].ID, list[i].Focused)
		}
	}
}
