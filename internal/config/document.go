package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"oriel/internal/kdl"
)

// reference is a script's name where another setting mentions it.
type reference struct {
	kdl.Position
	name string
}

// draft collects what the file says before names are checked against each
// other.
type draft struct {
	config       Config
	dependencies map[string][]reference  // by script
	targets      map[string]reference    // by proxy, its script
	scriptNames  map[string]kdl.Position // every name that was declared, usable or not
	proxyNames   map[string]kdl.Position
	usable       map[string]bool         // the scripts that can be run
	ports        map[string]kdl.Position // by proxy, where its port is given
}

func (d *decoder) document(doc kdl.Document) Config {
	draft := &draft{
		config:       Default(),
		dependencies: map[string][]reference{},
		targets:      map[string]reference{},
		scriptNames:  map[string]kdl.Position{},
		proxyNames:   map[string]kdl.Position{},
		usable:       map[string]bool{},
		ports:        map[string]kdl.Position{},
	}
	config := &draft.config
	d.apply(childEntries(owner{}, doc.Nodes), []field{
		{key: "scripts", set: d.each(draft.scriptNames, "script", func(node kdl.Node) { d.script(draft, node) }), list: true},
		{key: "proxies", set: d.each(draft.proxyNames, "proxy", func(node kdl.Node) { d.proxy(draft, node) }), list: true},
		{key: "redact", set: func(e entry) { config.Redact = append(config.Redact, d.names(e, config.Redact)...) }, list: true},
		{key: "body-limit", set: assign(&config.BodyLimit, d.size)},
		{key: "linger", set: func(e entry) {
			if value, ok := d.duration(e); ok {
				config.Linger, config.LingerGiven = value, true
			}
		}},
	})
	d.resolve(draft)
	return draft.config
}

// each is the action of a block that holds named blocks: it hands on every child
// with a usable name of its own.
func (d *decoder) each(names map[string]kdl.Position, kind string, decode func(kdl.Node)) func(entry) {
	return func(e entry) {
		for _, value := range e.values {
			d.problem(value.Position, "%s: expected a block of named %s blocks, got %s", e.key, kind, value.Describe())
		}
		for _, prop := range e.node.Props {
			d.problem(prop.Position, "%s: expected a block of named %s blocks, got the property %s", e.key, kind, quote(prop.Name))
		}
		if !e.node.Block && len(e.values)+len(e.node.Props) == 0 {
			d.problem(e.Position, "%s: expected a block of named %s blocks, got nothing", e.key, kind)
		}
		for _, child := range e.node.Children {
			first, twice := names[child.Name]
			switch {
			case strings.TrimSpace(child.Name) == "" || strings.ContainsFunc(child.Name, func(r rune) bool { return !unicode.IsPrint(r) }):
				d.problem(child.Position, "expected a name of printable characters for a %s, got %s", kind, quote(child.Name))
			case twice:
				d.problem(child.Position, "%s %s is already defined at %d:%d", kind, quote(child.Name), first.Line, first.Column)
			default:
				names[child.Name] = child.Position
				decode(child)
			}
		}
	}
}

// names reads a list of names, without those that are known already.
func (d *decoder) names(e entry, known []string) []string {
	const expected = "names of headers or fields"
	if !d.plain(e, expected) {
		return nil
	}
	if len(e.values) == 0 {
		d.problem(e.Position, "%s: expected %s, got nothing", e.subject(), expected)
	}
	var names []string
	for _, value := range e.values {
		if value.Kind != kdl.String || strings.TrimSpace(value.Text) == "" || strings.ContainsFunc(value.Text, unicode.IsControl) {
			d.wrong(e, value, expected, "")
			continue
		}
		if !slices.Contains(known, value.Text) && !slices.Contains(names, value.Text) {
			names = append(names, value.Text)
		}
	}
	return names
}

func (d *decoder) script(draft *draft, node kdl.Node) {
	script := Script{Name: node.Name, Restart: RestartNo, Line: node.Line, Column: node.Column}
	o := owner{"script", node.Name}
	var dependencies []reference
	given := d.fields(o, node, []field{
		{key: "run", set: assign(&script.Run, d.command)},
		{key: "autostart", set: assign(&script.Autostart, d.flag)},
		{key: "cwd", set: assign(&script.Cwd, d.folder)},
		{key: "env", set: func(e entry) { script.Env = d.variables(e, script.Env) }, list: true},
		{key: "restart", set: assign(&script.Restart, d.restart)},
		{key: "ready-port", set: assign(&script.ReadyPort, d.port)},
		{key: "ready-url", set: assign(&script.ReadyURL, d.webURL)},
		{key: "ready-pattern", set: assign(&script.ReadyPattern, d.pattern)},
		{key: "depends-on", set: func(e entry) { dependencies = append(dependencies, d.references(e)...) }, list: true},
	})
	if _, ok := given["run"]; !ok {
		d.problem(node.Position, `%s has no run: expected run "shell command"`, o)
	}
	if script.Run == "" {
		return
	}
	draft.usable[script.Name] = true
	draft.dependencies[script.Name] = dependencies
	draft.config.Scripts = append(draft.config.Scripts, script)
}

