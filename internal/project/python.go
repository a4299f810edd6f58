package project

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"oriel/internal/project/framework"
	"oriel/internal/project/manifest"
)

func (d *detection) python() *kind {
	k := &kind{typ: Python}
	py := d.pyproject(k)
	deps := py.Dependencies
	if d.f.HasFile("Pipfile") {
		pipfile, problems := manifest.ParsePipfile(d.read("Pipfile"))
		d.problems("Pipfile", problems)
		deps = append(deps, pipfile.Dependencies...)
		py.Tasks = append(py.Tasks, pipfile.Tasks...)
		k.weight = max(k.weight, weightManifest)
	}
	for _, name := range []string{"requirements.txt", "requirements-dev.txt", "requirements/base.txt", "requirements/dev.txt", "requirements.in"} {
		if d.f.HasFile(name) {
			k.weight = max(k.weight, weightManifest)
			deps = append(deps, d.requirements(name, map[string]bool{})...)
		}
	}
	if d.f.FirstFile("setup.py", "setup.cfg", "uv.lock") != "" {
		k.weight = max(k.weight, weightManifest)
	}
	k.frameworks = framework.Identify(framework.Python, deps)
	if manage := d.f.Head("manage.py", 8192); bytes.Contains(manage, []byte("django")) && (len(k.frameworks) == 0 || k.frameworks[0].Name != "django") {
		k.frameworks = append([]framework.Found{framework.Usual(framework.Python, "django")}, k.frameworks...)
		k.weight = max(k.weight, weightManifest)
	}
	if k.weight == 0 && d.loosePython() {
		k.weight = weightLoose
	}
	if k.weight == 0 {
		return nil
	}
	k.name = py.Name
	k.manager = d.pythonManager(py)
	for _, t := range py.Tasks {
		k.scripts = append(k.scripts, d.pythonScript(k.manager, t))
	}
	k.suggestions = d.pythonSuggestions(k, deps)
	return k
}

func (d *detection) pyproject(k *kind) manifest.Pyproject {
	data, ok := d.load("pyproject.toml")
	if !ok {
		return manifest.Pyproject{}
	}
	py, problems := manifest.ParsePyproject(data)
	d.problems("pyproject.toml", problems)
	k.weight = weightTooling
	if py.Described || len(problems) > 0 {
		k.weight = weightManifest
	}
	if py.HasWorkspace {
		k.weight = weightRoot
		patterns := py.Workspace
		for _, e := range py.Exclude {
			patterns = append(patterns, "!"+e)
		}
		d.members = append(d.members, memberSource{"pyproject.toml", patterns, []string{"pyproject.toml"}})
	}
	return py
}

// requirements reads a requirements file and those it includes, each once, inside the project's folder.
func (d *detection) requirements(name string, seen map[string]bool) manifest.Dependencies {
	if seen[name] || len(seen) >= 10 {
		return nil
	}
	seen[name] = true
	deps, includes, problems := manifest.ParseRequirements(d.read(name))
	d.problems(name, problems)
	for _, inc := range includes {
		inc = path.Join(path.Dir(name), filepath.ToSlash(inc))
		if strings.HasPrefix(inc, "../") || path.IsAbs(inc) {
			continue
		}
		if !d.f.HasFile(inc) {
			d.warn(name, "includes "+short(inc)+", which is not there")
			continue
		}
		deps = append(deps, d.requirements(inc, seen)...)
	}
	return deps
}

func (d *detection) loosePython() bool {
	for _, name := range d.f.Names() {
		if strings.HasSuffix(name, ".py") {
			return true
		}
	}
	return false
}

// pythonManager: a lockfile here or upward inside the project, then a tool's own table, then pip.
func (d *detection) pythonManager(py manifest.Pyproject) PackageManager {
	if e := d.pick(d.f, pythonLocks, ""); e.manager != "" {
		return PackageManager{Name: e.manager, From: e.file}
	}
	for _, tool := range []string{"uv", "poetry", "pdm", "rye", "pixi"} {
		for _, has := range py.Tools {
			if has == tool {
				return PackageManager{Name: tool, From: "pyproject.toml"}
			}
		}
	}
	if d.f.HasFile("Pipfile") {
		return PackageManager{Name: "pipenv", From: "Pipfile"}
	}
	for dir := d.f.Path; dir != d.root && filepath.Dir(dir) != dir; {
		dir = filepath.Dir(dir)
		if up, err := d.above.open(dir); err == nil {
			if e := d.pick(up, pythonLocks, ".."); e.manager != "" {
				return PackageManager{Name: e.manager, From: slashRel(d.f.Path, filepath.Join(dir, e.file))}
			}
		}
	}
	return PackageManager{Name: "pip", From: d.f.FirstFile("requirements.txt", "setup.py", "setup.cfg", "pyproject.toml")}
}

