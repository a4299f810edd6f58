package vitals

import "testing"

func TestLine(t *testing.T) {
	for want, metrics := range map[string]map[string]float64{
		"": nil,
		"TTFB 12 ms, FCP 340 ms, LCP 12.3 s, TBT 0 ms, INP 48 ms, CLS 0.097": {"cls": 0.0967, "inp": 48, "tbt": 0, "lcp": 12_345, "fcp": 340.4, "ttfb": 12},
		"CLS 0":       {"cls": 0, "invented": 3},
		"LCP 9999 ms": {"lcp": 9999.2},
	} {
		if got := Line(metrics); got != want {
			t.Errorf("%v: %q, want %q", metrics, got, want)
		}
	}
}
