package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"slices"
	"strings"
	"testing"
)

// agentBudget is the most the core may weigh in every page, gzipped.
const agentBudget = 20 << 10

func TestAgent(t *testing.T) {
	a := Agent()
	if !strings.HasPrefix(a.Name, "agent.") || !strings.HasSuffix(a.Name, ".js") {
		t.Errorf("name = %q, want agent.<hash>.js", a.Name)
	}
	if len(a.Gzip) == 0 || len(a.Gzip) > agentBudget {
		t.Errorf("agent is %d bytes gzipped, budget %d", len(a.Gzip), agentBudget)
	}
	first, _, _ := strings.Cut(string(a.Body), "\n")
	if !strings.Contains(first, "generated") {
		t.Errorf("first line does not say the file is generated: %.80q", first)
	}
}

func TestEveryBundle(t *testing.T) {
	names := Names()
	if !slices.Contains(names, AgentName) {
		t.Fatalf("no agent among %q", names)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			a, ok := Bundle(name)
			if !ok {
				t.Fatal("listed but not found")
			}
			again, ok := ByFile(a.Name)
			if !ok || !bytes.Equal(again.Body, a.Body) {
				t.Errorf("not found by its file name %q", a.Name)
			}
			r, err := gzip.NewReader(bytes.NewReader(a.Gzip))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(plain, a.Body) {
				t.Errorf("gzip form does not unpack to the body: %v", err)
			}
		})
	}
}

func TestUnknownBundle(t *testing.T) {
	if _, ok := Bundle("../web"); ok {
		t.Error("found a bundle outside dist")
	}
	if _, ok := ByFile("agent.000000000000.js"); ok {
		t.Error("found the agent under a hash that is not its own")
	}
}

func TestNameFollowsContent(t *testing.T) {
	a, b := newAsset("x", []byte("one")), newAsset("x", []byte("two"))
	if a.Name == b.Name || a.ETag == b.ETag {
		t.Errorf("different content, same name %q or tag %q", a.Name, a.ETag)
	}
}
