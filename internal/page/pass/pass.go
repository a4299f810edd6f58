// Package pass is how documents and pages prove who they are: keys, which come
// with a document, and tickets, which let a page come back as the same. The
// package comment of page says who may do what with them.
package pass

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

// FlagFrame is what a key says about its document: it is in a frame.
const FlagFrame = 1

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

// Instance tells apart the pages that one document's key has had.
type Instance [instance]byte

// Key is a document's key, taken apart.
type Key struct {
	Flags byte
	Page  string // the id the document's page gets if it is the first to use the key
}

// NewKey makes a key and its text.
func (s *Secret) NewKey(flags byte) (Key, string) {
	var body [keyBody]byte
	rand.Read(body[:])
	body[0] = flags
	text := encoding.EncodeToString(append(body[:], s.mac(keyMAC, purposeKey, body[:])...))
	return Key{flags, s.pageID(body[:])}, text
}

// ParseKey returns the key behind text, if it is one of ours.
func (s *Secret) ParseKey(text string) (Key, bool) {
	raw, err := encoding.DecodeString(text)
	if err != nil || len(raw) != keyBody+keyMAC {
		return Key{}, false
	}
	body := raw[:keyBody]
	if !hmac.Equal(raw[keyBody:], s.mac(keyMAC, purposeKey, body)) {
		return Key{}, false
	}
	return Key{body[0], s.pageID(body)}, true
}

func (s *Secret) pageID(seed []byte) string {
	return "p" + idLetters.EncodeToString(s.mac(5, purposePage, seed))
}

// NewPageID returns an id that belongs to no key.
func (s *Secret) NewPageID() string {
	var seed [keyBody]byte
	rand.Read(seed[:])
	return s.pageID(seed[:])
}

// NewInstance returns a random one.
func NewInstance() Instance {
	var n Instance
	rand.Read(n[:])
	return n
}

// Ticket proves that its bearer is that instance of the page.
func (s *Secret) Ticket(page string, n Instance) string {
	return encoding.EncodeToString(append(n[:], s.mac(macLen, purposeTicket, []byte(page), n[:])...))
}

// ParseTicket returns the instance that text proves for page.
func (s *Secret) ParseTicket(page, text string) (Instance, bool) {
	raw, err := encoding.DecodeString(text)
	if err != nil || len(raw) != instance+macLen || len(page) > 32 {
		return Instance{}, false
	}
	n := Instance(raw[:instance])
	return n, hmac.Equal(raw[instance:], s.mac(macLen, purposeTicket, []byte(page), n[:]))
}
