package project

import (
	"oriel/internal/project/framework"
	"oriel/internal/project/manifest"
)

func (d *detection) node() *kind {
	data, ok := d.load("package.json")
	if !ok {
		return nil
	}
	pkg, problems := manifest.ParsePackageJSON(orEmpty(data))
	d.problems("package.json", problems)
	k := &kind{typ: Node, weight: weightTooling, name: pkg.Name, manager: d.nodeManager(pkg)}
	if k.manager.Name == "bun" {
		k.typ = Bun
	}
	k.frameworks = framework.Identify(framework.Node, pkg.Dependencies)
	for _, t := range pkg.Scripts {
		k.scripts = append(k.scripts, d.script(k.typ, "npm", "package.json", t, k.manager.Name, "run", t.Name))
	}
	markNpmHooks(k.scripts)
	d.nodeMembers(pkg, k)
	d.nodePort(k)
	k.suggestions = d.nodeSuggestions(pkg, k)
	return k
}

// nodeMembers notes who declares members. pnpm reads only its own file, so its list stands where both exist.
func (d *detection) nodeMembers(pkg manifest.PackageJSON, k *kind) {
	source := memberSource{manifest: []string{"package.json"}}
	switch {
	case d.f.HasFile("pnpm-workspace.yaml"):
		list, problems := manifest.ParsePnpmWorkspace(d.read("pnpm-workspace.yaml"))
		d.problems("pnpm-workspace.yaml", problems)
		if len(list) == 0 && !pkg.HasWorkspaces {
			return // since version 10 the file also carries plain settings
		}
		source.file, source.patterns = "pnpm-workspace.yaml", list
	case pkg.HasWorkspaces:
		source.file, source.patterns = "package.json", pkg.Workspaces
	case d.f.HasFile("lerna.json"):
		list, problems := manifest.StringList(d.read("lerna.json"), "packages")
		d.problems("lerna.json", problems)
		if list == nil {
			list = []string{"packages/*"} // lerna's own default
		}
		source.file, source.patterns = "lerna.json", list
	default:
		return
	}
	k.weight = max(k.weight, weightRoot)
	d.members = append(d.members, source)
}

// configFiles are where a framework keeps its port, by the stem of the file.
var configFiles = map[string]string{
	"astro": "astro.config", "nuxt": "nuxt.config", "vue-cli": "vue.config", "webpack": "webpack.config", "rsbuild": "rsbuild.config",
}

// nodePort reads a port from the framework's own configuration file when it is written out there.
func (d *detection) nodePort(k *kind) {
	if len(k.frameworks) == 0 {
		return
	}
	name := k.frameworks[0].Name
	if name == "angular" {
		port, problems := manifest.AngularPort(orEmpty(d.read("angular.json")))
		d.problems("angular.json", problems)
		if port != 0 {
			k.port, k.portFrom = port, "angular.json"
		}
		return
	}
	stem, known := configFiles[name]
	if !known {
		if k.frameworks[0].Port != 5173 {
			return // not run by Vite
		}
		stem = "vite.config"
	}
	for _, ext := range []string{".ts", ".js", ".mts", ".mjs", ".cts", ".cjs"} {
		data := d.read(stem + ext)
		if data == nil {
			continue
		}
		if port := framework.ConfigPort(data); port != 0 {
			k.port, k.portFrom = port, stem+ext
		}
		return
	}
}

func orEmpty(data []byte) []byte {
	if data == nil {
		return []byte("{}")
	}
	return data
}

// serveCommands are what the frameworks' own documentation has people put into the dev script.
var serveCommands = map[string][]string{
	"next": {"next", "dev"}, "nuxt": {"nuxt", "dev"}, "astro": {"astro", "dev"}, "sveltekit": {"vite", "dev"}, "angular": {"ng", "serve"},
	"gatsby": {"gatsby", "develop"}, "eleventy": {"eleventy", "--serve"}, "docusaurus": {"docusaurus", "start"}, "react-router": {"react-router", "dev"},
	"create-react-app": {"react-scripts", "start"}, "vue-cli": {"vue-cli-service", "serve"}, "webpack": {"webpack", "serve"},
	"vite": {"vite"}, "nest": {"nest", "start", "--watch"}, "storybook": {"storybook", "dev"}, "wrangler": {"wrangler", "dev"},
}

func (d *detection) nodeSuggestions(pkg manifest.PackageJSON, k *kind) []Script {
	if len(k.frameworks) > 0 {
		name := k.frameworks[0].Name
		if len(name) > 4 && name[:5] == "vite-" {
			name = "vite"
		}
		if words, ok := serveCommands[name]; ok {
			return []Script{d.suggestion(k.typ, "the usual command of "+name, append(k.manager.exec(), words...)...)}
		}
	}
	runtime := "node"
	if k.typ == Bun {
		runtime = "bun"
	}
	if d.f.HasFile("server.js") {
		return []Script{d.suggestion(k.typ, "what \"npm start\" does when no start script is defined", runtime, "server.js")}
	}
	if len(k.frameworks) > 0 && pkg.Main != "" && d.f.HasFile(pkg.Main) {
		return []Script{d.suggestion(k.typ, "the package's main file", runtime, pkg.Main)}
	}
	return nil
}
