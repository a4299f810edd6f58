package traffic

import (
	"context"
	"encoding/json"
	"testing"

	"oriel/internal/sourcemap"
)

// oneMap knows one compiled place.
type oneMap string

func (m oneMap) Place(_ context.Context, address string, line, column int) sourcemap.Frame {
	if address != string(m) || line != 20 || column != 5 {
		return sourcemap.Frame{File: "no.js", Line: 1}
	}
	return sourcemap.Frame{File: `src/"A".jsx`, Line: 4, Mapped: true}
}

func TestCompiledPlacesAreSourced(t *testing.T) {
	for value, want := range map[string]string{
		`{"source":"src/App.jsx:20:5 (compiled)","b":1}`:                                               `{"source":"src/\"A\".jsx:4","b":1}`,
		`["src/App.jsx:20:5 (compiled)","src/App.jsx:21:5 (compiled)","/src/App.jsx:20:5 (compiled)"]`: `["src/\"A\".jsx:4","src/App.jsx:21:5 (compiled)","src/\"A\".jsx:4"]`,
		`"it says src/App.jsx:20:5 (compiled)"`:                                                        `"it says src/App.jsx:20:5 (compiled)"`,
		`"http://other/src/App.jsx:20:5 (compiled)"`:                                                   `"http://other/src/App.jsx:20:5 (compiled)"`,
		`{"source":"src/App.jsx:20:5"}`:                                                                `{"source":"src/App.jsx:20:5"}`,
		`null`:                                                                                         `null`,
	} {
		got := sourced(t.Context(), oneMap("http://127.0.0.1:4000/src/App.jsx"), "http://127.0.0.1:4000/", json.RawMessage(value))
		if string(got) != want || !json.Valid(got) {
			t.Errorf("%s: %s, want %s", value, got, want)
		}
	}
}
