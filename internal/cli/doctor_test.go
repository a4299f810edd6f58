package cli

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestDoctor(t *testing.T) {
	w, _ := newUser(t)
	root := w.project("p", map[string]string{".oriel.kdl": "scrpts {\n}\n"})
	out := w.says(root, 0, []string{"doctor"},
		"ok    oriel", "daemon's folder", "made when it is needed", "not running", "loopback", "temporary folder",
		".oriel.kdl:1:1", `"scripts"`, "warn  editors")
	if strings.Contains(out, "\x1b[") {
		t.Errorf("colour in a pipe: %q", out)
	}
	if _, err := os.Stat(w.home); err == nil {
		t.Error("the doctor made the daemon's folder")
	}
	w.says(root, 0, []string{"install", "claude-code"})
	w.says(root, 0, []string{"daemon", "start"})
	w.says(root, 0, []string{"doctor"}, "ok    Claude Code", `runs "oriel"`, "build "+build().String(), "private")
}

func TestDoctorFails(t *testing.T) {
	w, _ := newUser(t)
	w.env = append(w.env, "ORIEL_CHROME=/nowhere/chrome")
	out := w.says("", 1, []string{"doctor", "--json"})
	var got struct {
		Status string
		Checks []struct{ Status, What, Detail, Fix string }
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || got.Status != "fail" {
		t.Fatalf("got %s, %v", out, err)
	}
	for _, c := range got.Checks {
		if (c.What == "browser") != (c.Status == "fail") {
			t.Errorf("got %+v", c)
		}
	}
}
