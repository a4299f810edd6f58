package project

import (
	"path"
	"regexp"

	"oriel/internal/project/framework"
	"oriel/internal/project/gomain"
	"oriel/internal/project/manifest"
)

func (d *detection) golang() *kind {
	k := &kind{typ: Go, manager: PackageManager{Name: "go"}}
	if data, ok := d.load("go.mod"); ok {
		mod, problems := manifest.ParseGoMod(data)
		d.problems("go.mod", problems)
		k.weight, k.manager.From = weightManifest, "go.mod"
		k.name = moduleName(mod.Module)
		k.frameworks = framework.Identify(framework.Go, mod.Dependencies)
	}
	if data := d.read("go.work"); data != nil {
		dirs, problems := manifest.ParseGoWork(data)
		d.problems("go.work", problems)
		d.members = append(d.members, memberSource{"go.work", dirs, []string{"go.mod"}})
		k.weight = max(k.weight, weightManifest)
		if k.manager.From == "" {
			k.manager.From = "go.work"
		}
	}
	mains := gomain.Find(d.f)
	if k.weight == 0 {
		if len(mains) == 0 || mains[0].Dir != "." {
			return nil
		}
		k.weight = weightLoose
	}
	if len(mains) != 1 {
		return k
	}
	main := mains[0]
	if len(k.frameworks) == 0 && main.Serves {
		k.frameworks = []framework.Found{framework.Usual(framework.Go, "net/http")}
	}
	if len(k.frameworks) > 0 {
		k.port, k.portFrom = main.Port, main.PortFile
	}
	target := "./" + main.Dir
	if main.Dir == "." {
		target = "."
	}
	k.suggestions = []Script{d.suggestion(Go, "the only program of the module", "go", "run", target)}
	return k
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// moduleName is the last part of a module path that is not a major version.
func moduleName(module string) string {
	name := path.Base(module)
	if majorVersion.MatchString(name) && path.Dir(module) != "." {
		name = path.Base(path.Dir(module))
	}
	if name == "." || name == "/" {
		return ""
	}
	return name
}
