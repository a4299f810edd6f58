package redact

import (
	"net/http"
	"reflect"
	"testing"
)

func TestHeader(t *testing.T) {
	h := http.Header{
		"Authorization":        {"Bearer abc.def", "abc"},
		"Proxy-Authorization":  {"Basic Zm9v"},
		"Cookie":               {"sid=1; theme=dark;x", "a=b=c"},
		"Set-Cookie":           {"sid=1; Path=/; HttpOnly", "x"},
		"X-Api-Key":            {"k"},
		"X-Csrf-Token":         {"t"},
		"X-Amz-Security-Token": {"t"},
		"Client-Secret":        {"s"},
		"X-Auth":               {"s"},
		"Referer":              {"http://h/p?token=abc&a=b"},
		"Location":             {"/cb?a=1&access_token=abc#id_token=x"},
		"Content-Type":         {"text/html"},
		"X-Tokenizer":          {"bpe"},
		"X-Author":             {"me"},
		"X-Request-Id":         {"1"},
	}
	values := h["Cookie"]
	New(nil).Header(h)
	want := http.Header{
		"Authorization":        {"Bearer [redacted]", "[redacted]"},
		"Proxy-Authorization":  {"Basic [redacted]"},
		"Cookie":               {"sid=[redacted]; theme=[redacted];[redacted]", "a=[redacted]"},
		"Set-Cookie":           {"sid=[redacted]; Path=/; HttpOnly", "[redacted]"},
		"X-Api-Key":            {"[redacted]"},
		"X-Csrf-Token":         {"[redacted]"},
		"X-Amz-Security-Token": {"[redacted]"},
		"Client-Secret":        {"[redacted]"},
		"X-Auth":               {"[redacted]"},
		"Referer":              {"http://h/p?token=[redacted]&a=b"},
		"Location":             {"/cb?a=1&access_token=[redacted]#id_token=[redacted]"},
		"Content-Type":         {"text/html"},
		"X-Tokenizer":          {"bpe"},
		"X-Author":             {"me"},
		"X-Request-Id":         {"1"},
	}
	if !reflect.DeepEqual(h, want) {
		t.Errorf("got %v", h)
	}
	if values[0] != "sid=1; theme=dark;x" {
		t.Error("the slice that others may hold was written to")
	}
}

func TestURL(t *testing.T) {
	r := New([]string{"Tenant", "x-*-hint"})
	for in, want := range map[string]string{
		"/p":               "/p",
		"/p?":              "/p?",
		"/p?a=b;token=c&d": "/p?a=b;token=[redacted]&d",
		"/p?api_key=1&api-key=2&apikey=3&APIKEY=4": "/p?api_key=[redacted]&api-key=[redacted]&apikey=[redacted]&APIKEY=[redacted]",
		"/p?to%6ben=x&a=%zz":                       "/p?to%6ben=[redacted]&a=%zz",
		"/p?token=&token":                          "/p?token=&token",
		"/p?user[password]=x":                      "/p?user[password]=[redacted]",
		"/p?passenger=1&compass=2&author=3&key=4&max_tokens_note=5": "/p?passenger=1&compass=2&author=3&key=4&max_tokens_note=[redacted]",
		"/p?tenant=1&x-big-hint=2&hint=3":                           "/p?tenant=[redacted]&x-big-hint=[redacted]&hint=3",
		"http://u:pw@h/p":                                           "http://[redacted]@h/p",
		"http://h/p@q?a=@":                                          "http://h/p@q?a=@",
		"/token/abc?x=%26token=1":                                   "/token/abc?x=%26token=1",
	} {
		if got := r.URL(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}
