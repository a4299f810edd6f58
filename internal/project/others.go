package project

import (
	"bytes"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"oriel/internal/project/framework"
	"oriel/internal/project/manifest"
	"oriel/internal/project/tree"
)

func (d *detection) deno() *kind {
	name := d.f.FirstFile("deno.json", "deno.jsonc")
	if name == "" {
		return nil
	}
	file, problems := manifest.ParseDeno(orEmpty(d.read(name)))
	d.problems(name, problems)
	k := &kind{typ: Deno, weight: weightManifest, name: file.Name, manager: PackageManager{Name: "deno", From: name}}
	k.frameworks = framework.Identify(framework.Deno, file.Imports)
	if len(k.frameworks) > 1 && k.frameworks[0].Name == "fresh" && k.frameworks[1].Name == "vite" {
		k.frameworks[0].Port = 5173 // from version 2 on, Fresh is served by Vite
		k.frameworks = slices.Delete(k.frameworks, 1, 2)
	}
	for _, t := range file.Tasks {
		k.scripts = append(k.scripts, d.script(Deno, "deno", name, t, "deno", "task", t.Name))
	}
	if len(file.Workspace) > 0 {
		d.members = append(d.members, memberSource{name, file.Workspace, []string{"deno.json", "deno.jsonc", "package.json"}})
	}
	for _, entry := range []string{"main.ts", "dev.ts", "server.ts", "mod.ts"} {
		if bytes.Contains(d.f.Head(entry, 64<<10), []byte("Deno.serve(")) {
			k.suggestions = []Script{d.suggestion(Deno, "a file that serves", "deno", "run", "--allow-net", "--watch", entry)}
			break
		}
	}
	return k
}

// composerEvents are composer's own hooks; a script of such a name runs by itself.
var composerEvents = []string{
	"pre-install-cmd", "post-install-cmd", "pre-update-cmd", "post-update-cmd", "pre-autoload-dump", "post-autoload-dump", "pre-status-cmd", "post-status-cmd",
	"post-root-package-install", "post-create-project-cmd", "pre-archive-cmd", "post-archive-cmd", "pre-package-install", "post-package-install",
	"pre-package-update", "post-package-update", "pre-package-uninstall", "post-package-uninstall", "auto-scripts",
}

func (d *detection) php() *kind {
	k := &kind{typ: PHP}
	if data, ok := d.load("composer.json"); ok {
		file, problems := manifest.ParseComposer(orEmpty(data))
		d.problems("composer.json", problems)
		k.weight, k.name = weightManifest, path.Base(file.Name)
		if file.Name == "" {
			k.name = ""
		}
		k.manager = PackageManager{Name: "composer", From: "composer.json"}
		k.frameworks = framework.Identify(framework.PHP, file.Dependencies)
		for _, t := range file.Scripts {
			s := d.script(PHP, "composer", "composer.json", t, "composer", "run-script", t.Name)
			s.Hook = slices.Contains(composerEvents, t.Name)
			k.scripts = append(k.scripts, s)
		}
	}
	switch {
	case d.f.HasFile("wp-load.php") || d.f.HasFile("wp-config.php"):
		k.frameworks = append([]framework.Found{framework.Usual(framework.PHP, "wordpress")}, k.frameworks...)
		k.weight = max(k.weight, weightManifest)
	case d.f.HasFile("index.php"):
		k.weight = max(k.weight, weightDefined)
	}
	if k.weight == 0 {
		return nil
	}
	switch {
	case d.f.HasFile("artisan"):
		k.suggestions = []Script{d.suggestion(PHP, "the usual command of laravel", "php", "artisan", "serve")}
	case d.f.HasFile("public/index.php"):
		k.suggestions = []Script{d.suggestion(PHP, "PHP's own development server", "php", "-S", "127.0.0.1:8000", "-t", "public")}
	case d.f.HasFile("index.php"):
		k.suggestions = []Script{d.suggestion(PHP, "PHP's own development server", "php", "-S", "127.0.0.1:8000")}
	}
	return k
}

func (d *detection) rust() *kind {
	data, ok := d.load("Cargo.toml")
	if !ok {
		return nil
	}
	file, problems := manifest.ParseCargo(data)
	d.problems("Cargo.toml", problems)
	k := &kind{typ: Rust, weight: weightManifest, name: file.Name, manager: PackageManager{Name: "cargo", From: "Cargo.toml"}}
	k.frameworks = framework.Identify(framework.Rust, file.Dependencies)
	if d.f.HasFile("Trunk.toml") && (len(k.frameworks) == 0 || k.frameworks[0].Name != "trunk") {
		k.frameworks = append([]framework.Found{framework.Usual(framework.Rust, "trunk")}, k.frameworks...)
	}
	if file.HasWorkspace {
		patterns := file.Workspace
		for _, e := range file.Exclude {
			patterns = append(patterns, "!"+e)
		}
		d.members = append(d.members, memberSource{"Cargo.toml", patterns, []string{"Cargo.toml"}})
	}
	if name := d.f.FirstFile(".cargo/config.toml", ".cargo/config"); name != "" {
		aliases, problems := manifest.ParseCargoAliases(d.read(name))
		d.problems(name, problems)
		for _, t := range aliases {
			k.scripts = append(k.scripts, d.script(Rust, "cargo", name, t, "cargo", t.Name))
		}
	}
	if len(problems) == 0 { // cargo refuses a manifest it cannot read
		k.suggestions = d.rustSuggestions(file, k)
	}
	return k
}

