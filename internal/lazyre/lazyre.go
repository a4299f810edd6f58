// Package lazyre is regular expressions that are compiled when they are first
// used. The program has some hundred of them, an editor waits for it to start,
// and most runs need a few.
package lazyre

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that may not be compiled yet. Its methods are
// those of regexp.Regexp.
type Regexp struct {
	expr string
	once sync.Once
	re   *regexp.Regexp
}

// New takes an expression that must compile; it panics on first use otherwise.
func New(expr string) *Regexp { return &Regexp{expr: expr} }

// Get is the compiled expression.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.expr) })
	return r.re
}

// String is the expression.
func (r *Regexp) String() string { return r.expr }

// Match is regexp.Regexp's, and so are all that follow.
func (r *Regexp) Match(b []byte) bool { return r.Get().Match(b) }

func (r *Regexp) MatchString(s string) bool { return r.Get().MatchString(s) }

func (r *Regexp) FindString(s string) string { return r.Get().FindString(s) }

func (r *Regexp) FindStringIndex(s string) []int { return r.Get().FindStringIndex(s) }

func (r *Regexp) FindStringSubmatch(s string) []string { return r.Get().FindStringSubmatch(s) }

func (r *Regexp) FindStringSubmatchIndex(s string) []int { return r.Get().FindStringSubmatchIndex(s) }

func (r *Regexp) FindAllString(s string, n int) []string { return r.Get().FindAllString(s, n) }

func (r *Regexp) FindAllStringIndex(s string, n int) [][]int { return r.Get().FindAllStringIndex(s, n) }

func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.Get().FindAllStringSubmatch(s, n)
}

func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.Get().FindAllStringSubmatchIndex(s, n)
}

func (r *Regexp) ReplaceAllString(s, with string) string { return r.Get().ReplaceAllString(s, with) }

func (r *Regexp) ReplaceAllStringFunc(s string, f func(string) string) string {
	return r.Get().ReplaceAllStringFunc(s, f)
}

func (r *Regexp) Find(b []byte) []byte { return r.Get().Find(b) }

func (r *Regexp) FindIndex(b []byte) []int { return r.Get().FindIndex(b) }

func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.Get().FindSubmatch(b) }

func (r *Regexp) FindSubmatchIndex(b []byte) []int { return r.Get().FindSubmatchIndex(b) }

func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte { return r.Get().FindAllSubmatch(b, n) }

func (r *Regexp) SubexpIndex(name string) int { return r.Get().SubexpIndex(name) }
