package relay

import (
	"bytes"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// A torrent is told from a trickle, from long pieces and from a conversation.
func TestTorrent(t *testing.T) {
	for _, c := range []struct {
		name   string
		pause  time.Duration
		size   int
		answer int // every so many pieces something comes back
		reads  int
		want   int // how many of the reads were told to be of a torrent
	}{
		{"close pieces", 10 * time.Microsecond, 100, 0, 100, 85},
		{"close pieces with its own rests", torrentRest + 100*time.Microsecond, 100, 0, 100, 85},
		{"the beginning", 10 * time.Microsecond, 100, 0, 15, 0},
		{"a trickle", time.Millisecond, 100, 0, 100, 0},
		{"long pieces", 10 * time.Microsecond, torrentPiece + 1, 0, 100, 0},
		{"a conversation", 10 * time.Microsecond, 100, 1, 100, 0},
		{"ten for one", 10 * time.Microsecond, 100, 10, 100, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			j := link(-1, -1, End{}, End{}, lastWords)
			got := 0
			for i := range c.reads {
				if j.a.out.torrent(c.size) {
					got++
				}
				if c.answer > 0 && i%c.answer == 0 && j.b.out.torrent(c.size) {
					t.Errorf("%s: the answers are one", c.name)
				}
				time.Sleep(c.pause)
			}
			if got != c.want {
				t.Errorf("%s: %d of %d reads, want %d", c.name, got, c.reads, c.want)
			}
		})
	}
}

// What was a torrent is none when it has slowed down.
func TestTorrentEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &link(-1, -1, End{}, End{}, lastWords).a.out
		for range 50 {
			f.torrent(100)
		}
		last := false
		for range torrentReads {
			time.Sleep(time.Millisecond)
			last = f.torrent(100)
		}
		if last {
			t.Error("a piece a millisecond is still a torrent")
		}
	})
}

// A torrent loses nothing, does not hold up another pair, and leaves the loop
// at rest when it is over.
func TestTorrentBesideAnother(t *testing.T) {
	g := new(Group)
	flood, other := start(t, g, bare), start(t, g, bare)
	const pieces = 20_000
	piece := noise(100, 6)
	go func() {
		for range pieces {
			flood.client.Write(piece)
		}
		flood.client.CloseWrite()
	}()
	got := make(chan []byte, 1)
	go func() {
		all, _ := io.ReadAll(flood.target)
		got <- all
	}()
	for range 200 {
		exchange(t, other.client, other.target, "ping")
		exchange(t, other.target, other.client, "pong")
	}
	if all := <-got; !bytes.Equal(all, bytes.Repeat(piece, pieces)) {
		t.Errorf("%d of %d bytes came", len(all), pieces*len(piece))
	}
	calm(t, g)
	flood.target.CloseWrite()
	if o := flood.wait(t); o != (outcome{Sums{pieces * 100, 0}, nil}) {
		t.Errorf("%+v", o)
	}
}

// A pair that ends while its torrent rests is not read again.
func TestCloseInTorrent(t *testing.T) {
	g := new(Group)
	for range 20 {
		r := start(t, g, bare)
		done := make(chan struct{})
		go func() {
			for _, err := r.client.Write([]byte("x")); err == nil; {
				_, err = r.client.Write([]byte("x"))
			}
			close(done)
		}()
		io.CopyN(io.Discard, r.target, 1000)
		r.Close()
		if o := r.wait(t); o.err != nil {
			t.Error(o.err)
		}
		<-done
	}
}
