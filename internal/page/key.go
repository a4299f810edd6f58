package page

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
)

// Secret is what a Hub's keys and tickets are made from.
type Secret [32]byte

// NewSecret returns a random Secret.
func NewSecret() Secret {
	var s Secret
	rand.Read(s[:]) // never fails
	return s
}

// DeriveSecret returns the Secret that belongs to names (such as a project and
// a proxy id) under a master, which the caller stores.
func DeriveSecret(master []byte, names ...string) Secret {
	m := hmac.New(sha256.New, master)
	for _, n := range names {
		sum := sha256.Sum256([]byte(n))
		m.Write(sum[:])
	}
	return Secret(m.Sum(nil))
}

// mac returns the first n bytes of a MAC over parts, for one purpose.
func (s *Secret) mac(n int, purpose byte, parts ...[]byte) []byte {
	m := hmac.New(sha256.New, s[:])
	m.Write([]byte{purpose})
	for _, p := range parts {
		m.Write([]byte{byte(len(p))})
		m.Write(p)
	}
	return m.Sum(nil)[:n]
}

const (
	purposeKey    = 'k'
	purposePage   = 'p'
	purposeTicket = 't'
)

// What a key says about its document.
const flagFrame = 1 // it is in a frame

const (
	keyBody  = 12 // one byte of flags, the rest random
	keyMAC   = 12
	instance = 8
	macLen   = 16
)

var (
	encoding  = base64.RawURLEncoding
	idLetters = base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789") // none that look alike
)

// key is a document's key, taken apart.
type key struct {
	flags byte
	page  string // the id the document's page gets if it is the first to use the key
}

// newKey makes a key and its text.
func (s *Secret) newKey(flags byte) (key, string) {
	var body [keyBody]byte
	rand.Read(body[:])
	body[0] = flags
	text := encoding.EncodeToString(append(body[:], s.mac(keyMAC, purposeKey, body[:])...))
	return key{flags, s.pageID(body[:])}, text
}

// parseKey returns the key behind text, if it is one of ours.
func (s *Secret) parseKey(text string) (key, bool) {
	raw, err := encoding.DecodeString(text)
	if err != nil || len(raw) != keyBody+keyMAC {
		return key{}, false
	}
	body := raw[:keyBody]
	if !hmac.Equal(raw[keyBody:], s.mac(keyMAC, purposeKey, body)) {
		return key{}, false
	}
	return key{body[0], s.pageID(body)}, true
}

func (s *Secret) pageID(seed []byte) string {
	return "p" + idLetters.EncodeToString(s.mac(5, purposePage, seed))
}

// newPageID returns an id that belongs to no key.
func (s *Secret) newPageID() string {
	var seed [keyBody]byte
	rand.Read(seed[:])
	return s.pageID(seed[:])
}

func newInstance() [instance]byte {
	var n [instance]byte
	rand.Read(n[:])
	return n
}

// ticket proves that its bearer is that instance of the page.
func (s *Secret) ticket(page string, n [instance]byte) string {
	return encoding.EncodeToString(append(n[:], s.mac(macLen, purposeTicket, []byte(page), n[:])...))
}

// parseTicket returns the instance that text proves for page.
func (s *Secret) parseTicket(page, text string) ([instance]byte, bool) {
	raw, err := encoding.DecodeString(text)
	if err != nil || len(raw) != instance+macLen || len(page) > 32 {
		return [instance]byte{}, false
	}
	n := [instance]byte(raw[:instance])
	return n, hmac.Equal(raw[instance:], s.mac(macLen, purposeTicket, []byte(page), n[:]))
}
