package incident_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"oriel/internal/incident"
)

// TestModuleThatVitesServerRefused: a dev server that somebody else started
// prints nowhere that could be read, but its answer says what is wrong.
func TestModuleThatVitesServerRefused(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, "src", "App.jsx")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("export function App() {\n  const items = [1, 2, 3;\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "src", "part.scss"), []byte("a {}\n\nb }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	page := func(message, more string) string {
		return "\n<!DOCTYPE html><html><head><title>Error</title><script type=\"module\">\n const error = {\"message\":" + message +
			`,"stack":"    at transform (file:///x/node_modules/vite/dist/node/chunks/node.js:1:2)","id":"` + filepath.ToSlash(file) + `"` + more + "}\n try { } catch {}\n</script></head></html>"
	}
	parse := `"Transform failed with 1 error:\n\n[PARSE_ERROR] Expected ` + "`,` or `]` but found `;`" +
		`\n   ╭─[ src/App.jsx:2:25 ]\n   │\n 2 │   const items = [1, 2, 3;\n   │                 ┬       ┬\n───╯\n"`
	for _, c := range []struct {
		name, body, want, at string
	}{
		{"a parse error", page(parse, `,"frame":"","plugin":"vite:oxc"`), "GET /src/App.jsx → 500: Expected `,` or `]` but found `;`", "src/App.jsx:2"},
		{"an import", page(`"Failed to resolve import \"./gone.js\" from \"src/App.jsx\". Does the file exist?"`,
			`,"frame":"1  |  import { x } from \"./gone.js\";","plugin":"vite:import-analysis","loc":{"file":"`+filepath.ToSlash(file)+`","line":1,"column":18}`),
			`GET /src/App.jsx → 500: Failed to resolve import "./gone.js" from "src/App.jsx". Does the file exist?`, "src/App.jsx:1"},
		{"a fault in a file that it imports", page(`"expected \"{\"."`, `,"frame":"","plugin":"vite:css","loc":{"file":"`+filepath.ToSlash(filepath.Join(root, "src", "part.scss"))+`","line":3,"column":4}`),
			`GET /src/App.jsx → 500: expected "{".`, "src/part.scss:3"},
		{"a page of somebody's own", "<!doctype html><script>const error = {}; throw error</script>", "GET /src/App.jsx → 500", ""},
		{"a script that is cut short", `<!doctype html><script type="module">const error = {"message":"Tran`, "GET /src/App.jsx → 500", ""},
	} {
		r := new(story).http(0, 5, "/src/App.jsx", 500, c.body).tell(incident.Options{Root: root})
		if len(r.Incidents) != 1 {
			t.Fatalf("%s: %d incidents", c.name, len(r.Incidents))
		}
		in := r.Incidents[0]
		at := ""
		if in.Place != nil && in.Place.Line > 0 {
			at = fmt.Sprintf("%s:%d", in.Place.File, in.Place.Line)
		}
		if in.Message != c.want || at != c.at {
			t.Errorf("%s: at %q: %s", c.name, at, in.Message)
		}
	}
}