// inEnvironment is the command line that runs a program inside the project's Python environment.
func (d *detection) inEnvironment(m PackageManager, argv ...string) []string {
	switch m.Name {
	case "uv", "poetry", "pdm", "pipenv", "rye", "pixi":
		return append([]string{m.Name, "run"}, argv...)
	}
	if bin := d.venvBin(); bin != "" {
		for _, name := range []string{argv[0], argv[0] + ".exe"} {
			if d.f.HasFile(bin + "/" + name) {
				return append([]string{filepath.Join(d.f.Path, filepath.FromSlash(bin), name)}, argv[1:]...)
			}
		}
	}
	if argv[0] == "python" && runtime.GOOS != "windows" {
		argv = append([]string{"python3"}, argv[1:]...) // many systems have no plain python
	}
	return argv
}

// venvBin finds the programs of a virtual environment inside the project.
func (d *detection) venvBin() string {
	for _, env := range []string{".venv", "venv", "env"} {
		if !d.f.HasFile(env + "/pyvenv.cfg") {
			continue
		}
		for _, bin := range []string{"/bin", "/Scripts"} {
			if d.f.HasDir(env + bin) {
				return env + bin
			}
		}
	}
	return ""
}

func (d *detection) pythonScript(m PackageManager, t manifest.Task) Script {
	via, source := t.Group, "pyproject.toml"
	var argv []string
	switch t.Group {
	case manifest.GroupPoe:
		argv = d.inEnvironment(m, "poe", t.Name)
	case manifest.GroupTaskip:
		argv = d.inEnvironment(m, "task", t.Name)
	case manifest.GroupPDM, manifest.GroupRye, manifest.GroupPixi, manifest.GroupHatch:
		argv = []string{t.Group, "run", t.Name}
	case manifest.GroupPipenv:
		argv, source = []string{"pipenv", "run", t.Name}, "Pipfile"
	default:
		via, argv = "py", d.inEnvironment(m, t.Name)
	}
	return d.script(Python, via, source, t, argv...)
}

// pythonApp finds the object a server is to serve, as in app = FastAPI(…).
var pythonApp = regexp.MustCompile(`(?m)^([A-Za-z_][A-Za-z0-9_]*)(?:\s*:\s*[A-Za-z_.]+)?\s*=\s*(?:[a-z]+\.)?(FastAPI|Flask|Quart|Starlette|Litestar)\(`)

var pythonEntries = []string{"main.py", "app.py", "wsgi.py", "asgi.py", "server.py", "app/main.py", "app/__init__.py", "src/main.py", "src/app.py", "streamlit_app.py"}

func (d *detection) pythonSuggestions(k *kind, deps manifest.Dependencies) []Script {
	if len(k.frameworks) == 0 {
		return nil
	}
	name := k.frameworks[0].Name
	suggest := func(argv ...string) []Script {
		return []Script{d.suggestion(Python, "the usual command of "+name, d.inEnvironment(k.manager, argv...)...)}
	}
	if name == "django" {
		if d.f.HasFile("manage.py") {
			return suggest("python", "manage.py", "runserver")
		}
		return nil
	}
	for _, file := range pythonEntries {
		source := d.f.Head(file, 64<<10)
		if name == "streamlit" && bytes.Contains(source, []byte("import streamlit")) {
			return suggest("streamlit", "run", file)
		}
		app := pythonApp.FindSubmatch(source)
		if app == nil {
			continue
		}
		module := strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(file, ".py"), "/__init__"), "/", ".")
		switch {
		case name == "flask" || name == "quart":
			return suggest(name, "--app", fmt.Sprintf("%s:%s", module, app[1]), "run", "--debug")
		case name == "fastapi" && hasFastAPICommand(deps):
			return suggest("fastapi", "dev", file)
		default:
			if _, ok := deps.Find("uvicorn"); ok {
				return suggest("uvicorn", fmt.Sprintf("%s:%s", module, app[1]), "--reload")
			}
		}
	}
	return nil
}

// hasFastAPICommand: the fastapi program comes with the extra "standard" or with its own package.
func hasFastAPICommand(deps manifest.Dependencies) bool {
	if _, ok := deps.Find("fastapi-cli"); ok {
		return true
	}
	dep, _ := deps.Find("fastapi")
	for _, extra := range dep.Extras {
		if extra == "standard" || extra == "all" {
			return true
		}
	}
	return false
}
