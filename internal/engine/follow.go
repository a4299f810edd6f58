package engine

import (
	"context"
	"errors"
	"fmt"

	"oriel/internal/process"
)

// ConfiguredProxy is the proxy that the project's file describes under an id.
func (w *Workspace) ConfiguredProxy(id string) (ProxySpec, bool) {
	cfg, _ := w.Config()
	c, ok := cfg.Proxy(id)
	return specOf(c), ok
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
		target, err := ParseTarget(st.URL)
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
