package engine

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"oriel/internal/config"
	"oriel/internal/engine/address"
	"oriel/internal/journal"
	"oriel/internal/page"
	"oriel/internal/proxy"
	"oriel/internal/proxy/redact"
	"oriel/internal/sourcemap"
)

// ProxySpec says what a proxy fronts and where it listens.
type ProxySpec struct {
	ID          string
	Target      string // URL; a host and port, or a port alone, mean http
	Script      string // the process whose printed URL is the target, for as long as it runs
	Port        int    // 0: the stable one of this project and id
	Bind        string // host to listen on; empty: 127.0.0.1
	InsecureTLS bool
	PublicURL   string
}

// Proxy is a running proxy and the pages behind it.
type Proxy struct {
	*proxy.Proxy
	Hub     *page.Hub
	Spec    ProxySpec
	Started time.Time
	// Moved says that the usual port was taken by somebody else.
	Moved string

	sources *sourcemap.Resolver // made on first use; guarded by the workspace
}

func (p *Proxy) close(ctx context.Context) error {
	grace, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return errors.Join(p.Hub.Close(), p.Proxy.Close(grace))
}

// StartProxy starts a proxy. A running one of the same id is returned as it is
// when it has the same target, else it is replaced.
func (w *Workspace) StartProxy(ctx context.Context, spec ProxySpec) (*Proxy, error) {
	target, err := address.Target(spec.Target)
	if err != nil {
		return nil, err
	}
	spec.Target = target.String()
	w.proxyMu.Lock()
	defer w.proxyMu.Unlock()
	if old, err := w.Proxy(spec.ID); err == nil {
		if old.Spec == spec {
			return old, nil
		}
		if err := w.StopProxy(ctx, spec.ID); err != nil {
			return nil, err
		}
	}
	p, err := w.listen(spec, target)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ctx.Err() != nil {
		p.close(context.Background())
		return nil, errClosed
	}
	w.units = append(w.units, unit{id: spec.ID, proxy: p})
	return p, nil
}

// listen takes the port that was asked for, or the project's own for this id,
// or one near it.
func (w *Workspace) listen(spec ProxySpec, target *url.URL) (*Proxy, error) {
	cfg, err := w.proxyConfig(spec, target)
	if err != nil {
		return nil, err
	}
	p := &Proxy{Spec: spec, Started: time.Now()}
	p.Hub = page.NewHub(page.Options{
		Proxy: spec.ID, Secret: page.DeriveSecret(w.engine.secret, w.Root, spec.ID), Journal: w.Journal,
		Keep: w.keeper(spec.ID), Hosts: publicHost(cfg.PublicURL), CleanURL: redact.New(cfg.Redact).URL,
	})
	cfg.Devtool = p.Hub
	cfg.Tag = func(r *http.Request) proxy.Tag {
		t := p.Hub.Issue(r)
		return proxy.Tag{
			Src: t.Src(), NoInline: page.FilesAttr,
			Attrs: []proxy.Attr{{Name: page.KeyAttr, Value: t.Key()}, {Name: page.TargetAttr, Value: target.Host}},
		}
	}
	own := address.Ports(w.Root, spec.ID)
	host := spec.Bind
	if host == "" {
		host = "127.0.0.1"
	}
	ports := []int{spec.Port}
	if spec.Port == 0 {
		ports = own
	}
	for _, port := range ports {
		cfg.Listen = net.JoinHostPort(host, strconv.Itoa(port))
		if address.Loops(target, port) {
			continue
		}
		p.Proxy, err = proxy.Start(w.ctx, cfg)
		if busy, ok := errors.AsType[*proxy.BusyError](err); ok && spec.Port == 0 {
			p.Moved = fmt.Sprintf("port %d is in use", busy.Port)
			continue
		}
		break
	}
	if err != nil || p.Proxy == nil {
		p.Hub.Close()
		return nil, portError(spec, err)
	}
	if p.Port() == own[0] {
		p.Moved = ""
	}
	return p, nil
}

func portError(spec ProxySpec, err error) error {
	if err == nil {
		return fmt.Errorf("proxy %s: target_url is the proxy's own address", spec.ID)
	}
	if busy, ok := errors.AsType[*proxy.BusyError](err); ok {
		return fmt.Errorf("proxy %s: port %d is in use: see proc {\"action\":\"port\",\"port\":%d}, or leave port out", spec.ID, busy.Port, busy.Port)
	}
	return err
}

func (w *Workspace) proxyConfig(spec ProxySpec, target *url.URL) (proxy.Config, error) {
	c, _ := w.Config()
	cfg := proxy.Config{
		ID: spec.ID, Target: target, InsecureTLS: spec.InsecureTLS,
		BodyLimit: c.BodyLimit, Redact: c.Redact,
		Record: func(e journal.Entry) { w.Journal.Append(e) },
	}
	if c.BodyLimit == 0 {
		cfg.BodyLimit = -1
	}
	if spec.PublicURL != "" {
		u, err := url.Parse(spec.PublicURL)
		if err != nil {
			return cfg, fmt.Errorf("proxy %s: public-url: %w", spec.ID, err)
		}
		cfg.PublicURL = u
	}
	return cfg, nil
}

func publicHost(u *url.URL) func(string) bool {
	if u == nil {
		return nil
	}
	return func(host string) bool { return strings.EqualFold(host, u.Host) }
}

// StopProxy ends a proxy.
func (w *Workspace) StopProxy(ctx context.Context, id string) error {
	p, err := w.Proxy(id)
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.units = slices.DeleteFunc(w.units, func(u unit) bool { return u.proxy == p })
	w.mu.Unlock()
	return p.close(ctx)
}

// Proxy finds one by id; an empty id means the only one there is.
func (w *Workspace) Proxy(id string) (*Proxy, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := w.findProxy(id); i >= 0 {
		return w.units[i].proxy, nil
	}
	all := w.ids(func(u unit) bool { return u.proxy != nil })
	switch {
	case id != "":
		return nil, fmt.Errorf("proxy not found: %s", id)
	case len(all) == 1:
		return w.units[w.findProxy(all[0])].proxy, nil
	case len(all) == 0:
		return nil, fmt.Errorf("no proxy runs in %s: start one with proxy {\"action\":\"start\",\"id\":…,\"target_url\":…}", w.Root)
	default:
		return nil, fmt.Errorf("proxy_id required, since there are several proxies: %s", list(all))
	}
}

// Proxies are the project's, in the order in which they were started.
func (w *Workspace) Proxies() []*Proxy {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []*Proxy
	for _, u := range w.units {
		if u.proxy != nil {
			all = append(all, u.proxy)
		}
	}
	return all
}

// specOf is a proxy of the project's file; its target may still be unknown.
func specOf(c config.Proxy) ProxySpec {
	return ProxySpec{
		ID: c.ID, Target: c.Target, Script: c.Script, Port: c.Port, Bind: c.Bind,
		InsecureTLS: c.InsecureTLS, PublicURL: c.PublicURL,
	}
}