func (d *detection) rustSuggestions(file manifest.Cargo, k *kind) []Script {
	if len(k.frameworks) > 0 {
		switch name := k.frameworks[0].Name; name {
		case "trunk":
			return []Script{d.suggestion(Rust, "the usual command of trunk", "trunk", "serve")}
		case "leptos":
			return []Script{d.suggestion(Rust, "the usual command of leptos", "cargo", "leptos", "watch")}
		case "dioxus":
			return []Script{d.suggestion(Rust, "the usual command of dioxus", "dx", "serve")}
		}
	}
	programs := map[string]bool{}
	for _, b := range file.Bins {
		programs[b] = true
	}
	if d.f.HasFile("src/main.rs") && len(file.Bins) == 0 {
		programs[file.Name] = true
	}
	if bin, err := tree.Open(filepath.Join(d.f.Path, "src", "bin")); err == nil {
		for _, name := range bin.Names() {
			if stem, ok := strings.CutSuffix(name, ".rs"); ok {
				programs[stem] = true
			}
		}
	}
	if len(programs) == 1 || file.DefaultRun != "" {
		return []Script{d.suggestion(Rust, "the only program of the package", "cargo", "run")}
	}
	return nil
}

func (d *detection) ruby() *kind {
	name := d.f.FirstFile("Gemfile", "gems.rb")
	if name == "" {
		return nil
	}
	k := &kind{typ: Ruby, weight: weightDefined, manager: PackageManager{Name: "bundler", From: name}}
	k.frameworks = framework.Identify(framework.Ruby, manifest.ParseGemfile(d.read(name)))
	if len(k.frameworks) == 0 && d.f.HasFile("config.ru") {
		k.frameworks = []framework.Found{framework.Usual(framework.Ruby, "rack")}
	}
	if d.f.HasFile("bin/dev") {
		// Rails writes this program for the purpose; it is part of the project, so it is defined and not a suggestion.
		k.scripts = []Script{d.script(Ruby, "bin", "bin/dev", manifest.Task{Name: "dev", Command: "bin/dev"}, binstub("dev")...)}
	}
	if len(k.frameworks) > 0 {
		if argv := d.rubyServer(k.frameworks[0].Name); argv != nil {
			k.suggestions = []Script{d.suggestion(Ruby, "the usual command of "+k.frameworks[0].Name, argv...)}
		}
	}
	return k
}

// binstub runs a program of the project's bin folder; Windows does not run scripts by their first line.
func binstub(argv ...string) []string {
	argv[0] = "bin/" + argv[0]
	if runtime.GOOS == "windows" {
		return append([]string{"ruby"}, argv...)
	}
	return argv
}

func (d *detection) rubyServer(name string) []string {
	switch {
	case name == "rails" && d.f.HasFile("bin/rails"):
		return binstub("rails", "server")
	case name == "rails", name == "hanami", name == "middleman":
		return []string{"bundle", "exec", name, "server"}
	case name == "jekyll":
		return []string{"bundle", "exec", "jekyll", "serve"}
	case name == "bridgetown":
		return []string{"bundle", "exec", "bridgetown", "start"}
	case d.f.HasFile("config.ru"):
		return []string{"bundle", "exec", "rackup"}
	}
	return nil
}

// static is a folder of pages, or a site built by a program of its own.
func (d *detection) static() *kind {
	switch {
	case d.isHugo():
		return &kind{typ: Static, weight: weightSite, frameworks: []framework.Found{framework.Usual(framework.Go, "hugo")},
			suggestions: []Script{d.suggestion(Static, "the usual command of hugo", "hugo", "server")}}
	case d.f.HasFile("_config.yml") && (d.f.HasDir("_posts") || d.f.HasDir("_layouts") || d.f.FirstFile("index.md", "index.markdown") != "") && d.f.FirstFile("Gemfile") == "":
		return &kind{typ: Static, weight: weightManifest, frameworks: []framework.Found{framework.Usual(framework.Ruby, "jekyll")},
			suggestions: []Script{d.suggestion(Static, "the usual command of jekyll", "jekyll", "serve")}}
	case d.f.FirstFile("index.html", "index.htm", "public/index.html") != "":
		return &kind{typ: Static, weight: weightStatic}
	}
	return nil
}

func (d *detection) isHugo() bool {
	if d.f.FirstFile("hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config/_default/hugo.toml", "config/_default/hugo.yaml") != "" {
		return true
	}
	// Before version 0.110 the file had a common name; only with the folders beside it is it Hugo's.
	return d.f.FirstFile("config.toml", "config.yaml") != "" && d.f.HasDir("content") &&
		(d.f.HasDir("archetypes") || d.f.HasDir("themes") || d.f.HasDir("layouts"))
}
