package mapfile

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"oriel/internal/lazyre"
)

const marker = "sourceMappingURL="

var (
	commentStart = lazyre.New(`(?://|/\*)[#@][ \t]*$`)
	// afterComment: nothing but space and comments may follow the reference;
	// otherwise it is part of a string, or of a file that was joined on.
	afterComment = lazyre.New(`^(?:\s|//[^\n]*(?:\n|$)|/\*(?s:.*?)\*/|\*/)*$`)
)

// maxTrailer bounds what may follow the reference.
const maxTrailer = 4096

// mapReference returns the last sourceMappingURL comment of a script, or "".
func mapReference(script []byte) string {
	for end := len(script); ; {
		at := bytes.LastIndex(script[:end], []byte(marker))
		if at < 0 {
			return ""
		}
		end = at
		if !commentStart.Match(script[max(at-16, 0):at]) {
			continue
		}
		rest := script[at+len(marker):]
		stop := bytes.IndexAny(rest, " \t\r\n\"'`\\")
		if stop < 0 {
			stop = len(rest)
		}
		ref, tail := rest[:stop], rest[stop:]
		if cut, _, ok := bytes.Cut(ref, []byte("*/")); ok {
			ref, tail = cut, rest[len(cut):]
		}
		if len(tail) > maxTrailer || !afterComment.Match(tail) {
			return ""
		}
		return string(ref)
	}
}

// References lists where the map of a script may be, the most binding first.
func References(script []byte, header http.Header) []string {
	var refs []string
	for _, name := range []string{"SourceMap", "X-SourceMap"} {
		if v := strings.TrimSpace(header.Get(name)); v != "" {
			refs = append(refs, v)
		}
	}
	if ref := mapReference(script); ref != "" {
		refs = append(refs, ref)
	}
	return refs
}

// DataURL decodes data:[type][;base64],text.
func DataURL(s string) ([]byte, error) {
	rest, ok := strings.CutPrefix(s, "data:")
	if !ok {
		return nil, errors.New("no data: URL")
	}
	head, text, ok := strings.Cut(rest, ",")
	if !ok {
		return nil, errors.New("data: URL without a comma")
	}
	if strings.HasSuffix(strings.TrimSpace(head), ";base64") {
		text = strings.TrimRight(strings.ReplaceAll(text, "%3D", "="), "=")
		data, err := base64.RawStdEncoding.DecodeString(text)
		if err != nil {
			return nil, fmt.Errorf("data: URL: %w", err)
		}
		return data, nil
	}
	plain, err := url.PathUnescape(text)
	if err != nil {
		return nil, fmt.Errorf("data: URL: %w", err)
	}
	return []byte(plain), nil
}

// EvalModule finds, in a bundle that evaluates its modules as strings, the map
// of the module that calls itself name: webpack's eval-source-map writes
// \n//# sourceMappingURL=data:…\n//# sourceURL=<name>\n at the end of each.
func EvalModule(bundle []byte, name string) (string, bool) {
	needle := []byte("# sourceURL=" + name)
	for from := 0; ; {
		i := bytes.Index(bundle[from:], needle)
		if i < 0 {
			return "", false
		}
		at := from + i
		from = at + len(needle)
		if from < len(bundle) && !bytes.ContainsRune([]byte("\\\"'`\n\r \t"), rune(bundle[from])) {
			continue // the beginning of a longer name
		}
		start := bytes.LastIndex(bundle[:at], []byte(marker))
		if start < 0 {
			continue
		}
		ref := bundle[start+len(marker) : at]
		stop := bytes.IndexAny(ref, "\\\"'`\n")
		if stop < 0 || len(bytes.Trim(ref[stop:], "\\nr\n\r/")) > 0 || !bytes.HasPrefix(ref, []byte("data:")) {
			continue
		}
		return string(ref[:stop]), true
	}
}
