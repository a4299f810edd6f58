package csp

import (
	"strings"
	"testing"
)

var grant = Grant{
	Origin: "http://127.0.0.1:4100", WSOrigin: "ws://127.0.0.1:4100", Path: "/__devtool/",
	Nonce: "OWN", TrustedTypes: "oriel",
}

const (
	script  = "http://127.0.0.1:4100/__devtool/"
	connect = "http://127.0.0.1:4100/__devtool/ ws://127.0.0.1:4100/__devtool/"
)

func TestHeaders(t *testing.T) {
	for _, c := range []struct {
		name, policy, want string
		nonce              string
	}{
		{"nothing about scripts", "img-src 'self'; frame-ancestors 'none'", "", ""},
		{"self", "default-src 'self'", "", ""},
		{"self for both", "script-src 'self'; connect-src 'self'", "", ""},
		{"any", "script-src *; connect-src *", "", ""},
		{"scheme", "script-src http:; connect-src http: ws:", "", ""},
		{"own origin by name", "script-src 127.0.0.1:4100; connect-src http://127.0.0.1:4100 ws://127.0.0.1:4100", "", ""},
		{"nonce", "script-src 'nonce-abc'", "", "abc"},
		{"nonce keeps its case", "script-src 'nonce-AbC=='", "", "AbC=="},
		{"nonce and strict-dynamic", "script-src 'nonce-abc' 'strict-dynamic' https:", "", "abc"},
		{"hash", "script-src 'sha256-xyz='", "script-src 'sha256-xyz=' " + script, ""},
		{"hash and strict-dynamic", "script-src 'sha256-xyz=' 'strict-dynamic'", "script-src 'sha256-xyz=' 'strict-dynamic' 'nonce-OWN'", "OWN"},
		{"strict-dynamic makes self mean nothing", "script-src 'self' 'strict-dynamic'", "script-src 'self' 'strict-dynamic' 'nonce-OWN'", "OWN"},
		{"none", "script-src 'none'", "script-src " + script, ""},
		{"empty list", "script-src", "script-src " + script, ""},
		{"other host", "script-src https://cdn.example", "script-src https://cdn.example " + script, ""},
		{"path does not cover", "script-src http://127.0.0.1:4100/js/", "script-src http://127.0.0.1:4100/js/ " + script, ""},
		{"other port", "script-src http://127.0.0.1:3000", "script-src http://127.0.0.1:3000 " + script, ""},
		{"https only", "script-src https:", "script-src https: " + script, ""},
		{"element list wins", "script-src 'self'; script-src-elem 'none'", "script-src 'self'; script-src-elem " + script, ""},
		{"element list suffices", "script-src 'none'; script-src-elem 'self'", "", ""},
		{"default none", "default-src 'none'", "default-src 'none'; script-src " + script + "; connect-src " + connect, ""},
		{"default none, script nonce", "default-src 'none'; script-src 'nonce-abc'", "default-src 'none'; script-src 'nonce-abc'; connect-src " + connect, "abc"},
		{"default with nonce", "default-src 'nonce-abc'", "default-src 'nonce-abc'; connect-src " + connect, "abc"},
		{"default hosts are copied", "default-src https://a.example 'unsafe-inline'", "default-src https://a.example 'unsafe-inline'; script-src https://a.example 'unsafe-inline' " + script + "; connect-src https://a.example " + connect, ""},
		{"connect none", "connect-src 'none'", "connect-src " + connect, ""},
		{"connect http only", "connect-src http:", "connect-src http: " + connect, ""},
		{"closing semicolon", "script-src 'none';", "script-src " + script + ";", ""},
		{"default and closing semicolon", "default-src 'none'; ", "default-src 'none'; script-src " + script + "; connect-src " + connect + "; ", ""},
		{"white space and case", " Script-Src\t'NONE' ;img-src x", " Script-Src\t" + script + " ;img-src x", ""},
		{"second of a name is ignored by browsers", "script-src 'self'; script-src 'none'", "", ""},
		{"two policies in one header", "script-src 'self', script-src 'none'", "script-src 'self', script-src " + script, ""},
		{"sandbox with scripts", "sandbox allow-scripts; script-src 'none'", "sandbox allow-scripts; script-src " + script, ""},
		{"trusted types, no names", "require-trusted-types-for 'script'", "", ""},
		{"trusted types, names", "require-trusted-types-for 'script'; trusted-types a b", "require-trusted-types-for 'script'; trusted-types a b oriel", ""},
		{"trusted types, none", "require-trusted-types-for 'script'; trusted-types 'none'", "require-trusted-types-for 'script'; trusted-types oriel", ""},
		{"trusted types, empty", "require-trusted-types-for 'script'; trusted-types", "require-trusted-types-for 'script'; trusted-types oriel", ""},
		{"trusted types, any", "require-trusted-types-for 'script'; trusted-types * 'allow-duplicates'", "", ""},
		{"trusted types named but not required", "trusted-types a", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.want == "" {
				c.want = c.policy
			}
			in := []string{c.policy}
			got, _, v := Headers(in, nil, grant)
			if got[0] != c.want {
				t.Errorf("\n got %s\nwant %s", got[0], c.want)
			}
			if in[0] != c.policy {
				t.Error("the argument was changed")
			}
			if v.Nonce != c.nonce {
				t.Errorf("nonce %q, want %q", v.Nonce, c.nonce)
			}
			again, _, _ := Headers(got, nil, grant)
			if again[0] != got[0] {
				t.Errorf("not stable: %s", again[0])
			}
			_, report, _ := Headers(nil, in, grant)
			if report[0] != c.want {
				t.Errorf("report-only: %s", report[0])
			}
		})
	}
}

