package chart

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"oriel/internal/lazyre"
)

// secretName is what parameters are called whose values nobody should read in
// a picture.
var secretName = lazyre.New(`(?i)(token|secret|passw|api_?-?key|access_?-?key|signature|^sig$|session|^auth|jwt|credential|^code$|^pwd$)`)

// Shown is a call's address for a reader of a page's report: path and query
// without secrets, with its host when that is not the page's.
func Shown(address, page string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		bare, _, _ := strings.Cut(address, "?")
		return bare
	}
	s := u.EscapedPath()
	if s == "" {
		s = "/"
	}
	if u.RawQuery != "" {
		s += "?" + shownQuery(u.RawQuery)
	}
	if p, err := url.Parse(page); err != nil || p.Host != u.Host || p.Scheme != u.Scheme {
		s = u.Host + s
	}
	return s
}

// Redacted is an address without secrets: no password, no token in its query.
func Redacted(page string) string {
	u, err := url.Parse(page)
	if err != nil || u.Host == "" {
		return page
	}
	u.User = nil
	u.RawQuery = shownQuery(u.RawQuery)
	return u.String()
}

func shownQuery(raw string) string {
	if raw == "" {
		return ""
	}
	parts := strings.Split(raw, "&")
	for i, part := range parts {
		name, value, _ := strings.Cut(part, "=")
		plain, err := url.QueryUnescape(name)
		if err != nil {
			plain = name
		}
		if value != "" && secretName.MatchString(plain) {
			parts[i] = name + "=[redacted]"
		}
	}
	return strings.Join(parts, "&")
}

// squeeze shortens s to at most room characters, keeping both ends: the end of
// a path tells more than its middle.
func squeeze(s string, room int) string {
	r := []rune(s)
	if len(r) <= room {
		return s
	}
	if room < 5 {
		return string(r[:max(room, 0)])
	}
	head := (room - 1) * 2 / 5
	return string(r[:head]) + "…" + string(r[len(r)-(room-1-head):])
}

// cut shortens s at its end.
func cut(s string, room int) string {
	r := []rune(s)
	if len(r) <= room {
		return s
	}
	return string(r[:max(room-1, 0)]) + "…"
}

// Millis words a duration.
func Millis(ms float64) string {
	switch {
	case ms < 10 && ms != math.Trunc(ms):
		return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	case ms < 10_000:
		return trimZeros(fmt.Sprintf("%.2f", ms/1000)) + " s"
	case ms < 120_000:
		return trimZeros(fmt.Sprintf("%.1f", ms/1000)) + " s"
	}
	return trimZeros(fmt.Sprintf("%.1f", ms/60_000)) + " min"
}

func trimZeros(s string) string {
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// took is what stands beside a bar.
func (c Call) took() string {
	if c.End == nil {
		return "in flight"
	}
	s := Millis(*c.End - c.Start)
	switch {
	case c.Aborted:
		s += " aborted"
	case c.Error != "" && c.Status == 0:
		s += " failed"
	case c.Status >= 400:
		s += " " + strconv.Itoa(c.Status)
	}
	return s
}

// Outcome is what became of a call, in words.
func (c Call) Outcome() string {
	switch {
	case c.End == nil:
		return "in flight"
	case c.Aborted:
		return "aborted"
	case c.Error != "":
		return "failed: " + c.Error
	}
	return strconv.Itoa(c.Status)
}

// about is the whole of a call in one line, for who points at it or cannot see
// it.
func (c Call) about(page string) string {
	s := c.Method + " " + Shown(c.URL, page) + ", " + c.Outcome() + ", started at " + Millis(c.Start)
	if c.End != nil {
		s += ", took " + Millis(*c.End-c.Start)
	}
	return s + " (" + c.ID + ")"
}
