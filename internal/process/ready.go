package process

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"oriel/internal/process/child"
	"oriel/internal/process/devurl"
	"oriel/internal/process/tree"
)

const (
	pollEvery   = 100 * time.Millisecond
	dialTimeout = time.Second
	// urlTimeout is how long one answer to a readiness request may take: a first
	// request can make a dev server compile.
	urlTimeout = 30 * time.Second
	// maxSettle is how many settle times a chatty child may keep us waiting.
	maxSettle = 4
)

// probe finds out when a child is ready.
type probe struct {
	ready Ready
	// taken: something listened on the port before the child was started, so that
	// a connection alone proves nothing.
	taken bool
}

// newProbe looks at the world before the child is started.
func newProbe(r Ready) probe {
	p := probe{ready: r}
	if r.Port != 0 {
		p.taken = listens(context.Background(), r.Port)
	}
	return p
}

// watch waits until the child is ready and says so. It ends with the context.
func (b probe) watch(ctx context.Context, p *Process, c *child.Child) {
	ok := false
	if b.ready.explicit() {
		ok = b.byPattern(ctx, p, c) && b.byPort(ctx, p, c) && b.byURL(ctx)
	} else {
		ok = b.byBanner(ctx, p, c)
	}
	if ok {
		p.markReady()
	}
}

func (p *Process) markReady() {
	p.update(func(s *Status) { s.State, s.ReadyAt, s.LastError = StateReady, time.Now(), "" })
}

func (b probe) byPattern(ctx context.Context, p *Process, c *child.Child) bool {
	if b.ready.Pattern == nil {
		return true
	}
	_, err := p.out.Await(ctx, c.First, func(l Line) bool {
		return l.Stream != Note && b.ready.Pattern.MatchString(l.Text)
	})
	return err == nil
}

func (b probe) byPort(ctx context.Context, p *Process, c *child.Child) bool {
	if b.ready.Port == 0 {
		return true
	}
	if b.taken {
		p.update(func(s *Status) {
			s.LastError = "port " + strconv.Itoa(b.ready.Port) + " was in use by another process before the start"
		})
	}
	return poll(ctx, func() bool {
		if b.taken {
			ports, err := c.Tree.Ports()
			if err != nil {
				return false
			}
			for _, o := range ports {
				if o.Port == b.ready.Port {
					return true
				}
			}
			return false
		}
		return listens(ctx, b.ready.Port)
	})
}

func (b probe) byURL(ctx context.Context) bool {
	if b.ready.URL == "" {
		return true
	}
	client := &http.Client{
		Timeout:   urlTimeout,
		Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: localTLS(b.ready.URL)},
		// A redirect is an answer; where it leads is not our business.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return poll(ctx, func() bool {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.ready.URL, nil)
		if err != nil {
			return false
		}
		resp, err := client.Do(req)
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode < 500
	})
}

// byBanner waits for a local URL in the output that accepts connections. A child
// that prints none counts as running once it is quiet.
func (b probe) byBanner(ctx context.Context, p *Process, c *child.Child) bool {
	latest := time.NewTimer(maxSettle * b.ready.Settle)
	defer latest.Stop()
	quiet := time.NewTimer(b.ready.Settle)
	defer quiet.Stop()
	settled := false
	for {
		lines, states := p.out.Wait(), p.onChange()
		var again <-chan time.Time
		if u := p.candidate(settled); u != "" {
			if reachable(ctx, u) && !heldByOthers(c, u) {
				return ctx.Err() == nil
			}
			again = time.After(pollEvery) // printed, not listening yet
		}
		if settled {
			lines = nil // readiness may still come, but output alone does not matter now
		}
		select {
		case <-ctx.Done():
			return false
		case <-states:
		case <-again:
		case <-lines:
			quiet.Reset(b.ready.Settle)
		case <-quiet.C:
			settled = p.settle(c, settled)
		case <-latest.C:
			settled = p.settle(c, settled)
		}
	}
}

// settle makes a child that never said that it is ready count as running.
func (p *Process) settle(c *child.Child, already bool) bool {
	if already {
		return true
	}
	for _, l := range p.out.Partial() {
		p.noticeURL(c, l.Text)
	}
	p.update(func(s *Status) { s.State = StateRunning })
	return true
}

// candidate returns the URL whose answer would mean readiness: one that the
// child called its own or, once it has settled, any.
func (p *Process) candidate(any bool) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if best := bestURL(p.urls); best.Own() || any {
		return best.URL
	}
	return ""
}

// reachable reports whether something accepts connections at a local URL. It
// asks nothing: a request could make a dev server compile, or count as a visit.
func reachable(ctx context.Context, raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	port, err := strconv.Atoi(devurl.Port(u))
	return err == nil && listens(ctx, port)
}

// heldByOthers reports whether what answers at a local URL is known to be none
// of the child's: a server that prints its address before it binds may find it
// taken. A holder that cannot be seen is given the benefit of the doubt.
func heldByOthers(c *child.Child, raw string) bool {
	u, err := url.Parse(raw)
	if err != nil || !loopback(u.Hostname()) {
		return false
	}
	port, err := strconv.Atoi(devurl.Port(u))
	if err != nil {
		return false
	}
	holders, err := tree.Holders(port)
	if err != nil {
		return false
	}
	others := false
	for _, h := range holders {
		if h.Hidden || owns(c, h) {
			return false
		}
		others = true
	}
	return others
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// listens reports whether a TCP port accepts connections on the loopback
// interface, by either protocol.
func listens(ctx context.Context, port int) bool {
	d := net.Dialer{Timeout: dialTimeout}
	for _, host := range []string{"127.0.0.1", "::1"} {
		conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err == nil {
			conn.Close()
			return true
		}
	}
	return false
}

// poll asks until the answer is yes. It reports false when the context ended.
func poll(ctx context.Context, ask func() bool) bool {
	t := time.NewTicker(pollEvery)
	defer t.Stop()
	for {
		if ask() {
			return ctx.Err() == nil
		}
		select {
		case <-ctx.Done():
			return false
		case <-t.C:
		}
	}
}
