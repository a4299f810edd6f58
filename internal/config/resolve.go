package config

import (
	"slices"
	"strings"
)

// resolve checks names against each other and drops what leads nowhere, so that
// the Config is consistent in itself.
func (d *decoder) resolve(draft *draft) {
	config := &draft.config
	for i := range config.Scripts {
		script := &config.Scripts[i]
		subject := "depends-on of " + owner{"script", script.Name}.String()
		draft.dependencies[script.Name] = slices.DeleteFunc(draft.dependencies[script.Name], func(ref reference) bool {
			return !d.known(draft, subject, ref)
		})
	}
	d.breakCycles(draft)
	for i := range config.Scripts {
		script := &config.Scripts[i]
		for _, ref := range draft.dependencies[script.Name] {
			if !slices.Contains(script.DependsOn, ref.name) {
				script.DependsOn = append(script.DependsOn, ref.name)
			}
		}
	}
	config.Proxies = slices.DeleteFunc(config.Proxies, func(proxy Proxy) bool {
		subject := "script of " + owner{"proxy", proxy.ID}.String()
		return proxy.Script != "" && !d.known(draft, subject, draft.targets[proxy.ID])
	})
	d.checkPorts(draft)
}

// known reports a reference to a script that is not there, or that is there but
// has problems of its own which keep it from being run.
func (d *decoder) known(draft *draft, subject string, ref reference) bool {
	if draft.usable[ref.name] {
		return true
	}
	if at, declared := draft.scriptNames[ref.name]; declared {
		d.problem(ref.Position, "%s: script %s cannot be run, see %d:%d", subject, quote(ref.name), at.Line, at.Column)
		return false
	}
	names := make([]string, len(draft.config.Scripts))
	for i, script := range draft.config.Scripts {
		names[i] = script.Name
	}
	if len(names) == 0 {
		d.problem(ref.Position, "%s: unknown script %s (no script is defined)", subject, quote(ref.name))
		return false
	}
	d.problem(ref.Position, "%s: unknown script %s %s", subject, quote(ref.name), suggest(ref.name, names))
	return false
}

// breakCycles reports every circle of dependencies once, and drops the
// dependency that closes it.
func (d *decoder) breakCycles(draft *draft) {
	const (
		unseen = iota
		open   // on the path being followed
		done
	)
	state := map[string]int{}
	var path []string
	var visit func(name string)
	visit = func(name string) {
		state[name] = open
		path = append(path, name)
		draft.dependencies[name] = slices.DeleteFunc(draft.dependencies[name], func(ref reference) bool {
			switch state[ref.name] {
			case open:
				circle := append(slices.Clone(path[slices.Index(path, ref.name):]), ref.name)
				for i, member := range circle {
					circle[i] = quote(member)
				}
				d.problem(ref.Position, "depends-on of %s: scripts depend on each other in a circle: %s", owner{"script", name}, strings.Join(circle, " -> "))
				return true
			case unseen:
				visit(ref.name)
			}
			return false
		})
		path = path[:len(path)-1]
		state[name] = done
	}
	for _, script := range draft.config.Scripts {
		if state[script.Name] == unseen {
			visit(script.Name)
		}
	}
}

// checkPorts reports proxies that could never listen at the same time; the later
// one gets any free port instead.
func (d *decoder) checkPorts(draft *draft) {
	type address struct {
		bind string
		port int
	}
	taken := map[address]string{}
	for i := range draft.config.Proxies {
		proxy := &draft.config.Proxies[i]
		if proxy.Port == 0 {
			continue
		}
		at := address{proxy.Bind, proxy.Port}
		if first, ok := taken[at]; ok {
			d.problem(draft.ports[proxy.ID], "port of %s: expected a port of its own, got %d, which proxy %s has", owner{"proxy", proxy.ID}, proxy.Port, quote(first))
			proxy.Port = 0
			continue
		}
		taken[at] = proxy.ID
	}
}
