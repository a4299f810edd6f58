package relay

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wrapped is a connection that only two goroutines can serve.
type wrapped struct{ *net.TCPConn }

// pipe returns two ends of a TCP connection.
func pipe(t *testing.T) (near, far *net.TCPConn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	a, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	b, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close(); b.Close() })
	return a.(*net.TCPConn), b.(*net.TCPConn)
}

type outcome struct {
	sums Sums
	err  error
}

// rig is a pair that runs: what goes in at one far end comes out at the other.
type rig struct {
	*Pair
	client, target *net.TCPConn
	done           chan outcome
}

type dressing func(*net.TCPConn) net.Conn

func bare(c *net.TCPConn) net.Conn { return c }

func start(t *testing.T, g *Group, dress dressing, heads ...string) *rig {
	t.Helper()
	nearA, client := pipe(t)
	nearB, target := pipe(t)
	a, b := End{Conn: dress(nearA)}, End{Conn: dress(nearB)}
	if len(heads) == 2 {
		a.Head, b.Head = []byte(heads[0]), []byte(heads[1])
	}
	r := &rig{Pair: g.Pair(a, b), client: client, target: target, done: make(chan outcome, 1)}
	go func() {
		sums, err := r.Run()
		r.done <- outcome{sums, err}
	}()
	t.Cleanup(func() {
		r.Close()
		select {
		case <-r.done:
		case <-time.After(20 * time.Second):
			t.Error("Run goes on after Close")
		}
	})
	return r
}

// wait returns what Run said, and leaves it for the next who asks.
func (r *rig) wait(t *testing.T) outcome {
	t.Helper()
	select {
	case o := <-r.done:
		r.done <- o
		return o
	case <-time.After(20 * time.Second):
		t.Fatal("Run does not return")
		return outcome{}
	}
}

// ways runs a test with either way to serve a pair.
func ways(t *testing.T, f func(t *testing.T, dress dressing)) {
	t.Run("tcp", func(t *testing.T) { f(t, bare) })
	t.Run("other", func(t *testing.T) { f(t, func(c *net.TCPConn) net.Conn { return wrapped{c} }) })
}

func TestBothWaysAndHalfClose(t *testing.T) {
	ways(t, func(t *testing.T, dress dressing) {
		r := start(t, new(Group), dress, "early ", "hello ")
		io.WriteString(r.client, "late")
		r.client.CloseWrite()
		if got, err := io.ReadAll(r.target); string(got) != "early late" || err != nil {
			t.Errorf("the target got %q, %v", got, err)
		}
		io.WriteString(r.target, "world") // after the client's half was closed
		r.target.CloseWrite()
		if got, err := io.ReadAll(r.client); string(got) != "hello world" || err != nil {
			t.Errorf("the client got %q, %v", got, err)
		}
		if o := r.wait(t); o != (outcome{Sums{10, 11}, nil}) {
			t.Errorf("%+v", o)
		}
	})
}

// noise is n bytes that differ from place to place.
func noise(n int, seed uint64) []byte {
	var key [32]byte
	key[0] = byte(seed)
	p := make([]byte, n)
	rand.NewChaCha8(key).Read(p)
	return p
}

func TestMuchBothWaysAtOnce(t *testing.T) {
	ways(t, func(t *testing.T, dress dressing) {
		const size = 48 << 20
		r := start(t, new(Group), dress)
		up, down := noise(size, 1), noise(size, 2)
		var wg sync.WaitGroup
		for _, d := range []struct {
			from, to *net.TCPConn
			data     []byte
		}{{r.client, r.target, up}, {r.target, r.client, down}} {
			wg.Go(func() { d.from.Write(d.data); d.from.CloseWrite() })
			wg.Go(func() {
				h := sha256.New()
				if n, err := io.Copy(h, d.to); n != size || err != nil {
					t.Errorf("%d bytes, %v", n, err)
				}
				if want := sha256.Sum256(d.data); !bytes.Equal(h.Sum(nil), want[:]) {
					t.Error("other bytes came out")
				}
			})
		}
		wg.Wait()
		if o := r.wait(t); o != (outcome{Sums{size, size}, nil}) {
			t.Errorf("%+v", o)
		}
	})
}

// fill writes until no more is taken.
func fill(t *testing.T, c *net.TCPConn) (n int64) {
	t.Helper()
	piece := make([]byte, 16<<10)
	for i := range piece {
		piece[i] = byte(i * 7)
	}
	for {
		c.SetWriteDeadline(time.Now().Add(150 * time.Millisecond))
		m, err := c.Write(piece)
		n += int64(m)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			c.SetWriteDeadline(time.Time{})
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		if n > 64<<20 {
			t.Fatalf("%d bytes were taken that nobody reads", n)
		}
	}
}

