//go:build unix

package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// server is a dev server: it prints its URL, and a grandchild outlives a shell
// that is killed.
const server = `const http = require('http');
const s = http.createServer((q, r) => r.end(process.env.WHO));
s.listen(0, '127.0.0.1', () => console.log('Local: http://localhost:' + s.address().port + '/ ' + process.env.WHO));
`

func kdl(names ...string) string {
	var b strings.Builder
	b.WriteString("scripts {\n")
	for _, n := range names {
		fmt.Fprintf(&b, "  %s { run \"WHO=%s node server.js; true\"; }\n", n, n)
	}
	b.WriteString("}\n")
	return b.String()
}

func pidOf(t *testing.T, status string) int {
	t.Helper()
	_, rest, ok := strings.Cut(status, "pid ")
	if !ok {
		t.Fatalf("no pid in %q", status)
	}
	n, err := strconv.Atoi(strings.TrimRight(strings.Fields(rest)[0], ",)"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	// A zombie that nobody has reaped yet is not alive.
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func daemonPID(t *testing.T, w *world) int {
	t.Helper()
	out, _ := w.oriel("", "daemon", "status")
	return pidOf(t, out)
}

// listeners are the pids that hold the ports of the processes with these ids.
func listeners(t *testing.T, e *editor, ids ...string) []int {
	t.Helper()
	var pids []int
	for _, id := range ids {
		status := e.call("proc", fmt.Sprintf(`{"action":"status","id":%q}`, id))
		_, rest, ok := strings.Cut(status, "listens on ")
		if !ok {
			t.Fatalf("%s listens nowhere: %s", id, status)
		}
		pids = append(pids, pidOf(t, rest))
	}
	return pids
}

func TestDaemonKilledLeavesNoOrphans(t *testing.T) {
	w := newWorld(t)
	root := w.project("p", map[string]string{".oriel.kdl": kdl("a", "b", "c"), "server.js": server})
	e := w.editor(root)
	for _, id := range []string{"a", "b", "c"} {
		if got := e.call("run", fmt.Sprintf(`{"script_name":%q}`, id)); !strings.Contains(got, "ready") {
			t.Fatal(got)
		}
	}
	// An innocent of the same kind, started by someone else.
	other := newWorld(t)
	oe := other.editor(other.project("q", map[string]string{".oriel.kdl": kdl("a"), "server.js": server}))
	oe.call("run", `{"script_name":"a"}`)
	innocent := listeners(t, oe, "a")[0]

	orphans := listeners(t, e, "a", "b", "c")
	old := daemonPID(t, w)
	if err := syscall.Kill(old, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the daemon dies", func() bool { return !alive(old) })
	for _, pid := range orphans {
		if !alive(pid) {
			t.Errorf("pid %d died with the daemon: the test shows nothing", pid)
		}
	}
	if got := e.call("proc", `{}`); strings.HasPrefix(got, "!") {
		t.Errorf("the next call: %s", got)
	}
	for _, pid := range orphans {
		eventually(t, fmt.Sprintf("orphan %d ends", pid), func() bool { return !alive(pid) })
	}
	if !alive(innocent) {
		t.Error("an innocent process was killed")
	}
	if got := e.call("run", `{"script_name":"a"}`); !strings.Contains(got, "ready") {
		t.Errorf("after the restart: %s", got)
	}
	if now := daemonPID(t, w); now == old {
		t.Errorf("the daemon is still pid %d", now)
	}
}

func TestDevServersOutliveTheEditorForTheLingerTime(t *testing.T) {
	w := newWorld(t)
	root := w.project("p", map[string]string{".oriel.kdl": kdl("a") + "linger \"1500ms\"\n", "server.js": server})
	e := w.editor(root)
	e.call("run", `{"script_name":"a"}`)
	dev := listeners(t, e, "a")[0]
	if err := e.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the daemon notices", func() bool {
		out, _ := w.oriel("", "daemon", "status")
		return strings.Contains(out, "0 clients")
	})
	if !alive(dev) {
		t.Fatal("the dev server died with the editor")
	}
	// A second editor within the time keeps it alive.
	again := w.editor(root)
	if got := again.call("proc", `{}`); !strings.Contains(got, "a: ready") {
		t.Errorf("the second editor sees %s", got)
	}
	again.session.Close()
	eventually(t, "the linger time ends it", func() bool { return !alive(dev) })
}

func TestDaemonEndsWhenNothingIsLeft(t *testing.T) {
	w := newWorld(t, "ORIEL_LINGER=300ms")
	root := w.project("p", map[string]string{".oriel.kdl": kdl("a"), "server.js": server})
	if out, code := w.oriel(root, "call", "run", `{"script_name":"a"}`); code != 0 {
		t.Fatal(out)
	}
	eventually(t, "the daemon ends by itself", func() bool {
		log, _ := w.oriel("", "daemon", "logs")
		return strings.Contains(log, " ended\n")
	})
	if out, code := w.oriel("", "daemon", "status"); code != 3 {
		t.Errorf("afterwards: %s", out)
	}
}

func TestNoDaemonEndsItsProcessesWithTheEditor(t *testing.T) {
	w := newWorld(t)
	root := w.project("p", map[string]string{".oriel.kdl": kdl("a"), "server.js": server})
	e := w.editor(root, "--no-daemon")
	e.call("run", `{"script_name":"a"}`)
	dev := listeners(t, e, "a")[0]
	e.session.Close()
	eventually(t, "the dev server ends", func() bool { return !alive(dev) })
	if out, code := w.oriel("", "daemon", "status"); code != 3 {
		t.Errorf("a daemon was started: %s", out)
	}
}

func TestTwoEditorsTwoProjectsNeverMix(t *testing.T) {
	w := newWorld(t)
	// Same script name in both; each server says which project it is of.
	file := "scripts {\n dev { run \"node server.js\"; env { WHO %q; }; autostart true; }\n}\n"
	one := w.project("one", map[string]string{".oriel.kdl": fmt.Sprintf(file, "one"), "server.js": server})
	two := w.project("two", map[string]string{".oriel.kdl": fmt.Sprintf(file, "two"), "server.js": server})
	a, b := w.editor(one), w.editor(two)
	var pids []int
	for _, c := range []struct {
		e   *editor
		who string
	}{{a, "one"}, {b, "two"}} {
		eventually(t, "autostart", func() bool { return strings.Contains(c.e.call("proc", `{}`), "dev: ready") })
		if got := c.e.call("proc", `{"action":"output"}`); !strings.Contains(got, c.who) {
			t.Errorf("%s sees %s", c.who, got)
		}
		pids = append(pids, listeners(t, c.e, "dev")[0])
	}
	if got := a.call("proc", `{"action":"stop"}`); !strings.Contains(got, "stopped") {
		t.Error(got)
	}
	if alive(pids[0]) || !alive(pids[1]) {
		t.Errorf("after one stopped its own: alive %v, %v", alive(pids[0]), alive(pids[1]))
	}
	// What one project started is not its neighbour's to kill.
	_, rest, _ := strings.Cut(b.call("proc", `{"action":"status"}`), "http://localhost:")
	port, _, _ := strings.Cut(rest, "/")
	if got := a.call("proc", fmt.Sprintf(`{"action":"port","port":%s,"kill":true}`, port)); !strings.HasPrefix(got, "!") || !strings.Contains(got, "force") {
		t.Errorf("killing a neighbour's port: %s", got)
	}
}

func TestAutostartHappensOnceWithTwoEditors(t *testing.T) {
	w := newWorld(t)
	root := w.project("p", map[string]string{
		".oriel.kdl": "scripts {\n once { run \"echo started >> log; sleep 100\"; autostart true; }\n}\n",
	})
	a, b := w.editor(root), w.editor(root)
	for _, e := range []*editor{a, b} {
		eventually(t, "autostart", func() bool { return strings.Contains(e.call("proc", `{}`), "once: ") })
	}
	a.session.Close()
	w.editor(root).call("proc", `{}`)
	log, err := os.ReadFile(root + "/log")
	if err != nil || strings.Count(string(log), "started") != 1 {
		t.Errorf("the script was started %d times (%v)", strings.Count(string(log), "started"), err)
	}
}

func TestEditsOfTheProjectFileArePickedUp(t *testing.T) {
	w := newWorld(t)
	root := w.project("p", map[string]string{".oriel.kdl": "scripts {\n}\n"})
	e := w.editor(root)
	if got := e.call("run", `{"script_name":"late"}`); !strings.HasPrefix(got, "!") {
		t.Fatal(got)
	}
	w.project("p", map[string]string{".oriel.kdl": "scripts {\n late { run \"sleep 100\"; autostart true; }\n}\n"})
	eventually(t, "the new script starts", func() bool { return strings.Contains(e.call("proc", `{}`), "late: ") })
	w.project("p", map[string]string{".oriel.kdl": "scripts {\n late { run 7; }\n}\n"})
	eventually(t, "the problem is said", func() bool { return strings.Contains(e.call("proc", `{}`), ".oriel.kdl:2:") })
}

func TestOneStuckScriptHoldsUpNobodyElse(t *testing.T) {
	w := newWorld(t)
	root := w.project("p", map[string]string{".oriel.kdl": `scripts {
  stuck { run "sleep 100"; ready-pattern "never"; autostart true; }
  waits { run "sleep 100"; depends-on "stuck"; autostart true; }
  other { run "sleep 100"; autostart true; }
}
`})
	e := w.editor(root)
	eventually(t, "the unrelated script starts", func() bool { return strings.Contains(e.call("proc", `{}`), "other: ") })
	if got := e.call("proc", `{}`); strings.Contains(got, "waits: ") {
		t.Errorf("what depends on the stuck one was started: %s", got)
	}
}

func TestAFailedAutostartIsTriedAgainAfterAnEdit(t *testing.T) {
	w := newWorld(t)
	file := "scripts {\n late { run \"sleep 100\"; cwd %q; autostart true; }\n}\n"
	root := w.project("p", map[string]string{".oriel.kdl": fmt.Sprintf(file, "nowhere")})
	e := w.editor(root)
	eventually(t, "the problem is said", func() bool { return strings.Contains(e.call("proc", `{}`), "problem: autostart of script late") })
	w.project("p", map[string]string{".oriel.kdl": fmt.Sprintf(file, ".")})
	eventually(t, "it starts", func() bool { return strings.Contains(e.call("proc", `{}`), "late: ") })
	if got := e.call("proc", `{}`); strings.Contains(got, "problem") {
		t.Errorf("the problem stayed: %s", got)
	}
}

func TestAnEditHoldsFromTheNextCallOn(t *testing.T) {
	w := newWorld(t)
	file := "scripts {\n say { run \"echo %s; sleep 100\"; }\n}\n"
	root := w.project("p", map[string]string{".oriel.kdl": fmt.Sprintf(file, "one")})
	e := w.editor(root)
	e.call("run", `{"script_name":"say","wait_for":"none"}`)
	w.project("p", map[string]string{".oriel.kdl": fmt.Sprintf(file, "something new")})
	e.call("proc", `{"action":"restart","id":"say"}`)
	if got := e.call("proc", `{"action":"wait","id":"say","pattern":"something new","timeout":"20s"}`); strings.HasPrefix(got, "!") {
		t.Errorf("after the restart: %s", got)
	}
}

func TestParallelCommandsGetIDsOfTheirOwn(t *testing.T) {
	w := newWorld(t)
	e := w.editor(w.project("p", map[string]string{".oriel.kdl": ""}))
	answers := make(chan string, 12)
	for range cap(answers) {
		go func() { answers <- e.call("run", `{"command":"sleep 0.2; echo done","mode":"foreground"}`) }()
	}
	for range cap(answers) {
		if got := <-answers; !strings.Contains(got, "out| done") {
			t.Errorf("got %s", got)
		}
	}
}

func TestBadArgumentsReadTheSameInBothModes(t *testing.T) {
	w := newWorld(t)
	root := w.project("p", map[string]string{".oriel.kdl": ""})
	for _, args := range []string{`{bad`, ` `, `[]`, `"x"`} {
		a, _ := w.oriel(root, "call", "proc", args)
		b, _ := w.oriel(root, "call", "proc", args, "--no-daemon")
		if a != b || a == "" {
			t.Errorf("%q: with a daemon %q, without %q", args, a, b)
		}
	}
}
