package page

import (
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"oriel/internal/page/wire"
	"oriel/internal/quote"
)

// Shot is a picture that a page made of itself. Nothing of it is to be
// believed: Data need not be a picture.
type Shot struct {
	Name  string
	Scale float64 // pixels per CSS pixel
	Data  []byte
}

// Kept is where a picture went.
type Kept struct {
	Seq  uint64 // of its journal entry
	Path string
}

// Bounds of what pages may send on their own.
const (
	shotBurst = 20
	shotRate  = 1 // a second
)

var errManyShots = errors.New("too many pictures at once")

// keep hands a picture to whoever stores it, and tells the page where it went.
func (h *Hub) keep(p *Page, s *socket, m *wire.Message) {
	answer := wire.Kept{T: "kept", ID: m.ID}
	kept, err := h.store(p, m)
	if err != nil {
		h.refuse(p, 1)
		answer.Error = err.Error()
	} else {
		answer.Seq, answer.Path = kept.Seq, kept.Path
	}
	// A full queue means that the page does not read: it will lose patience.
	_ = s.enqueue(wire.Encode(answer))
}

func (h *Hub) store(p *Page, m *wire.Message) (Kept, error) {
	if h.options.Keep == nil {
		return Kept{}, errors.New("pictures are not kept here")
	}
	h.mu.Lock()
	allowed := p.shots.take(1, time.Now())
	info := p.info
	h.mu.Unlock()
	if allowed == 0 {
		return Kept{}, errManyShots
	}
	data := make([]byte, base64.StdEncoding.DecodedLen(len(m.Body)))
	n, err := base64.StdEncoding.Decode(data, m.Body)
	if err != nil {
		return Kept{}, fmt.Errorf("read the picture: %w", err)
	}
	shot := Shot{Name: quote.Text(m.Name, wire.MaxName), Data: data[:n]}
	if m.Scale > 0 && m.Scale <= 100 {
		shot.Scale = m.Scale
	}
	return h.options.Keep(info, shot)
}