// references reads names of scripts; whether they exist is seen later.
func (d *decoder) references(e entry) []reference {
	const expected = "names of scripts"
	if !d.plain(e, expected) {
		return nil
	}
	if len(e.values) == 0 {
		d.problem(e.Position, "%s: expected %s, got nothing", e.subject(), expected)
	}
	var references []reference
	for _, value := range e.values {
		if value.Kind != kdl.String {
			d.wrong(e, value, expected, "")
			continue
		}
		references = append(references, reference{value.Position, value.Text})
	}
	return references
}

// variables reads NAME "value" nodes and NAME="value" properties, and returns
// them behind those that are known already.
func (d *decoder) variables(e entry, known []EnvVar) []EnvVar {
	const expected = `a block of NAME "value" lines`
	for _, value := range e.values {
		d.wrong(e, value, expected, "")
	}
	if len(e.values) == 0 && len(e.node.Props) == 0 && !e.node.Block {
		d.problem(e.Position, "%s: expected %s, got nothing", e.subject(), expected)
	}
	var entries []entry
	for _, prop := range e.node.Props {
		entries = append(entries, entry{Position: prop.Position, owner: e.owner, key: prop.Name, values: []kdl.Value{prop.Value}})
	}
	for _, variable := range append(entries, childEntries(e.owner, e.node.Children)...) {
		name := variable.key
		variable.key = fmt.Sprintf("env %s", quote(name))
		value, ok := d.variable(variable)
		switch {
		case !ok:
		case name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsFunc(name, unicode.IsControl):
			d.problem(variable.Position, "%s: expected a variable name, got %s", e.subject(), quote(name))
		case slices.ContainsFunc(known, func(v EnvVar) bool { return v.Name == name }):
			d.problem(variable.Position, "%s is already given", variable.subject())
		default:
			known = append(known, EnvVar{name, value})
		}
	}
	return known
}

// variable reads a variable's value. Numbers and booleans stand for their text:
// every variable is text in the end.
func (d *decoder) variable(e entry) (string, bool) {
	const expected = "a string"
	value, ok := d.one(e, expected)
	if !ok {
		return "", false
	}
	if value.Kind == kdl.Null || strings.ContainsRune(value.Text, 0) {
		d.wrong(e, value, expected, "")
		return "", false
	}
	return value.Text, true
}

func (d *decoder) proxy(draft *draft, node kdl.Node) {
	proxy := Proxy{ID: node.Name, Line: node.Line, Column: node.Column}
	o := owner{"proxy", node.Name}
	given := d.fields(o, node, []field{
		{key: "target", set: assign(&proxy.Target, d.webURL)},
		{key: "autostart", set: assign(&proxy.Autostart, d.flag)},
		{key: "script", set: func(e entry) {
			name, ok := d.text(e, "the name of a script", notBlank)
			if ok {
				proxy.Script = name
				draft.targets[proxy.ID] = reference{e.values[0].Position, name}
			}
		}},
		{key: "port", set: func(e entry) {
			port, ok := d.port(e)
			if ok {
				proxy.Port = port
				draft.ports[proxy.ID] = e.values[0].Position
			}
		}},
		{key: "bind", set: assign(&proxy.Bind, d.host)},
		{key: "insecure-tls", set: assign(&proxy.InsecureTLS, d.flag)},
		{key: "public-url", set: assign(&proxy.PublicURL, d.webURL)},
	})
	target, hasTarget := given["target"]
	script, hasScript := given["script"]
	switch {
	case hasTarget && hasScript:
		later := target
		if script.Line > target.Line || script.Line == target.Line && script.Column > target.Column {
			later = script
		}
		d.problem(later, "%s has both target and script: expected one of them", o)
	case !hasTarget && !hasScript:
		d.problem(node.Position, `%s has neither target nor script: expected target "URL" or script "name"`, o)
	case proxy.Target != "" || proxy.Script != "":
		draft.config.Proxies = append(draft.config.Proxies, proxy)
	}
}
