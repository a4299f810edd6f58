package journal

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
)

func TestFollowGetsEverythingInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := New(nil)
		j.Append(consoleEntry(0, "before"))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var got []uint64
		var wg sync.WaitGroup
		wg.Go(func() {
			for b := range j.Follow(ctx, 0, Query{}) {
				if b.Missed != 0 {
					t.Errorf("missed %d", b.Missed)
				}
				got = append(got, seqs(b.Entries)...)
			}
		})
		synctest.Wait()
		for i := range 5000 {
			j.Append(consoleEntry(i, "x"))
			j.Append(httpEntry(i, "GET", "/", 200))
			if i%500 == 0 {
				synctest.Wait()
			}
		}
		synctest.Wait()
		cancel()
		wg.Wait()
		if len(got) != 10001 {
			t.Fatalf("got %d entries, want 10001", len(got))
		}
		for i, seq := range got {
			if seq != uint64(i+1) {
				t.Fatalf("entry %d has sequence %d", i, seq)
			}
		}
	})
}

func TestSlowFollowerIsToldWhatItMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := New(Limits{KindConsole: {Count: 100, Bytes: 1 << 20}})
		q := Query{Kinds: []Kind{KindConsole}}
		gate := make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var read, missed uint64
		var wg sync.WaitGroup
		wg.Go(func() {
			for b := range j.Follow(ctx, 0, q) {
				read += uint64(len(b.Entries))
				missed += b.Missed
				<-gate
			}
		})
		synctest.Wait()
		for i := range 1000 { // producers never wait for the reader, who is stuck at the gate
			j.Append(consoleEntry(i, "x"))
			j.Append(httpEntry(i, "GET", "/", 200))
			if i == 0 {
				synctest.Wait()
			}
		}
		close(gate)
		synctest.Wait()
		cancel()
		wg.Wait()
		if read+missed != 1000 || missed != 899 {
			t.Errorf("read %d, missed %d; want them to add up to 1000 with 899 missed", read, missed)
		}
	})
}

func TestFollowFromACursor(t *testing.T) {
	j := New(Limits{KindConsole: {Count: 10, Bytes: 1 << 20}})
	for i := range 30 {
		j.Append(consoleEntry(i, "x"))
	}
	for b := range j.Follow(t.Context(), 15, Query{}) {
		if b.Missed != 5 || len(b.Entries) != 10 || b.Entries[0].Seq != 21 || b.Last != 30 {
			t.Errorf("missed %d, entries %v, last %d", b.Missed, seqs(b.Entries), b.Last)
		}
		break
	}
}

// Clearing part of what a follower has not read must not confuse its account.
func TestFollowAcrossClear(t *testing.T) {
	j := New(nil)
	for i := range 50 {
		e := consoleEntry(i, "x")
		if i%5 == 0 {
			e.Proxy = "other"
		}
		j.Append(e)
	}
	var read, missed uint64
	for b := range j.Follow(t.Context(), 10, Query{}) {
		read += uint64(len(b.Entries))
		missed += b.Missed
		if b.Last == 50 {
			if n := j.Clear("other"); n != 10 {
				t.Fatalf("cleared %d", n)
			}
			for i := range 10 {
				j.Append(consoleEntry(i, "y"))
			}
		}
		if b.Last == 60 {
			break
		}
	}
	if read != 50 || missed != 0 {
		t.Errorf("read %d, missed %d", read, missed)
	}
}

func TestFollowEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range New(nil).Follow(ctx, 0, Query{}) {
		t.Error("a batch after the end")
	}
}
