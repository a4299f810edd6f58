package pass

import (
	"strings"
	"testing"
)

// TestKeysAndTickets: what was made is read back, and nothing else is: not
// another's, not a changed one, not one for another page.
func TestKeysAndTickets(t *testing.T) {
	s, other := NewSecret(), NewSecret()
	k, text := s.NewKey(FlagFrame)
	if got, ok := s.ParseKey(text); !ok || got != k || got.Flags != FlagFrame || got.Page == "" {
		t.Errorf("%+v %v", got, ok)
	}
	n := NewInstance()
	ticket := s.Ticket(k.Page, n)
	if got, ok := s.ParseTicket(k.Page, ticket); !ok || got != n {
		t.Error("its own ticket is refused")
	}
	flip := func(text string) string {
		if text[3] == 'A' {
			return text[:3] + "B" + text[4:]
		}
		return text[:3] + "A" + text[4:]
	}
	for name, wrong := range map[string]string{"empty": "", "cut": text[:10], "changed": flip(text), "longer": text + "AAAA", "no base64": strings.Repeat("!", len(text))} {
		if _, ok := s.ParseKey(wrong); ok {
			t.Errorf("a key that is %s is taken", name)
		}
	}
	if _, ok := other.ParseKey(text); ok {
		t.Error("another's key is taken")
	}
	for name, ok := range map[string]bool{
		"another's": second(other.ParseTicket(k.Page, ticket)), "another page's": second(s.ParseTicket("pother", ticket)),
		"changed": second(s.ParseTicket(k.Page, flip(ticket))), "of a page with a long name": second(s.ParseTicket(strings.Repeat("p", 40), ticket)),
	} {
		if ok {
			t.Errorf("a ticket that is %s is taken", name)
		}
	}
	once, twice := DeriveSecret([]byte("m"), "a"), DeriveSecret([]byte("m"), "a")
	if DeriveSecret([]byte("m"), "a", "b") == DeriveSecret([]byte("m"), "ab") || once != twice {
		t.Error("secrets are not derived from each of the names")
	}
}

func second(_ Instance, ok bool) bool { return ok }
