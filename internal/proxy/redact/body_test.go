package redact

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestJSON(t *testing.T) {
	r := New([]string{"mrn"})
	for _, c := range []struct{ name, in, want string }{
		{"string", `{"token":"abc","a":1}`, `{"token":"[redacted]","a":1}`},
		{"spacing", "{ \"password\" :\n \"x\" , \"b\":2}", "{ \"password\" :\n \"[redacted]\" , \"b\":2}"},
		{"escapes in the value", `{"secret":"a\"b\\","c":"d"}`, `{"secret":"[redacted]","c":"d"}`},
		{"escapes in the name", `{"pass\u0077ord":"x"}`, `{"pass\u0077ord":"[redacted]"}`},
		{"number", `{"pin":1234,"x":1}`, `{"pin":"[redacted]","x":1}`},
		{"object", `{"credentials":{"a":"}","b":[1,{"c":2}]},"x":1}`, `{"credentials":"[redacted]","x":1}`},
		{"array", `{"tokens":["a","b]"],"x":[1]}`, `{"tokens":"[redacted]","x":[1]}`},
		{"counts of tokens", `{"max_tokens":100,"usage":{"prompt_tokens":5}}`, ""},
		{"nothing to hide", `{"token":null,"password":"","auth":false,"secret":{}}`, ""},
		{"deep", `[[{"a":{"b":{"apiKey":"x"}}}]]`, `[[{"a":{"b":{"apiKey":"[redacted]"}}}]]`},
		{"value that reads like a name", `{"a":"token","b":"x: \"token\":\"y\""}`, ""},
		{"user's own name", `{"MRN":"7"}`, `{"MRN":"[redacted]"}`},
		{"cut in the value", `{"a":1,"token":"abc`, `{"a":1,"token":"[redacted]"`},
		{"cut in the object", `{"auth":{"a":"b`, `{"auth":"[redacted]"`},
		{"cut after the name", `{"token"`, ""},
		{"cut after the colon", `{"token":`, ""},
		{"lines", "{\"token\":\"a\"}\n{\"token\":\"b\"}\n", "{\"token\":\"[redacted]\"}\n{\"token\":\"[redacted]\"}\n"},
		{"events", "data: {\"jwt\":\"a\"}\n\n", "data: {\"jwt\":\"[redacted]\"}\n\n"},
		{"not json", `hello "token" there`, ""},
	} {
		if c.want == "" {
			c.want = c.in
		}
		in := []byte(c.in)
		if got := string(r.JSON(in)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if string(in) != c.in {
			t.Errorf("%s: the argument was changed", c.name)
		}
	}
}

func TestBody(t *testing.T) {
	r := New(nil)
	for _, c := range []struct{ media, in, want string }{
		{"application/json", `{"token":"x"}`, `{"token":"[redacted]"}`},
		{"application/problem+json", `{"token":"x"}`, `{"token":"[redacted]"}`},
		{"text/event-stream", "data: {\"token\":\"x\"}", "data: {\"token\":\"[redacted]\"}"},
		{"text/plain", ` {"token":"x"}`, ` {"token":"[redacted]"}`},
		{"text/plain", `my "token": "x"`, `my "token": "x"`},
		{"application/x-www-form-urlencoded", "a=b&password=x", "a=b&password=[redacted]"},
		{"text/javascript", `{"token":"x"}`, `{"token":"x"}`},
	} {
		if got := string(r.Body(c.media, []byte(c.in))); got != c.want {
			t.Errorf("%s %s: %s", c.media, c.in, got)
		}
	}
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"token":"abc","a":[1,{"password":{"x":"y"}}]}`)
	f.Fuzz(func(t *testing.T, doc string) {
		got := New(nil).JSON([]byte(doc))
		if json.Valid([]byte(doc)) && !json.Valid(got) {
			t.Errorf("%s is no JSON any more: %s", doc, got)
		}
	})
}

func BenchmarkJSON(b *testing.B) {
	doc := []byte(`{"items":[` + strings.Repeat(`{"id":12345,"name":"a thing","price":9.95,"tags":["a","b"],"stock":true},`, 14) + `{}]}`)
	r := New(nil)
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if !bytes.Equal(r.JSON(doc), doc) {
			b.Fatal("changed")
		}
	}
}
