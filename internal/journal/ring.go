package journal

// slot is one place in a ring. The entry behind it never changes, so a copy of
// a slot may be read without the journal's lock.
type slot struct {
	entry *Entry
	size  int
}

// ring holds the entries of one kind, oldest first, bounded by count and bytes.
// It grows by doubling up to its bound, so an idle kind costs nothing.
type ring struct {
	limit   Limit
	slots   []slot
	head    int // index of the oldest
	n       int
	bytes   int
	total   uint64 // ever appended
	dropped uint64 // pushed out by newer ones, never by Clear
}

// add puts s in as the newest and pushes out what no longer fits. The newest
// entry itself always stays, even when it alone is over the byte bound.
func (r *ring) add(s slot) {
	for r.n > 0 && (r.n >= r.limit.Count || r.bytes+s.size > r.limit.Bytes) {
		r.evict()
		r.dropped++
	}
	if r.n == len(r.slots) {
		r.grow()
	}
	r.slots[r.index(r.n)] = s
	r.n++
	r.bytes += s.size
	r.total++
}

func (r *ring) index(i int) int {
	i += r.head
	if i >= len(r.slots) {
		i -= len(r.slots)
	}
	return i
}

func (r *ring) at(i int) slot { return r.slots[r.index(i)] }

func (r *ring) evict() {
	r.bytes -= r.slots[r.head].size
	r.slots[r.head] = slot{}
	r.head = r.index(1)
	r.n--
}

func (r *ring) grow() {
	size := max(16, 2*len(r.slots))
	size = min(size, max(r.limit.Count, 1))
	grown := make([]slot, size)
	r.copyTo(grown)
	r.slots, r.head = grown, 0
}

// copyTo copies the ring, oldest first, in at most two block moves.
func (r *ring) copyTo(dst []slot) {
	first := min(r.n, len(r.slots)-r.head)
	copy(dst, r.slots[r.head:r.head+first])
	copy(dst[first:], r.slots[:r.n-first])
}

// since returns the position of the oldest entry with a sequence over after.
func (r *ring) since(after uint64) int {
	lo, hi := 0, r.n
	for lo < hi {
		mid := (lo + hi) / 2
		if r.at(mid).entry.Seq > after {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// remove takes out what match accepts and returns how many that were.
func (r *ring) remove(match func(*Entry) bool) int {
	kept := make([]slot, 0, r.n)
	bytes := 0
	for i := range r.n {
		if s := r.at(i); !match(s.entry) {
			kept = append(kept, s)
			bytes += s.size
		}
	}
	removed := r.n - len(kept)
	r.slots, r.head, r.n, r.bytes = kept, 0, len(kept), bytes
	return removed
}
