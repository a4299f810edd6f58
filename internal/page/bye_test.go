package page

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"oriel/internal/journal"
)

// bye posts last words as a browser would.
func (s *site) bye(key, origin, words string) int {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.server.URL+"/__devtool/bye?k="+key, http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Origin", origin)
	req.Header.Set("Said", url.PathEscape(words))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

func (s *site) lastWords(extra string) string {
	now := time.Now().UnixMilli()
	hello := fmt.Sprintf(`{"t":"hello","v":1,"now":%d,"opened":%d,`+peerState+`%s}`, now, now-1000, s.host(), extra)
	return hello + "\n" + fmt.Sprintf(`{"t":"events","events":[{"kind":"console","at":%d,"level":"error","text":"early"}]}`, now-500)
}

func (s *site) said() []journal.Entry {
	return s.journal.Select(journal.Query{Kinds: []journal.Kind{journal.KindConsole}}).Entries
}

func TestLastWordsOfAPageThatWasNeverConnected(t *testing.T) {
	s := newSite(t)
	tag := s.issue("document")
	if got := s.bye(tag.key, "http://"+s.host(), s.lastWords("")); got != http.StatusNoContent {
		t.Fatalf("status %d", got)
	}
	all := s.said()
	if len(all) != 1 || all[0].Page != tag.Page || all[0].Proxy != "web" || all[0].Console.Text != "early" {
		t.Fatalf("journal has %+v, want one line of page %s", all, tag.Page)
	}
	if list := s.hub.Pages(); len(list) != 0 {
		t.Errorf("%d pages are connected", len(list))
	}
	if _, err := s.hub.Pick(tag.Page); err == nil || !strings.Contains(err.Error(), ErrAway.Error()) {
		t.Errorf("picking the page that left: %v", err)
	}
	// The document may come out of the browser's cache: then it is another page.
	if p := s.join(tag, ""); p.page == tag.Page {
		t.Error("a second document was given the page of the first")
	}
}

func TestLastWordsWithTheTicketAreThePagesOwn(t *testing.T) {
	s := newSite(t)
	tag := s.issue("document")
	p := s.join(tag, "")
	if got := s.bye(tag.key, "http://"+s.host(), s.lastWords(ticketOf(p))); got != http.StatusNoContent {
		t.Fatalf("status %d", got)
	}
	if all := s.said(); len(all) != 1 || all[0].Page != p.page {
		t.Errorf("journal has %+v, want one line of page %s", all, p.page)
	}
	if list := s.hub.Pages(); len(list) != 1 || list[0].ID() != p.page {
		t.Errorf("connected pages %v, want the one whose socket is open", list)
	}
}

func TestAttackByLastWords(t *testing.T) {
	s, other := newSite(t), newSite(t)
	key, own := s.issue("document").key, "http://"+s.host()
	good := s.lastWords("")
	for _, c := range []struct {
		name, key, origin, body string
		want                    int
	}{
		{"no key", "", own, good, http.StatusForbidden},
		{"another proxy's key", other.issue("document").key, own, good, http.StatusForbidden},
		{"another site", key, "http://evil.test", good, http.StatusForbidden},
		{"no origin", key, "", good, http.StatusForbidden},
		{"a forged ticket", key, own, s.lastWords(`,"page":"pabcdefgh","ticket":"AAAA"`), http.StatusTooManyRequests},
		{"no hello", key, own, strings.SplitAfter(good, "\n")[1], http.StatusBadRequest},
		{"no events", key, own, strings.Split(good, "\n")[0], http.StatusBadRequest},
		{"nonsense", key, own, "{}\n{}", http.StatusBadRequest},
		{"too much", key, own, good + strings.Repeat(" ", maxBye), http.StatusRequestEntityTooLarge},
	} {
		if got := s.bye(c.key, c.origin, c.body); got != c.want {
			t.Errorf("%s: status %d, want %d", c.name, got, c.want)
		}
	}
	if all := s.said(); len(all) != 0 {
		t.Errorf("the journal has %+v", all)
	}
	refused := 0
	for range byeBurst + 20 {
		if s.bye(key, own, good) == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused == 0 {
		t.Error("a flood of last words was taken whole")
	}
}
