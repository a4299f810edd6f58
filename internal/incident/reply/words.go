package reply

import (
	"strconv"
	"strings"

	"oriel/internal/lazyre"
)

var (
	networkWords = lazyre.New(`Failed to fetch|NetworkError when attempting|Load failed|Network Error|Network request failed|fetch failed|ERR_(?:CONNECTION|NETWORK|EMPTY_RESPONSE)|Failed to fetch dynamically imported module|error loading dynamically imported module|Importing a module script failed|Failed to reload `)
	parseWords   = lazyre.New(`is not valid JSON|Unexpected end of JSON input|JSON\.parse: |Unexpected token .* in JSON|JSON Parse error`)
	httpWords    = lazyre.New(`(?i)\b(?:http|status|code|response|request|server|api|fetch|failed|error)\b`)
)

// Words is what a page says, and what it speaks of.
type Words struct {
	Text                 string
	network, parse, http bool
}

// Read looks once at what words speak of.
func Read(text string) *Words {
	return &Words{text, networkWords.MatchString(text), parseWords.MatchString(text), httpWords.MatchString(text)}
}

// Names says whether the words are about an answer: to a request for path, with
// that status or failed without one, and for code or style if asset.
func (w *Words) Names(path string, failed bool, status int, asset bool) bool {
	if len(path) > 1 && strings.Contains(w.Text, path) {
		return true
	}
	if failed {
		return w.network
	}
	code := strconv.Itoa(status)
	if i := strings.Index(w.Text, code); i >= 0 && wholeNumber(w.Text, i, len(code)) && w.http {
		return true
	}
	if text := statusText[status]; text != "" && strings.Contains(w.Text, text) {
		return true
	}
	// An answer that was no JSON, or a module that did not come.
	if asset {
		return w.network
	}
	return w.parse
}

func wholeNumber(s string, at, n int) bool {
	digit := func(i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }
	return !digit(at-1) && !digit(at+n)
}

var statusText = map[int]string{
	400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 409: "Conflict", 422: "Unprocessable", 429: "Too Many Requests",
	500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
}
