package manifest

import (
	"slices"
	"testing"
	"unicode/utf8"
)

// FuzzReaders feeds every reader the same bytes. None may panic, loop, or hand out more tasks than the bound.
func FuzzReaders(f *testing.F) {
	for _, seed := range []string{
		"", "{", `{"scripts":{"a":"b"},"workspaces":["x"]}`, makefileSample, "packages:\n- a\n", "packages: [a,\n", "web: x\n", "[project]\nname='x'\n",
		"[tool.poe.tasks]\na=[['x']]\n", "module x\nrequire (\n", "\xef\xbb\xbf{}", "a: b\\", "\\\n\\\n", `{"a":"\`, "/*", "//", `{"tasks":{"a":{}},}`, "gem 'x'", "x[", "-r x", "[alias]\na=[]\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := slices.Clone(data)
		ParsePackageJSON(data)
		ParseDeno(data)
		ParseComposer(data)
		StringList(data, "packages")
		AngularPort(data)
		ParsePyproject(data)
		ParsePipfile(data)
		ParseCargo(data)
		ParseCargoAliases(data)
		ParseGoMod(data)
		ParseGoWork(data)
		ParseGemfile(data)
		ParseRequirements(data)
		ParsePnpmWorkspace(data)
		for name, read := range map[string]func([]byte) ([]Task, []Problem){"make": ParseMakefile, "just": ParseJustfile, "proc": ParseProcfile} {
			tasks, problems := read(data)
			if len(tasks) > maxTasks {
				t.Errorf("%s: %d tasks", name, len(tasks))
			}
			for _, task := range tasks {
				if task.Name == "" {
					t.Errorf("%s: a task without a name", name)
				}
			}
			for _, p := range problems {
				if utf8.ValidString(string(data)) && !utf8.ValidString(p.String()) {
					t.Errorf("%s: problem is not text: %q", name, p)
				}
			}
		}
		if !slices.Equal(before, data) {
			t.Error("a reader changed its input")
		}
	})
}

// FuzzPlainJSON: blanking comments keeps length and lines, and leaves plain JSON as it is.
func FuzzPlainJSON(f *testing.F) {
	for _, seed := range []string{`{"a":"//"}`, "{/*\n*/}", "[1,]", `"\"//"`, "{\"a\":1,//\n}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out := plainJSON(data)
		if n := len(data); len(out) != n && len(out) != n-len(bom) {
			t.Fatalf("length %d became %d", n, len(out))
		}
		if lineAt(out, len(out)) != lineAt(data, len(data)) {
			t.Error("lines changed")
		}
		if o, problems := parseObject(data); len(problems) == 0 {
			again, problems := parseObject(out)
			if len(problems) > 0 || len(again) != len(o) {
				t.Errorf("plain JSON was changed: %q -> %q", data, out)
			}
		}
	})
}
