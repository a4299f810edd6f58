package config

// Order names the scripts to start when the server initialises, each after the
// scripts it depends on: those with autostart, those that an autostarted proxy
// takes its target from, and whatever these depend on.
func (c Config) Order() []string {
	var wanted []string
	for _, script := range c.Scripts {
		if script.Autostart {
			wanted = append(wanted, script.Name)
		}
	}
	for _, proxy := range c.Proxies {
		if proxy.Autostart && proxy.Script != "" {
			wanted = append(wanted, proxy.Script)
		}
	}
	return c.StartOrder(wanted...)
}

// StartOrder names the given scripts and everything they depend on, each once
// and after its own dependencies. Names that are no scripts are left out.
func (c Config) StartOrder(names ...string) []string {
	scripts := make(map[string]Script, len(c.Scripts))
	for _, script := range c.Scripts {
		scripts[script.Name] = script
	}
	var order []string
	visited := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		script, ok := scripts[name]
		if !ok || visited[name] {
			return
		}
		visited[name] = true
		for _, dependency := range script.DependsOn {
			visit(dependency)
		}
		order = append(order, name)
	}
	for _, name := range names {
		visit(name)
	}
	return order
}
