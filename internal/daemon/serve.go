package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"oriel/internal/tool"
)

// Options say what a daemon serves.
type Options struct {
	Home   Home
	Build  Build
	Caller tool.Caller
	Load   func() Load
	// IdleFor is how long the daemon stays when nothing is left to keep.
	IdleFor time.Duration
}

// ErrRunning says that another daemon holds the lock.
var ErrRunning = errors.New("another oriel daemon is running")

// lockPatience covers a predecessor that is still closing what it kept.
const lockPatience = 15 * time.Second

// Lock makes this process the one daemon of its home, until release is called
// or it dies. ErrRunning: another one is, and is well.
func Lock(ctx context.Context, h Home) (release func(), err error) {
	if err := h.Prepare(); err != nil {
		return nil, err
	}
	return awaitLock(ctx, h)
}

// Serve answers calls until ctx ends, a client asks it to stop, or it has been
// idle for long enough. The caller holds the Lock, and keeps it until all that
// was started has ended: who waits for the lock waits for that.
func Serve(ctx context.Context, o Options) error {
	if err := os.Remove(o.Home.Socket()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove a stale socket: %w", err)
	}
	listener, err := net.Listen("unix", o.Home.Socket())
	if err != nil {
		return fmt.Errorf("listen for clients: %w", err)
	}
	// Whoever closes the listener must not remove the socket of another daemon.
	if unix, ok := listener.(*net.UnixListener); ok {
		unix.SetUnlinkOnClose(false)
	}
	s := &server{Options: o, started: time.Now()}
	s.socket, _ = os.Lstat(o.Home.Socket())
	defer s.removeSocket()
	ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	return s.serve(ctx, listener)
}

// awaitLock waits for a predecessor that is ending, and gives up at once when
// one is well.
func awaitLock(ctx context.Context, h Home) (func(), error) {
	deadline := time.Now().Add(lockPatience)
	for {
		release, ok, err := takeLock(h.lock())
		if err != nil || ok {
			return release, err
		}
		if _, err := (&Client{Home: h}).Status(ctx); err == nil || time.Now().After(deadline) {
			return nil, ErrRunning
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

type server struct {
	Options
	started time.Time
	stop    context.CancelFunc
	calls   atomic.Int64 // under way now
	lastUse atomic.Int64 // unix nanoseconds
	socket  os.FileInfo  // as it was made
}

// reachable says that clients still find this daemon, not another or none.
func (s *server) reachable() bool {
	now, err := os.Lstat(s.Home.Socket())
	if err != nil || s.socket == nil { // a disk that fails to answer proves nothing
		return !errors.Is(err, os.ErrNotExist)
	}
	return sameSocket(now, s.socket)
}

func (s *server) removeSocket() {
	if s.reachable() {
		os.Remove(s.Home.Socket())
	}
}

func (s *server) serve(ctx context.Context, listener net.Listener) error {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /call", s.call)
	mux.HandleFunc("GET /status", s.status)
	mux.HandleFunc("POST /stop", s.stopNow)
	hs := &http.Server{Handler: mux, BaseContext: func(net.Listener) context.Context { return ctx }}
	s.touch()
	var wg sync.WaitGroup
	wg.Go(func() { s.watchIdle(ctx) })
	wg.Go(func() {
		<-ctx.Done()
		grace, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if hs.Shutdown(grace) != nil {
			hs.Close()
		}
	})
	err := hs.Serve(listener)
	s.stop()
	wg.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve clients: %w", err)
}

func (s *server) touch() { s.lastUse.Store(time.Now().UnixNano()) }

// watchIdle ends the daemon when no call is under way and nothing is kept, or
// when its socket is gone: what it keeps could not be reached any more.
func (s *server) watchIdle(ctx context.Context) {
	every := max(min(s.IdleFor/4, 5*time.Second), 20*time.Millisecond)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !s.reachable() {
			s.stop()
			return
		}
		if s.calls.Load() > 0 || !s.Load().Idle() {
			s.touch()
			continue
		}
		if time.Since(time.Unix(0, s.lastUse.Load())) >= s.IdleFor {
			s.stop()
		}
	}
}

func (s *server) call(w http.ResponseWriter, r *http.Request) {
	if Build(r.Header.Get(buildHeader)) != s.Build {
		s.reply(w, http.StatusConflict)
		return
	}
	var c request
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		http.Error(w, "read the call: "+err.Error(), http.StatusBadRequest)
		return
	}
	s.calls.Add(1)
	defer func() {
		s.touch()
		s.calls.Add(-1)
	}()
	// The header goes out before the work begins: a client that never saw it
	// knows that the call was not begun, and may make it again.
	w.WriteHeader(http.StatusOK)
	http.NewResponseController(w).Flush()
	var mu sync.Mutex // one writer on the stream
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	send := func(m message) {
		mu.Lock()
		defer mu.Unlock()
		if enc.Encode(m) == nil {
			http.NewResponseController(w).Flush()
		}
	}
	ctx := tool.WithProgress(r.Context(), func(p tool.Progress) { send(message{Progress: &p}) })
	res := s.Caller.Call(ctx, c.call())
	send(message{Result: &res})
}

func (s *server) status(w http.ResponseWriter, _ *http.Request) { s.reply(w, http.StatusOK) }

func (s *server) reply(w http.ResponseWriter, code int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(Status{Build: s.Build, PID: os.Getpid(), Started: s.started, Load: s.Load()})
}

// stopNow ends the daemon; with if=idle only when it keeps nothing, decided
// here, so that no client can slip in between the question and the end.
func (s *server) stopNow(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("if") == "idle" && !(s.calls.Load() == 0 && s.Load().Idle()) {
		s.reply(w, http.StatusConflict)
		return
	}
	s.reply(w, http.StatusOK)
	s.stop()
}