// A side that does not read stops the other from sending, harms no other pair,
// and gets everything in the end.
func TestSlowReader(t *testing.T) {
	ways(t, func(t *testing.T, dress dressing) {
		g := new(Group)
		for _, up := range []bool{true, false} {
			r := start(t, g, dress)
			from, to := r.client, r.target
			if !up {
				from, to = to, from
			}
			n := fill(t, from)
			calm(t, g)
			// The way back is open, and so are other pairs.
			for _, pass := range []func(){
				func() { exchange(t, to, from, "back") },
				func() { o := start(t, g, dress); exchange(t, o.client, o.target, "other") },
			} {
				pass()
			}
			from.CloseWrite()
			if got, err := io.Copy(io.Discard, to); got != n || err != nil {
				t.Errorf("%d of %d bytes, %v", got, n, err)
			}
			to.CloseWrite()
			if o := r.wait(t); o.err != nil || max(o.sums.AToB, o.sums.BToA) != n {
				t.Errorf("%+v", o)
			}
		}
	})
}

// exchange sends text from one connection to the other.
func exchange(t *testing.T, from, to *net.TCPConn, text string) {
	t.Helper()
	to.SetReadDeadline(time.Now().Add(20 * time.Second))
	defer to.SetReadDeadline(time.Time{})
	io.WriteString(from, text)
	got := make([]byte, len(text))
	if _, err := io.ReadFull(to, got); err != nil || string(got) != text {
		t.Fatalf("%q came as %q, %v", text, got, err)
	}
}

func TestReset(t *testing.T) {
	ways(t, func(t *testing.T, dress dressing) {
		for _, side := range []string{"client", "target"} {
			r := start(t, new(Group), dress)
			exchange(t, r.client, r.target, "ping")
			gone, stays := r.client, r.target
			if side == "target" {
				gone, stays = stays, gone
			}
			gone.SetLinger(0)
			gone.Close()
			stays.SetReadDeadline(time.Now().Add(20 * time.Second))
			if _, err := io.ReadAll(stays); err != nil && !isReset(err) {
				t.Errorf("%s resets: the other sees %v", side, err)
			}
			stays.Close()
			if o := r.wait(t); o.err != nil {
				t.Errorf("%s resets: told as %v", side, o.err)
			}
		}
	})
}

// The sender is reset while its bytes wait for a reader: what is held stays
// held without work, and ends with the reader.
func TestResetWhileBlocked(t *testing.T) {
	ways(t, func(t *testing.T, dress dressing) {
		g := new(Group)
		r := start(t, g, dress)
		fill(t, r.client)
		r.client.SetLinger(0)
		r.client.Close()
		calm(t, g)
		r.target.SetLinger(0)
		r.target.Close()
		if o := r.wait(t); o.err != nil {
			t.Errorf("told as %v", o.err)
		}
	})
}

// Pairs of which one side is done, or gone, cost nothing while the other says
// nothing.
func TestAtRest(t *testing.T) {
	ways(t, func(t *testing.T, dress dressing) {
		g := new(Group)
		for _, state := range []string{"half", "closed", "reset"} {
			r := start(t, g, dress)
			exchange(t, r.client, r.target, "ping")
			r.client.CloseWrite()
			if _, err := io.ReadAll(r.target); err != nil {
				t.Fatal(err)
			}
			switch state {
			case "reset":
				r.client.SetLinger(0)
				fallthrough
			case "closed":
				r.client.Close()
			}
			calm(t, g)
			if state == "half" {
				exchange(t, r.target, r.client, "pong")
				continue
			}
			// The next words of the other find nobody: the pair ends.
			for _, err := io.WriteString(r.target, "pong"); err == nil; {
				_, err = io.WriteString(r.target, "pong")
			}
			if o := r.wait(t); o.err != nil {
				t.Errorf("%s: told as %v", state, o.err)
			}
		}
	})
}

func TestClose(t *testing.T) {
	ways(t, func(t *testing.T, dress dressing) {
		for _, state := range []string{"idle", "flowing", "blocked", "half", "ended"} {
			g := new(Group)
			r := start(t, g, dress)
			exchange(t, r.client, r.target, "ping")
			var wg sync.WaitGroup
			switch state {
			case "flowing":
				wg.Go(func() { io.Copy(io.Discard, r.target) })
				wg.Go(func() {
					for _, err := r.client.Write(make([]byte, 4096)); err == nil; {
						_, err = r.client.Write(make([]byte, 4096))
					}
				})
			case "blocked":
				fill(t, r.client)
			case "half":
				r.client.CloseWrite()
				io.ReadAll(r.target)
			case "ended":
				r.client.Close()
				r.target.Close()
				r.wait(t)
			}
			r.Close()
			if o := r.wait(t); o.err != nil {
				t.Errorf("%s: told as %v", state, o.err)
			}
			r.Close()
			wg.Wait()
			r.client.SetReadDeadline(time.Now().Add(20 * time.Second))
			if _, err := r.client.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: the client is still connected: %v", state, err)
			}
		}
	})
}

