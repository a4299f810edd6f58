package config

import (
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"oriel/internal/kdl"
	"oriel/internal/nearest"
)

// plain reports a setting that has a block or properties where it should only
// have values.
func (d *decoder) plain(e entry, expected string) bool {
	switch {
	case e.node.Block:
		d.problem(e.Position, "%s: expected %s, got a block", e.subject(), expected)
	case len(e.node.Props) > 0:
		prop := e.node.Props[0]
		d.problem(prop.Position, "%s: expected %s, got the property %s", e.subject(), expected, quote(prop.Name))
	default:
		return true
	}
	return false
}

// one returns the single value of a setting.
func (d *decoder) one(e entry, expected string) (kdl.Value, bool) {
	if !d.plain(e, expected) {
		return kdl.Value{}, false
	}
	switch len(e.values) {
	case 0:
		d.problem(e.Position, "%s: expected %s, got nothing", e.subject(), expected)
	case 1:
		return e.values[0], true
	default:
		d.problem(e.values[1].Position, "%s: expected %s, got %d values", e.subject(), expected, len(e.values))
	}
	return kdl.Value{}, false
}

// wrong reports a value that is not what was expected. The reason may be empty.
func (d *decoder) wrong(e entry, value kdl.Value, expected, reason string) {
	if reason != "" {
		reason = " (" + reason + ")"
	}
	d.problem(value.Position, "%s: expected %s, got %s%s", e.subject(), expected, value.Describe(), reason)
}

// text returns the string value of a setting that accept, which says why not,
// agrees with.
func (d *decoder) text(e entry, expected string, accept func(string) (ok bool, reason string)) (string, bool) {
	value, ok := d.one(e, expected)
	if !ok {
		return "", false
	}
	if value.Kind != kdl.String {
		d.wrong(e, value, expected, "")
		return "", false
	}
	if ok, reason := accept(value.Text); !ok {
		d.wrong(e, value, expected, reason)
		return "", false
	}
	return value.Text, true
}

// flag reads true or false; the bare key is true.
func (d *decoder) flag(e entry) (bool, bool) {
	const expected = "true or false"
	if len(e.values) == 0 {
		return true, d.plain(e, expected)
	}
	value, ok := d.one(e, expected)
	if ok && value.Kind != kdl.Bool {
		d.wrong(e, value, expected, "")
		return false, false
	}
	return value.True(), ok
}

// command reads a shell command.
func (d *decoder) command(e entry) (string, bool) {
	return d.text(e, "a shell command", notBlank)
}

// folder reads a path.
func (d *decoder) folder(e entry) (string, bool) {
	return d.text(e, "a folder", notBlank)
}

func notBlank(text string) (bool, string) {
	if strings.ContainsRune(text, 0) {
		return false, "it holds a NUL character"
	}
	return strings.TrimSpace(text) != "", ""
}

func (d *decoder) port(e entry) (int, bool) {
	const expected = "a port number from 1 to 65535"
	value, ok := d.one(e, expected)
	if !ok {
		return 0, false
	}
	n, ok := value.Int()
	if !ok || n < 1 || n > 65535 {
		d.wrong(e, value, expected, "")
		return 0, false
	}
	return int(n), true
}

func (d *decoder) webURL(e entry) (string, bool) {
	return d.text(e, `a URL like "http://localhost:3000"`, acceptURL)
}

func acceptURL(text string) (bool, string) {
	parsed, err := url.Parse(text)
	if err != nil {
		if wrapped := new(url.Error); errors.As(err, &wrapped) {
			err = wrapped.Err // without the URL, which the message shows anyway
		}
		return false, clip(err.Error())
	}
	switch {
	case parsed.Scheme != "http" && parsed.Scheme != "https":
		return false, "it must begin with http:// or https://"
	case parsed.Hostname() == "":
		return false, "it names no host"
	}
	if port := parsed.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return false, "its port is not from 1 to 65535"
		}
	}
	return true, ""
}

func (d *decoder) pattern(e entry) (string, bool) {
	return d.text(e, "a regular expression", func(text string) (bool, string) {
		if text == "" {
			return false, "it would match everything"
		}
		_, err := regexp.Compile(text)
		if wrong := new(syntax.Error); errors.As(err, &wrong) {
			return false, fmt.Sprintf("%s: %s", wrong.Code, quote(wrong.Expr))
		}
		return err == nil, ""
	})
}

func (d *decoder) restart(e entry) (RestartPolicy, bool) {
	policies := []string{string(RestartNo), string(RestartOnFailure), string(RestartAlways)}
	text, ok := d.text(e, `"no", "on-failure" or "always"`, func(text string) (bool, string) {
		if slices.Contains(policies, text) {
			return true, ""
		}
		if near := nearest.Of(text, policies); near != "" {
			return false, fmt.Sprintf("did you mean %q?", near)
		}
		return false, ""
	})
	return RestartPolicy(text), ok
}

// host reads an address or a host name without a port.
func (d *decoder) host(e entry) (string, bool) {
	return d.text(e, `a host or address like "0.0.0.0"`, func(text string) (bool, string) {
		if net.ParseIP(text) != nil {
			return true, ""
		}
		if _, port, err := net.SplitHostPort(text); err == nil && isNumber(port) {
			return false, "the port has its own key: port " + clip(port)
		}
		return isHostName(text), ""
	})
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

func isHostName(text string) bool {
	if text == "" || len(text) > 253 {
		return false
	}
	for label := range strings.SplitSeq(strings.TrimSuffix(text, "."), ".") {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}
		for _, r := range label {
			if r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return false
			}
		}
	}
	return true
}

func (d *decoder) duration(e entry) (time.Duration, bool) {
	var duration time.Duration
	_, ok := d.text(e, `a duration like "10m" or "0s"`, func(text string) (bool, string) {
		parsed, err := time.ParseDuration(text)
		duration = parsed
		if err == nil && parsed < 0 {
			return false, "it is negative"
		}
		return err == nil, ""
	})
	return duration, ok
}

// size reads a number of bytes: an integer, or a string with a unit. KB and its
// like count in thousands, KiB and its like in 1024s.
func (d *decoder) size(e entry) (int64, bool) {
	const expected = `a number of bytes like 65536, "256KB" or "1MiB"`
	value, ok := d.one(e, expected)
	if !ok {
		return 0, false
	}
	bytes, ok := value.Int()
	if value.Kind == kdl.String {
		bytes, ok = parseSize(value.Text)
	}
	if !ok || bytes < 0 {
		d.wrong(e, value, expected, "")
		return 0, false
	}
	if bytes > MaxBodyLimit {
		d.wrong(e, value, expected, fmt.Sprintf("at most %dMiB", MaxBodyLimit>>20))
		return 0, false
	}
	return bytes, true
}

func parseSize(text string) (int64, bool) {
	digits := strings.TrimRight(text, "BKMGTiIkmgtb ")
	factor, known := map[string]int64{
		"": 1, "b": 1,
		"k": 1e3, "kb": 1e3, "kib": 1 << 10,
		"m": 1e6, "mb": 1e6, "mib": 1 << 20,
		"g": 1e9, "gb": 1e9, "gib": 1 << 30,
	}[strings.ToLower(strings.TrimSpace(text[len(digits):]))]
	count, err := strconv.ParseUint(digits, 10, 63)
	if !known || err != nil {
		return 0, false
	}
	if count > math.MaxInt64/uint64(factor) {
		return math.MaxInt64, true
	}
	return int64(count) * factor, true
}