// A tag has one nonce: the second policy must be told of it.
func TestSeveralPolicies(t *testing.T) {
	enforce, report, v := Headers(
		[]string{"script-src 'nonce-one'", "script-src 'nonce-two'", "script-src 'nonce-two' 'strict-dynamic'"},
		[]string{"script-src 'nonce-three'; trusted-types x", "require-trusted-types-for 'script'"}, grant)
	want := []string{
		"script-src 'nonce-one'", "script-src 'nonce-two' " + script, "script-src 'nonce-two' 'strict-dynamic' 'nonce-one'",
		"script-src 'nonce-three' " + script + "; trusted-types x oriel", "require-trusted-types-for 'script'",
	}
	if got := append(enforce, report...); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if v.Nonce != "one" || !v.Typed {
		t.Errorf("verdict %+v", v)
	}
}

func TestSandbox(t *testing.T) {
	for policy, want := range map[string]bool{
		"sandbox": true, "sandbox allow-forms; script-src 'none'": true, "sandbox allow-scripts": false, "SANDBOX Allow-Scripts": false, "script-src 'self'": false,
	} {
		got, _, v := Headers([]string{policy}, nil, grant)
		if v.Sandboxed != want {
			t.Errorf("%s: sandboxed %v", policy, v.Sandboxed)
		}
		if want && got[0] != policy {
			t.Errorf("%s became %s", policy, got[0])
		}
		if _, _, v := Headers(nil, []string{policy}, grant); v.Sandboxed {
			t.Errorf("%s: a report-only sandbox does nothing", policy)
		}
	}
}

func TestMeta(t *testing.T) {
	for _, c := range []struct {
		name, policy, nonce string
		typed               bool
		want                string
	}{
		{"self", "script-src 'self'; connect-src 'self'", "", false, "script-src 'self'; connect-src 'self'"},
		{"tag has the nonce", "script-src 'nonce-abc'", "abc", false, "script-src 'nonce-abc'"},
		{"tag has none", "script-src 'nonce-abc'", "", false, "script-src 'nonce-abc' " + script},
		{"none", "default-src 'none'", "", false, "default-src 'none'; script-src " + script + "; connect-src " + connect},
		{"header requires types", "trusted-types a", "", true, "trusted-types a oriel"},
		{"itself requires types", "trusted-types a; require-trusted-types-for 'script'", "", false, "trusted-types a oriel; require-trusted-types-for 'script'"},
	} {
		if got := Meta(c.policy, grant, c.nonce, c.typed); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestInline(t *testing.T) {
	for policy, want := range map[string]bool{
		"img-src x": true, "script-src 'self'": false, "script-src 'self' 'unsafe-inline'": true, "default-src 'unsafe-inline'": true, "script-src 'nonce-a'": true,
		"script-src 'unsafe-inline' 'sha256-x'": false, "script-src 'strict-dynamic' 'sha256-x'": true, "script-src-elem 'none'; script-src 'unsafe-inline'": false,
		"script-src 'nonce-a', script-src 'nonce-b'": false, "script-src 'unsafe-inline' 'nonce-a', default-src 'unsafe-inline'": true,
	} {
		if _, _, v := Headers([]string{policy}, nil, grant); v.Inline != want {
			t.Errorf("%s: %v", policy, v.Inline)
		}
		if _, _, v := Headers(nil, []string{policy}, grant); v.Inline != want {
			t.Errorf("report-only %s: %v", policy, v.Inline)
		}
	}
	if _, _, v := Headers(nil, nil, grant); !v.Inline {
		t.Error("without a policy")
	}
}
