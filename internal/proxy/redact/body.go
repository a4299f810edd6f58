package redact

import (
	"bytes"
	"strconv"
	"strings"
)

// Body redacts a recorded body by its media type (lower case, no parameters).
// data may be cut anywhere. The result shares no secret with data; data itself
// may be returned when there was nothing to take out.
func (r *Rules) Body(media string, data []byte) []byte {
	switch {
	case media == "application/x-www-form-urlencoded":
		return []byte(r.Form(string(data)))
	case strings.Contains(media, "json"), media == "text/event-stream":
		return r.JSON(data)
	case media == "text/html", media == "text/css", strings.Contains(media, "javascript"), strings.Contains(media, "ecmascript"):
		return data
	}
	if t := bytes.TrimLeft(data, " \t\r\n"); len(t) > 0 && (t[0] == '{' || t[0] == '[') {
		return r.JSON(data)
	}
	return data
}

// JSON redacts the values of secret members at any depth. It works on the
// letters alone, so that lines of JSON, event streams and cut documents are
// done alike; what is no JSON is left alone.
func (r *Rules) JSON(data []byte) []byte {
	var out []byte
	done := 0 // data[:done] is in out
	for i := 0; i < len(data); {
		q := bytes.IndexByte(data[i:], '"')
		if q < 0 {
			break
		}
		start := i + q
		end := stringEnd(data, start)
		i = end
		colon := skipSpace(data, end)
		if colon >= len(data) || data[colon] != ':' {
			continue
		}
		name := data[start+1 : max(start+1, end-1)]
		if !r.secretKey(name) {
			i = colon + 1
			continue
		}
		from := skipSpace(data, colon+1)
		to := valueEnd(data, from)
		i = to
		if !worthHiding(data[from:to]) || counts(string(name)) && isNumber(data[from:to]) {
			continue
		}
		out = append(out, data[done:from]...)
		out = append(out, '"')
		out = append(out, Mark...)
		out = append(out, '"')
		done = to
	}
	if done == 0 {
		return data
	}
	return append(out, data[done:]...)
}

func (r *Rules) secretKey(name []byte) bool {
	if v, ok := r.cache.getBytes(name); ok {
		return v
	}
	s := string(name)
	if bytes.IndexByte(name, '\\') >= 0 {
		if u, err := strconv.Unquote(`"` + s + `"`); err == nil {
			s = u
		}
	}
	v := r.Secret(s)
	r.cache.put(string(name), v)
	return v
}

// worthHiding leaves the values that tell nothing but their absence.
func worthHiding(v []byte) bool {
	switch string(v) {
	case "", "null", "true", "false", `""`, "{}", "[]":
		return false
	}
	return true
}

func isNumber(v []byte) bool {
	return len(v) > 0 && (v[0] == '-' || '0' <= v[0] && v[0] <= '9')
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\r' || data[i] == '\t') {
		i++
	}
	return i
}

// stringEnd returns the index after the string that begins at i.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

// valueEnd returns the index after the value that begins at i.
func valueEnd(data []byte, i int) int {
	if i >= len(data) {
		return len(data)
	}
	switch data[i] {
	case '"':
		return stringEnd(data, i)
	case '{', '[':
		depth := 0
		for i < len(data) {
			switch data[i] {
			case '"':
				i = stringEnd(data, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			i++
			if depth == 0 {
				return i
			}
		}
		return len(data)
	}
	for i < len(data) && !bytes.ContainsRune([]byte(",}] \r\n\t"), rune(data[i])) {
		i++
	}
	return i
}
