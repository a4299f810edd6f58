package proxy

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"oriel/internal/journal"
)

func TestPolicies(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for _, p := range r.URL.Query()["p"] {
			w.Header().Add("Content-Security-Policy", p)
		}
		for _, p := range r.URL.Query()["r"] {
			w.Header().Add("Content-Security-Policy-Report-Only", p)
		}
		io.WriteString(w, strings.Replace(page, "<head>", "<head>"+r.URL.Query().Get("m"), 1))
	})
	own := r.URL() + "/__devtool/"
	ws := "ws" + strings.TrimPrefix(own, "http")
	got := r.doc(t, "/?p=script-src+'nonce-abc'&p=connect-src+'none'&r=default-src+'none'")
	if !strings.Contains(got.body, `nonce="abc"></script>`) {
		t.Errorf("%s", got.body)
	}
	if p := strings.Join(got.Header["Content-Security-Policy"], "|"); p != "script-src 'nonce-abc'|connect-src "+own+" "+ws {
		t.Errorf("policies %s", p)
	}
	if p := got.Header.Get("Content-Security-Policy-Report-Only"); p != "default-src 'none'; script-src "+own+"; connect-src "+own+" "+ws {
		t.Errorf("report-only %s", p)
	}
	got = r.doc(t, "/?m=<meta+http-equiv=content-security-policy+content=\"script-src+'none'\">")
	if !strings.Contains(got.body, `<head>`+testTag+`<meta http-equiv=content-security-policy content="script-src `+own+`">`) {
		t.Errorf("%s", got.body)
	}
	got = r.get(t, "/?p=script-src+'none'", "Sec-Fetch-Dest", "empty")
	if p := got.Header.Get("Content-Security-Policy"); p != "script-src 'none'" || strings.Contains(got.body, "devtool") {
		t.Errorf("what is no document was changed: %s", p)
	}
	got = r.doc(t, "/?p=script-src+"+r.target)
	if p := got.Header.Get("Content-Security-Policy"); p != "script-src "+r.target+" "+r.URL() {
		t.Errorf("the target's own origin: %s", p)
	}
	e := r.log.wait(t, func(e journal.Entry) bool { return e.HTTP != nil && strings.Contains(e.HTTP.URL, "nonce") })
	if p := e.HTTP.ResponseHead["Content-Security-Policy"]; strings.Join(p, "|") != "script-src 'nonce-abc'|connect-src 'none'" {
		t.Errorf("the record has %q: not what the target said", p)
	}
}

func TestNoInlineIsTold(t *testing.T) {
	for policy, want := range map[string]bool{"": false, "script-src 'self'": true, "script-src 'nonce-a'": false, "img-src x": false} {
		r := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			if policy != "" {
				w.Header().Set("Content-Security-Policy", policy)
			}
			io.WriteString(w, page)
		}, func(c *Config) {
			c.Tag = func(*http.Request) Tag { return Tag{Src: "/__devtool/agent.js", NoInline: "data-f"} }
		})
		if got := r.doc(t, "/"); strings.Contains(got.body, ` data-f=""`) != want {
			t.Errorf("%q: %s", policy, got.body)
		}
	}
}

func TestSandboxedPage(t *testing.T) {
	r := serve(t, htmlTarget(http.Header{"Content-Type": {"text/html"}, "Content-Security-Policy": {"sandbox allow-forms; script-src 'none'"}}, page, 200))
	got := r.doc(t, "/s")
	if got.body != page || got.Header.Get("Content-Security-Policy") != "sandbox allow-forms; script-src 'none'" {
		t.Errorf("%s %v", got.body, got.Header)
	}
	e := r.log.wait(t, func(e journal.Entry) bool { return e.Console != nil })
	if !strings.Contains(e.Console.Text, "sandbox") || !strings.Contains(e.Console.Text, "/s") {
		t.Errorf("said %q", e.Console.Text)
	}
	if r.log.http(t, "/s").Injected {
		t.Error("recorded as injected")
	}
}

// A frame whose embedder demands a policy of it is shown only if its own allows
// no more: then nothing may be added, and the agent stays out where it would
// need an addition, or where the demanded policy would stop it.
func TestRequiredPolicy(t *testing.T) {
	r := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if p := r.URL.Query().Get("p"); p != "" {
			w.Header().Set("Content-Security-Policy", p)
		}
		io.WriteString(w, page)
	})
	for _, c := range []struct {
		required, own string
		in            bool
	}{
		{"img-src 'none'", "img-src 'none'", true},
		{"script-src 'self' 'unsafe-inline'", "script-src 'self'", true},
		{"script-src 'nonce-a'", "script-src 'nonce-a'", true},
		{"script-src 'nonce-a'", "", true},
		{"img-src 'none'", "", true},
		{"script-src 'none'", "", false},
		{"connect-src 'none'", "", false},
		{"script-src 'unsafe-inline'", "script-src 'unsafe-inline'", false},
		{"default-src 'none'", "default-src 'none'", false},
		{"img-src 'none'", "script-src 'none'; img-src 'none'", false},
		{"sandbox", "", false},
	} {
		got := r.doc(t, "/?p="+url.QueryEscape(c.own), "Sec-Required-Csp", c.required)
		if p := got.Header.Get("Content-Security-Policy"); p != c.own {
			t.Errorf("%s, %s: the policy became %s", c.required, c.own, p)
		}
		if strings.Contains(got.body, "/__devtool/") != c.in || strings.Contains(got.body, `nonce="a"`) != strings.Contains(c.required, "nonce") {
			t.Errorf("%s, %s: %s", c.required, c.own, got.body)
		}
	}
}
