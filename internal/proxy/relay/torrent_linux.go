package relay

import (
	"time"

	"golang.org/x/sys/unix"
)

// A torrent is one direction in which small pieces follow each other closely
// while nothing comes back. Whoever passes each of them on at once wakes the
// reader, and is woken by the writer, once per piece; all three then do little
// else. So a torrent is left alone for a moment after each read, and what came
// in the meantime is passed on together. No other direction waits for it.
const (
	torrentReads = 16
	torrentTime  = 8 * time.Millisecond // for so many reads
	torrentPiece = bufSize / 2
	torrentRest  = 200 * time.Microsecond
)

// torrent counts a read of n bytes and says whether the direction is one now.
func (f *flow) torrent(n int) bool {
	f.dst.out.reads = 0 // an answer
	if n > torrentPiece {
		f.reads = 0
		return false
	}
	if f.reads++; f.reads == 1 {
		f.since = time.Now()
	}
	return f.reads >= torrentReads && f.fast()
}

// fast says whether the reads counted so far came fast enough. It begins to
// count anew every so often: what was a torrent may have become a trickle.
func (f *flow) fast() bool {
	if f.reads%torrentReads != 0 {
		return true
	}
	now := time.Now()
	fast := now.Sub(f.since) < torrentTime
	f.since = now
	if !fast {
		f.reads = 0
	}
	return fast
}

// rest has a direction not read for a moment.
func (l *loop) rest(f *flow) {
	f.rests, f.until = true, time.Now().Add(torrentRest)
	l.resting = append(l.resting, f)
}

// glances is how often the loop looks whether there is something to do before
// it sleeps. An answer often comes that soon, and waking takes longer; where one
// message is passed back and forth that is a tenth of the round trip.
const glances = 12

// wait waits until there is something to do.
func (l *loop) wait() (int, error) {
	if len(l.resting) == 0 {
		for range glances {
			if n := ready(l.epoll, l.events[:]); n > 0 {
				return n, nil
			}
		}
		return unix.EpollWait(l.epoll, l.events[:], -1)
	}
	if left := time.Until(l.resting[0].until); left > 0 {
		pause := unix.NsecToTimespec(left.Nanoseconds())
		unix.Ppoll([]unix.PollFd{{Fd: int32(l.epoll), Events: unix.POLLIN}}, &pause, nil)
	}
	now := time.Now()
	n := 0
	for ; n < len(l.resting) && !now.Before(l.resting[n].until); n++ {
		f := l.resting[n]
		f.rests = false
		if !f.src.joint.over {
			l.settle(f)
		}
	}
	l.resting = append(l.resting[:0], l.resting[n:]...)
	return unix.EpollWait(l.epoll, l.events[:], 0)
}
