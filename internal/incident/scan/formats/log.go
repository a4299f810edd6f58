package formats

import (
	"encoding/json"
	"slices"
	"strings"

	"oriel/internal/lazyre"
)

var (
	logPair = lazyre.New(`\b(?:level|lvl|severity)="?(?i:error|err|fatal|critical|panic)\b`)
	pairMsg = lazyre.New(`\b(?:msg|message|error|err)=(?:"((?:[^"\\]|\\.)*)"|(\S+))`)
)

// levels are the words by which programs call a line an error. In small letters
// they count only with a colon or in brackets.
var levels = []string{"ERROR", "ERR", "FATAL ERROR", "FATAL", "CRITICAL", "CRIT", "PANIC"}

// logged returns what a program itself calls an error: the level stands first,
// after a time, tags and a mark at most, and something follows it. "0 errors",
// "error rate 0%" and "errors cleared" do not look like that.
func logged(text string) (string, bool) {
	rest := strings.TrimLeft(text, " \t")
	for range 6 {
		rest = strings.TrimLeft(skipTime(rest), " \t⨯✖✘×❌|-")
		if message, ok := level(rest); ok {
			return message, message != ""
		}
		end := strings.IndexByte(rest, ']')
		if rest == "" || rest[0] != '[' || end < 0 || end > 32 {
			return "", false
		}
		rest = rest[end+1:]
	}
	return "", false
}

// skipTime passes over a date or a time, which begins with a digit or with one
// in a bracket.
func skipTime(s string) string {
	t := strings.TrimPrefix(s, "[")
	n := 0
	for n < len(t) && n < 40 && strings.IndexByte("0123456789:.,/TZ+- ", t[n]) >= 0 {
		n++
	}
	if n < 5 || t[0] < '0' || t[0] > '9' {
		return s
	}
	return strings.TrimPrefix(t[n:], "]")
}

// level takes a level word off the beginning, with what sets it apart from the
// message.
func level(s string) (string, bool) {
	bracket := s != "" && (s[0] == '[' || s[0] == '(' || s[0] == '<')
	if bracket {
		s = s[1:]
	}
	for _, word := range levels {
		if len(s) <= len(word) || !strings.EqualFold(s[:len(word)], word) {
			continue
		}
		exact, rest := s[:len(word)] == word, s[len(word):]
		switch c := rest[0]; {
		case bracket && (c == ']' || c == ')' || c == '>'), c == ':' && !bracket:
			rest = strings.TrimPrefix(rest[1:], ":")
			if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
				return "", false
			}
		case exact && !bracket && (c == ' ' || c == '\t' || c == '|'):
		default:
			continue
		}
		return strings.TrimLeft(rest, " \t:|–-"), true
	}
	return "", false
}

// openLog reads the lines of loggers: a level word, key=value, or JSON.
func openLog(_ *Context, text string) Reader {
	if text[0] == '{' {
		return openJSON(text)
	}
	if strings.IndexByte(text, '=') > 0 && logPair.MatchString(text) {
		m := pairMsg.FindStringSubmatch(text)
		if m == nil {
			return nil
		}
		return &plain{p: Problem{Tool: "log", Kind: Logged, Message: m[1] + m[2]}}
	}
	message, ok := logged(text)
	if !ok || noNews(message) || aftermath(message) || codeForm.MatchString(message) {
		return nil
	}
	return &plain{p: Problem{Tool: "log", Kind: Logged, Message: message}, more: logMore}
}

// logMore takes the stack that some loggers put below, indented.
func logMore(p *Problem, text string) bool {
	if f, ok := nodeFrame(text); ok {
		if p.File == "" && !foreign(f.file) {
			p.at(f.place)
			p.Function = f.function
		}
		return true
	}
	if at, ok := readPlace(text); ok && indented(text) && p.File == "" {
		p.at(at)
		return true
	}
	t := strings.TrimSpace(text)
	return indented(text) && (t == "Stack trace:" || t == "Location:" || t == "Hint:" || strings.HasPrefix(t, "[...] See full stack") || strings.HasPrefix(t, "at "))
}

// noNews says whether the words after a level are an error in form only.
func noNews(message string) bool {
	switch strings.ToLower(strings.TrimRight(message, ".!")) {
	case "no", "none", "null", "nil", "false", "undefined", "error", "errors", "error:":
		return true
	}
	return strings.Trim(message, "0123456789") == "" || strings.HasPrefix(message, "rate ") || strings.HasPrefix(message, "count ")
}

// aftermath says whether a script runner only tells that what it ran has failed.
func aftermath(message string) bool {
	return slices.ContainsFunc(aftermaths, func(prefix string) bool { return strings.HasPrefix(message, prefix) })
}

var aftermaths = []string{"could not compile", "Command failed with exit code", "script ", "Process completed with exit code", "code ELIFECYCLE", "errno ", "Lifecycle script", "Failed at the", "Exit status"}

// openJSON reads pino, bunyan, slog, zap and their like.
func openJSON(text string) Reader {
	var line struct {
		Level   json.RawMessage `json:"level"`
		Msg     string          `json:"msg"`
		Message string          `json:"message"`
		Err     struct {
			Message string `json:"message"`
		} `json:"err"`
	}
	if json.Unmarshal([]byte(text), &line) != nil && line.Level == nil {
		return nil
	}
	level := strings.ToLower(strings.Trim(string(line.Level), `"`))
	switch level {
	case "error", "err", "fatal", "critical", "panic", "50", "60":
	default:
		return nil
	}
	message := line.Msg + line.Message
	if line.Err.Message != "" && !strings.Contains(message, line.Err.Message) {
		message = strings.TrimPrefix(message+": "+line.Err.Message, ": ")
	}
	return &plain{p: Problem{Tool: "log", Kind: Logged, Message: message}}
}
