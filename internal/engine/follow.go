package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"oriel/internal/config"
	"oriel/internal/engine/address"
	"oriel/internal/process"
)

// ConfiguredProxy is the proxy that the project's file describes under an id.
func (w *Workspace) ConfiguredProxy(id string) (ProxySpec, bool) {
	cfg, _ := w.Config()
	c, ok := cfg.Proxy(id)
	return specOf(c), ok
}

// renew has the proxies that run as the file had them run as it has them now,
// and all of them keep to its limits. A file that is not understood, or that
// somebody is just writing anew, is no reason to show more than before. The
// caller holds w.mu.
func (w *Workspace) renew(now config.Config, problems int) {
	broken := problems > 0 || len(now.Scripts)+len(now.Proxies)+len(now.Redact) == 0
	limits := !broken && (now.BodyLimit != w.seen.BodyLimit || !slices.Equal(now.Redact, w.seen.Redact))
	for _, u := range w.units {
		if u.proxy == nil || w.ctx.Err() != nil {
			continue
		}
		was := w.defined[u.id]
		is, defined := now.Proxy(u.id)
		spec, moved := u.proxy.Spec, defined && u.proxy.runs(was) && specOf(was) != specOf(is)
		if moved {
			spec = specOf(is)
		}
		if !moved || was.Port == is.Port {
			spec.Port = u.proxy.Port()
		}
		if moved || limits {
			w.tasks.Go(func() { w.settle(proxyKey(spec.ID), w.replaceProxy(spec)) })
		}
	}
	for _, p := range now.Proxies {
		w.defined[p.ID] = p
	}
	if !broken {
		w.seen = now
	}
}

// runs says that the proxy is the one that the file describes.
func (p *Proxy) runs(c config.Proxy) bool {
	target, err := address.Target(c.Target)
	return p.Spec.ID == c.ID && p.Spec.Script == c.Script && (c.Script != "" || err == nil && target.String() == p.Spec.Target)
}

func (w *Workspace) replaceProxy(spec ProxySpec) error {
	spec, err := w.Resolve(w.ctx, spec)
	if err == nil {
		err = w.StopProxy(w.ctx, spec.ID)
	}
	if err == nil {
		_, err = w.StartProxy(w.ctx, spec)
	}
	return err
}

// Resolve fills in the target of a proxy that takes it from a script, once
// that script is ready.
func (w *Workspace) Resolve(ctx context.Context, spec ProxySpec) (ProxySpec, error) {
	if spec.Script == "" {
		return spec, nil
	}
	p, err := w.Process(spec.Script)
	if err != nil {
		return spec, fmt.Errorf("script %q is not running: start it with run {\"script_name\":%q}", spec.Script, spec.Script)
	}
	ctx, cancel := context.WithTimeout(ctx, readyPatience)
	defer cancel()
	if _, err := p.Wait(ctx, process.Until{Ready: true}); err != nil {
		return spec, err
	}
	spec.Target = p.Status().URL
	if spec.Target == "" {
		return spec, fmt.Errorf("script %q printed no local URL: give the proxy a target instead", spec.Script)
	}
	return spec, nil
}

// follow moves the proxies of a script to the URL it prints now: a dev server
// that is restarted may come up on another port. It is called by the process's
// own goroutine, so the work is done in another one.
func (w *Workspace) follow(st process.Status) {
	if st.State != process.StateReady || st.URL == "" {
		return
	}
	for _, p := range w.Proxies() {
		spec := p.Spec
		target, err := address.Target(st.URL)
		if spec.Script != st.ID || err != nil || target.String() == spec.Target {
			continue
		}
		spec.Target, spec.Port = target.String(), p.Port()
		w.background(func() {
			if _, err := w.StartProxy(w.ctx, spec); err != nil && !errors.Is(err, errClosed) {
				w.engine.opts.Log(fmt.Sprintf("move proxy %s to %s: %v", spec.ID, spec.Target, err))
			}
		})
	}
}
