package proxy

// later runs small jobs on one goroutine of its own. When it is behind, the
// caller does the job itself, so that nothing is lost and nothing piles up.
type later struct {
	jobs chan func()
	done chan struct{}
}

const maxLater = 256

func newLater() *later {
	l := &later{jobs: make(chan func(), maxLater), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		for job := range l.jobs {
			job()
		}
	}()
	return l
}

func (l *later) do(job func()) {
	select {
	case l.jobs <- job:
	default:
		job()
	}
}

// close waits for the jobs there are. No do may follow.
func (l *later) close() {
	close(l.jobs)
	<-l.done
}
