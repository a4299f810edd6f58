package config

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// report is one call of onChange.
type report struct {
	config   Config
	problems []Problem
}

// watcher runs Watch on real files, with the clock of a synctest bubble: waiting
// for a report costs no time, and that none comes is certain, not likely.
type watcher struct {
	t       *testing.T
	path    string
	reports chan report
}

func watching(t *testing.T, path string, body func(w *watcher)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := &watcher{t: t, path: path, reports: make(chan report)}
		var watch sync.WaitGroup
		watch.Go(func() {
			Watch(ctx, path, func(config Config, problems []Problem) {
				select {
				case w.reports <- report{config, problems}:
				case <-ctx.Done():
				}
			})
		})
		body(w)
		cancel()
		watch.Wait()
	})
}

// next is the report that must come; it says how long that took.
func (w *watcher) next() (report, time.Duration) {
	w.t.Helper()
	start := time.Now()
	select {
	case r := <-w.reports:
		return r, time.Since(start)
	case <-time.After(time.Minute):
		w.t.Fatal("no report within a minute")
		return report{}, 0
	}
}

// linger asserts the next report by a value it holds.
func (w *watcher) linger(want time.Duration) {
	w.t.Helper()
	r, took := w.next()
	if r.config.Linger != want || len(r.problems) > 0 {
		w.t.Errorf("linger %v and problems %v reported, want %v and none", r.config.Linger, r.problems, want)
	}
	if took > pollInterval+2*settleTime {
		w.t.Errorf("the change was seen only after %v", took)
	}
}

// quiet asserts that no report comes.
func (w *watcher) quiet() {
	w.t.Helper()
	select {
	case r := <-w.reports:
		w.t.Errorf("unexpected report: linger %v, problems %v", r.config.Linger, r.problems)
	case <-time.After(10*pollInterval + settleTime/3): // never at the moment of a look
	}
}

func TestWatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	write(t, path, `linger "1s"`)
	watching(t, path, func(w *watcher) {
		w.linger(time.Second)
		w.quiet()

		write(t, path, `linger "20s"`) // in place
		w.linger(20 * time.Second)

		write(t, path, `linger "30s"`) // in place, same size
		w.linger(30 * time.Second)

		write(t, path+".new", `linger "4s"`) // by renaming over, as most editors do
		rename(t, path+".new", path)
		w.linger(4 * time.Second)

		remove(t, path)
		w.linger(DefaultLinger)
		w.quiet()

		write(t, path, `linger "5s"`) // anew
		w.linger(5 * time.Second)

		rename(t, path, path+"~") // by backup and anew, between two looks
		write(t, path, `linger "6s"`)
		w.linger(6 * time.Second)
	})
}

func TestWatchKeepsQuietWhenNothingChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	watching(t, path, func(w *watcher) {
		w.linger(DefaultLinger) // there is no file yet
		w.quiet()

		write(t, path, `linger "1s"`)
		w.linger(time.Second)

		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(path, later, later); err != nil {
			t.Fatal(err)
		}
		w.quiet()

		write(t, path+".new", `linger "1s"`) // another file, the same text
		rename(t, path+".new", path)
		w.quiet()

		remove(t, path) // gone for less than the settle time
		write(t, path, `linger "1s"`)
		w.quiet()
	})
}

// A change that leaves size, identity and time of the file as they are is still
// seen while the file is young.
func TestWatchSeesAChangeWithinOneTickOfTheClock(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	write(t, path, `linger "1s"`)
	watching(t, path, func(w *watcher) {
		w.linger(time.Second)
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, `linger "2s"`)
		if err := os.Chtimes(path, before.ModTime(), before.ModTime()); err != nil {
			t.Fatal(err)
		}
		w.linger(2 * time.Second)
	})
}

func TestWatchReportsProblemsAndRecovers(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	write(t, path, "lingr 1")
	watching(t, path, func(w *watcher) {
		r, _ := w.next()
		want := path + `:1:1: unknown key "lingr" at the top level (did you mean "linger"?)`
		if len(r.problems) != 1 || r.problems[0].String() != want {
			t.Errorf("problems %v, want %s", r.problems, want)
		}
		write(t, path, `linger "1s"`)
		w.linger(time.Second)

		remove(t, path)
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if r, _ := w.next(); len(r.problems) != 1 || r.config.Linger != DefaultLinger {
			t.Errorf("a folder in its place: linger %v, problems %v", r.config.Linger, r.problems)
		}
		remove(t, path)
		w.linger(DefaultLinger)
	})
}

// While a file is being written it is not read, but not for ever.
func TestWatchWaitsForAFileToSettle(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	watching(t, path, func(w *watcher) {
		w.linger(DefaultLinger)
		text := `linger "3s" //`
		const step = settleTime/2 + 7*time.Millisecond // seldom at the moment of a look
		for range 3 * pollInterval / settleTime {
			write(t, path, text)
			text += "."
			select {
			case r := <-w.reports:
				t.Errorf("read while being written: %v", r.config.Linger)
			case <-time.After(step):
			}
		}
		if r, _ := w.next(); r.config.Linger != 3*time.Second {
			t.Errorf("linger %v", r.config.Linger)
		}
		w.quiet()

		start := time.Now()
		for seen := false; !seen; {
			text += "."
			write(t, path, text)
			select {
			case <-w.reports:
				seen = true
			case <-time.After(step):
			}
			if time.Since(start) > time.Minute {
				t.Fatal("a file that keeps changing is never read")
			}
		}
	})
}

func TestWatchEndsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		var watch sync.WaitGroup
		watch.Go(func() { Watch(ctx, path, func(Config, []Problem) { calls++ }) })
		synctest.Wait()
		write(t, path, `linger "1s"`)
		cancel()
		watch.Wait()
		if calls != 1 {
			t.Errorf("%d calls, want only the first", calls)
		}
	})
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// The bubble's clock makes every new file look young, which is then read at
// every look. With times far in the past only what can be seen without reading
// counts: time, size, identity, existence.
func TestWatchReadsOldFilesOnlyWhenTheyLookChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	put := func(path, text string, year int) {
		t.Helper()
		write(t, path, text)
		then := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	put(path, `linger "1s"`, 1990)
	watching(t, path, func(w *watcher) {
		w.linger(time.Second)

		put(path, `linger "2s"`, 1990)
		w.quiet()

		put(path, `linger "3s"`, 1991)
		w.linger(3 * time.Second)

		put(path, `linger "14s"`, 1991)
		w.linger(14 * time.Second)

		put(path+".new", `linger "15s"`, 1991)
		rename(t, path+".new", path)
		w.linger(15 * time.Second)

		remove(t, path)
		w.linger(DefaultLinger)

		put(path, `linger "16s"`, 1991)
		w.linger(16 * time.Second)
	})
}

// The same with the machine's own clock, where times of files mean something.
func TestWatchInRealTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	write(t, path, `linger "1s"`)
	ctx, cancel := context.WithCancel(t.Context())
	lingers := make(chan time.Duration, 10)
	var watch sync.WaitGroup
	watch.Go(func() {
		Watch(ctx, path, func(config Config, _ []Problem) { lingers <- config.Linger })
	})
	defer watch.Wait()
	defer cancel()
	expect := func(want time.Duration) {
		t.Helper()
		select {
		case got := <-lingers:
			if got != want {
				t.Errorf("linger %v, want %v", got, want)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("no report of linger %v", want)
		}
	}
	expect(time.Second)
	write(t, path, `linger "2s"`)
	expect(2 * time.Second)
	write(t, path+".new", `linger "3s"`)
	rename(t, path+".new", path)
	expect(3 * time.Second)
}
