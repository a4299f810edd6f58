package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const reactFaults = `export function App() {
  return (
    <main>
      <h1 id="greeting">hello one</h1>
      <img src="data:," />
      <p id="twin">a</p>
      <p id="twin">b</p>
    </main>
  );
}
`

// TestAuditNamesTheComponentsLine: React 19 keeps a stack for each element, and
// source maps lead it to the line that an editor can open. What highlight draws
// is never judged: it is the page's own that counts.
func TestAuditNamesTheComponentsLine(t *testing.T) {
	a := app{name: "vite-react", file: "src/App.jsx"}
	root := a.install(t)
	if err := os.WriteFile(filepath.Join(root, a.file), []byte(reactFaults), 0o644); err != nil {
		t.Fatal(err)
	}
	s := newSession(t, root)
	s.call("run", `{"script_name":"dev","timeout":"2m"}`)
	s.call("proxy", fmt.Sprintf(`{"action":"start","id":"look","target_url":%q}`, s.field("proc", `{"action":"status"}`, "url")))
	page := tab(t, browser(t), s.field("proxy", `{"action":"status"}`, "url")+"/")
	awaitGreeting(t, page, "hello one")
	awaitPage(t, s)
	for audit, line := range map[string]string{"accessibility": "↳ src/App.jsx:5 in App", "dom": "↳ src/App.jsx:7 in App"} {
		if got := s.call("audit", fmt.Sprintf(`{"name":%q}`, audit)); !strings.Contains(got, line) {
			t.Errorf("there is no %q in\n%s", line, got)
		}
	}
	for _, audit := range []string{"dom", "css", "accessibility"} {
		s.exec(`__devtool.highlight("img")`)
		if got := s.call("audit", fmt.Sprintf(`{"name":%q}`, audit)); strings.Contains(got, "oriel-layer") {
			t.Errorf("highlight's own box is judged:\n%s", got)
		}
	}
}
