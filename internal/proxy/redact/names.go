package redact

import (
	"net/url"
	"strings"
	"sync"
)

// whole are names that hold secrets when they are the whole name.
var whole = map[string]bool{
	"auth": true, "pass": true, "pwd": true, "pw": true, "sid": true, "otp": true, "jwt": true, "session": true,
	"signature": true, "sig": true, "pin": true, "cvv": true, "cvc": true, "bearer": true, "passcode": true,
}

// parts are what makes a name secret wherever it stands in it.
var parts = []string{
	"token", "secret", "password", "passwd", "passphrase", "apikey", "accesskey", "privatekey", "secretkey",
	"authorization", "credential", "sessionid", "cookie", "clientkey", "authkey", "cardnumber",
}

// harmless are names that only sound like secrets.
var harmless = []string{"tokeniz", "tokentype", "tokencount", "tokenlimit", "cookieconsent", "cookiebanner", "cookiepolicy", "passwordless"}

// Secret says whether a value of that name is a secret.
func (r *Rules) Secret(name string) bool {
	if v, ok := r.cache.get(name); ok {
		return v
	}
	v := r.judge(normal(name))
	r.cache.put(name, v)
	return v
}

func (r *Rules) judge(n string) bool {
	if r.exact[n] {
		return true
	}
	for _, g := range r.globs {
		if glob(g, n) {
			return true
		}
	}
	if whole[n] || strings.HasPrefix(n, "x") && whole[n[1:]] {
		return true
	}
	for _, p := range parts {
		if strings.Contains(n, p) {
			for _, h := range harmless {
				if strings.Contains(n, h) {
					return false
				}
			}
			return true
		}
	}
	return false
}

// counts says whether a name speaks of a number of tokens rather than of one:
// a plain number under it is no secret.
func counts(name string) bool { return strings.HasSuffix(normal(name), "tokens") }

// normal is a name without case and separators.
func normal(name string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == '-' || c == '_' || c == '.' || c == ' ' || c == '[' || c == ']':
			return -1
		case 'A' <= c && c <= 'Z':
			return c + 'a' - 'A'
		}
		return c
	}, name)
}

// glob matches a pattern in which '*' stands for any text.
func glob(pattern, name string) bool {
	pieces := strings.Split(pattern, "*")
	if !strings.HasPrefix(name, pieces[0]) {
		return false
	}
	name = name[len(pieces[0]):]
	last := len(pieces) - 1
	for _, p := range pieces[1:last] {
		i := strings.Index(name, p)
		if i < 0 {
			return false
		}
		name = name[i+len(p):]
	}
	return strings.HasSuffix(name, pieces[last])
}

func unescape(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return s
	}
	if u, err := url.QueryUnescape(s); err == nil {
		return u
	}
	return s
}

// verdicts remembers names: traffic repeats the same few hundred.
type verdicts struct {
	mu sync.RWMutex
	m  map[string]bool
}

const maxVerdicts = 4096

func (c *verdicts) get(name string) (v, ok bool) {
	c.mu.RLock()
	v, ok = c.m[name]
	c.mu.RUnlock()
	return v, ok
}

// getBytes is get without making a string.
func (c *verdicts) getBytes(name []byte) (v, ok bool) {
	c.mu.RLock()
	v, ok = c.m[string(name)]
	c.mu.RUnlock()
	return v, ok
}

func (c *verdicts) put(name string, v bool) {
	if len(name) > 128 {
		return
	}
	c.mu.Lock()
	if c.m == nil || len(c.m) >= maxVerdicts {
		c.m = make(map[string]bool, 256)
	}
	c.m[strings.Clone(name)] = v
	c.mu.Unlock()
}
