package e2e

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"oriel/internal/journal"
)

// TestVitalsWhenAsked asks a page for its Web Vitals long after it has painted.
func TestVitalsWhenAsked(t *testing.T) {
	s := newChannelSite(t)
	b := browser(t)
	for _, path := range []string{"/plain", "/nonce", "/files-types"} {
		t.Run(path[1:], func(t *testing.T) {
			tab(t, b, s.URL+path)
			p := s.at(t, path)
			list, err := p.Vitals(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]journal.Performance{}
			for _, v := range list {
				got[v.Name] = v
			}
			for _, name := range []string{"TTFB", "FCP", "LCP", "CLS"} {
				if v, ok := got[name]; !ok || v.Rating == "" || v.Value < 0 || v.Value > 60_000 {
					t.Errorf("%s is %+v, want a rated value", name, v)
				}
			}
			if got["LCP"].Target == "" {
				t.Errorf("LCP names no element: %+v", got["LCP"])
			}
			kept := 0
			for _, e := range s.journal.Select(journal.Query{Page: p.ID(), Kinds: []journal.Kind{journal.KindPerformance}}).Entries {
				if _, ok := got[e.Performance.Name]; ok && e.Proxy == "web" {
					kept++
				}
			}
			if kept != len(got) {
				t.Errorf("%d vitals in the journal, want %d", kept, len(got))
			}
		})
	}
}

// TestPageThatLeavesEarly goes elsewhere before the load event: what the page
// had to say is in the journal all the same, and takes nothing from the 64 KB
// that the browser grants to the page's own last words.
func TestPageThatLeavesEarly(t *testing.T) {
	s := newChannelSite(t)
	ctx := tab(t, browser(t), s.URL+"/plain")
	s.at(t, "/plain")
	if err := chromedp.Do(ctx, chromedp.Navigate(s.URL+"/early")); err != nil {
		t.Fatal(err)
	}
	if got := run(t, s.at(t, "/plain-again"), "sessionStorage.beacon"); string(got.JSON) != `"true"` {
		t.Errorf("the page's own beacon was sent: %s", got.JSON)
	}
	var early []journal.Entry
	for deadline := time.Now().Add(20 * time.Second); len(early) == 0 && time.Now().Before(deadline); <-time.After(20 * time.Millisecond) {
		early = s.journal.Select(journal.Query{Kinds: []journal.Kind{journal.KindConsole}}).Entries
	}
	if len(early) != 1 || early[0].Console.Text != "said before leaving" || early[0].Proxy != "web" || early[0].Page == "" {
		t.Errorf("the journal has %+v, want the one line of the page that left", early)
	}
}
