package journal

import (
	"context"
	"iter"
	"slices"
)

// Batch is what arrived since a follower last asked.
type Batch struct {
	Entries []Entry // oldest first, by Seq
	Missed  uint64  // appended since, but dropped or cleared before this follower could read them
	Last    uint64  // cursor to go on from after a break
}

// FollowBatch is the most entries that one Batch carries.
const FollowBatch = 1000

// Follow yields what is appended after the sequence number after and matches q
// (whose Limit and After are ignored), until ctx ends or the loop is left. It
// never holds a producer up: a follower that is slower than the journal's
// bounds misses entries and is told how many. Missed counts the kinds q asks
// for; the first batch cannot tell kinds apart and counts all.
func (j *Journal) Follow(ctx context.Context, after uint64, q Query) iter.Seq[Batch] {
	return func(yield func(Batch) bool) {
		q.After, q.Limit = 0, 0
		f := follower{journal: j, query: q, cursor: after, first: true}
		for ctx.Err() == nil {
			batch, wait := f.next()
			if wait != nil {
				select {
				case <-wait:
					continue
				case <-ctx.Done():
					return
				}
			}
			if (len(batch.Entries) > 0 || batch.Missed > 0) && !yield(batch) {
				return
			}
		}
	}
}

type follower struct {
	journal *Journal
	query   Query
	cursor  uint64
	totals  [len(kinds)]uint64 // per kind: how many were accounted for
	first   bool
}

// next returns the matching entries after the cursor, or a channel that closes
// when there may be some.
func (f *follower) next() (Batch, <-chan struct{}) {
	found, missed, wait := f.collect()
	if wait != nil {
		return Batch{}, wait
	}
	m := newMatcher(&f.query)
	batch := Batch{Missed: missed, Last: f.cursor}
	for _, e := range found {
		if m.match(e) {
			batch.Entries = append(batch.Entries, *e)
		}
	}
	return batch, nil
}

// collect takes references to the next entries, at most FollowBatch of each
// kind, in order of Seq, and moves the cursor behind the last that is complete.
func (f *follower) collect() ([]*Entry, uint64, <-chan struct{}) {
	j := f.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.seq <= f.cursor {
		f.cursor = j.seq // a cursor from another journal's life
		if f.first {
			f.settle()
		}
		if j.wake == nil {
			j.wake = make(chan struct{})
		}
		return nil, 0, j.wake
	}
	upTo := f.horizon()
	var found []*Entry
	var missed, held uint64
	for i := range j.rings {
		r := &j.rings[i]
		from := r.since(f.cursor)
		to := r.since(upTo)
		held += uint64(to - from)
		if len(f.query.Kinds) > 0 && !slices.Contains(f.query.Kinds, kinds[i]) {
			continue
		}
		for p := from; p < to; p++ {
			found = append(found, r.at(p).entry)
		}
		after := r.total - uint64(r.n-to) // ordinal behind the last one taken
		if !f.first {
			missed += after - f.totals[i] - uint64(to-from)
		}
		f.totals[i] = after
	}
	if f.first {
		missed = upTo - f.cursor - held
		f.first = false
	}
	f.cursor = upTo
	slices.SortFunc(found, bySeq)
	return found, missed, nil
}

// settle starts the per-kind account at the present.
func (f *follower) settle() {
	for i := range f.journal.rings {
		f.totals[i] = f.journal.rings[i].total
	}
	f.first = false
}

// horizon returns the sequence number up to which the next batch goes, so that
// no kind contributes more than its share and nothing is skipped.
func (f *follower) horizon() uint64 {
	upTo := f.journal.seq
	for i := range f.journal.rings {
		r := &f.journal.rings[i]
		if last := r.since(f.cursor) + FollowBatch/len(kinds) - 1; last < r.n-1 {
			upTo = min(upTo, r.at(last).entry.Seq)
		}
	}
	return upTo
}

func bySeq(a, b *Entry) int {
	if a.Seq < b.Seq {
		return -1
	}
	return 1
}