func TestCloseBeforeRun(t *testing.T) {
	ways(t, func(t *testing.T, dress dressing) {
		a, client := pipe(t)
		b, target := pipe(t)
		p := new(Group).Pair(End{Conn: dress(a)}, End{Conn: dress(b)})
		p.Close()
		if sums, err := p.Run(); sums != (Sums{}) || err != nil {
			t.Errorf("%+v, %v", sums, err)
		}
		for _, c := range []*net.TCPConn{client, target} {
			if _, err := io.ReadAll(c); err != nil {
				t.Error(err)
			}
		}
	})
}

// Close from elsewhere at any moment of the beginning.
func TestCloseWhileStarting(t *testing.T) {
	ways(t, func(t *testing.T, dress dressing) {
		g := new(Group)
		for range 200 {
			a, _ := pipe(t)
			b, _ := pipe(t)
			p := g.Pair(End{Conn: dress(a)}, End{Conn: dress(b), Head: []byte("x")})
			closed := make(chan struct{})
			go func() { p.Close(); close(closed) }()
			if _, err := p.Run(); err != nil {
				t.Error(err)
			}
			<-closed
		}
	})
}

// After one direction has ended the other may go on for as long as it has
// something to say, and no longer.
func TestLastWords(t *testing.T) {
	ways(t, func(t *testing.T, dress dressing) {
		t.Parallel() // it mostly waits
		r := start(t, &Group{lastWords: 800 * time.Millisecond}, dress)
		r.client.CloseWrite()
		if _, err := io.ReadAll(r.target); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		n := 0
		for ; time.Since(begin) < 1200*time.Millisecond; n++ {
			exchange(t, r.target, r.client, "more")
			<-tick.C
		}
		if o := r.wait(t); o.err != nil || o.sums.BToA != int64(4*n) {
			t.Errorf("%d words: %+v", n, o)
		}
		if _, err := io.ReadAll(r.client); err != nil && !isReset(err) {
			t.Error(err)
		}
	})
}

func TestThousand(t *testing.T) {
	ways(t, func(t *testing.T, dress dressing) {
		g := new(Group)
		rigs := make([]*rig, 1000)
		for i := range rigs {
			rigs[i] = start(t, g, dress)
		}
		for range 3 {
			for i, r := range rigs {
				io.WriteString(r.client, fmt.Sprintf("up %4d", i))
				io.WriteString(r.target, fmt.Sprintf("dn %4d", i))
			}
			for i, r := range rigs {
				var up, down [7]byte
				io.ReadFull(r.target, up[:])
				io.ReadFull(r.client, down[:])
				if string(up[:]) != fmt.Sprintf("up %4d", i) || string(down[:]) != fmt.Sprintf("dn %4d", i) {
					t.Fatalf("pair %d got %q and %q", i, up, down)
				}
			}
		}
		calm(t, g)
		for i, r := range rigs { // from both ends, and by Close
			switch i % 3 {
			case 0:
				r.client.Close()
				r.target.Close()
			case 1:
				r.target.Close()
				r.client.Close()
			default:
				r.Close()
			}
			if o := r.wait(t); o != (outcome{Sums{21, 21}, nil}) {
				t.Fatalf("pair %d: %+v", i, o)
			}
		}
	})
}

func TestEnded(t *testing.T) {
	for _, err := range []error{nil, io.EOF, net.ErrClosed, os.ErrDeadlineExceeded} {
		if got := ended(err); got != nil {
			t.Errorf("%v is told as %v", err, got)
		}
	}
	if odd := errors.New("odd"); ended(odd) != odd {
		t.Error("an odd error is not told")
	}
}

// Pieces of any size, cut anywhere, come out as they went in.
func TestOddPieces(t *testing.T) {
	ways(t, func(t *testing.T, dress dressing) {
		r := start(t, new(Group), dress)
		data := noise(3<<20, 3)
		go func() {
			rnd := rand.New(rand.NewPCG(4, 5))
			for rest := data; len(rest) > 0; {
				n := min(len(rest), 1+rnd.IntN(200_000))
				if rnd.IntN(3) > 0 {
					n = min(n, 1+rnd.IntN(50))
				}
				r.client.Write(rest[:n])
				rest = rest[n:]
			}
			r.client.CloseWrite()
		}()
		if got, err := io.ReadAll(r.target); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d of %d bytes, %v", len(got), len(data), err)
		}
	})
}
