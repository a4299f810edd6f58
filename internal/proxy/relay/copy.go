package relay

import (
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// copySize is small because every direction holds one buffer for as long as it
// lives.
const copySize = 32 << 10

// copyBoth serves a pair of any connections with two goroutines, one of them
// the caller's.
func (p *Pair) copyBoth() (Sums, error) {
	ab := oneWay{dst: p.b.Conn, src: p.a.Conn, head: p.a.Head, patience: p.group.patience()}
	ba := oneWay{dst: p.a.Conn, src: p.b.Conn, head: p.b.Head, patience: p.group.patience()}
	ab.other, ba.other = &ba, &ab
	up := make(chan error, 1)
	go func() { up <- ab.run() }()
	down := ba.run()
	return Sums{AToB: ab.n, BToA: ba.n}, errors.Join(ended(<-up), ended(down))
}

// oneWay is one direction of a pair.
type oneWay struct {
	dst, src net.Conn
	head     []byte
	patience time.Duration
	other    *oneWay
	n        int64
	done     atomic.Bool
}

// run copies until src ends and passes that on; an error ends both
// connections at once.
func (w *oneWay) run() error {
	err := w.copy()
	if err != nil {
		w.dst.Close()
		w.src.Close()
		return err
	}
	w.done.Store(true)
	w.dst.SetReadDeadline(time.Now().Add(w.patience)) // the other direction's next word
	if half, ok := w.dst.(interface{ CloseWrite() error }); ok {
		half.CloseWrite()
		return nil
	}
	w.dst.Close()
	return nil
}

func (w *oneWay) copy() error {
	if len(w.head) > 0 {
		n, err := w.dst.Write(w.head)
		w.n += int64(n)
		if err != nil {
			return err
		}
	}
	buf := make([]byte, copySize)
	for {
		n, err := w.src.Read(buf)
		if n > 0 {
			m, werr := w.dst.Write(buf[:n])
			w.n += int64(m)
			if werr != nil {
				return werr
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if w.other.done.Load() {
			w.src.SetReadDeadline(time.Now().Add(w.patience))
		}
	}
}
