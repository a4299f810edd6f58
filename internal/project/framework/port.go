package framework

import (
	"strconv"
	"strings"

	"oriel/internal/lazyre"
)

// portFlags take the port, or an address that ends in one, as their value.
var portFlags = map[string]bool{
	"--port": true, "-port": true, "-p": true, "--http-port": true, "--server.port": true, "--server-port": true,
	"-l": true, "--listen": true, "-b": true, "--bind": true, "-S": true, "--addr": true, "-addr": true, "--address": true,
	"-listen": true, "--http": true, "-http": true,
}

var (
	plainPort   = lazyre.New(`^\d{2,5}$`)
	addressPort = lazyre.New(`^(?:https?://)?(?:[A-Za-z0-9.*_-]*|\[[0-9A-Fa-f:.]*\]):(\d{2,5})/?$`)
	defaulted   = lazyre.New(`^\$\{[A-Za-z_][A-Za-z0-9_]*:-(\d{2,5})\}$`)
	portSetting = lazyre.New(`^(?:PORT|[A-Z_]+_PORT|DEV_SERVER_PORT)=(.+)$`)
)

// CommandPort reads the port a command line sets in plain words: --port 4000, -p 4000, PORT=4000, runserver 0.0.0.0:9000 and
// the like. A command that sets none, or several that differ, gives 0.
func CommandPort(command string) int {
	words := split(command)
	found := 0
	for i, word := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		port := wordPort(word, next)
		if port == 0 {
			continue
		}
		if found != 0 && found != port {
			return 0
		}
		found = port
	}
	return found
}

func wordPort(word, next string) int {
	if set := portSetting.FindStringSubmatch(word); set != nil {
		if strings.HasPrefix(word, "PORT=") || strings.HasPrefix(word, "DEV_SERVER_PORT=") {
			return number(set[1], false)
		}
		return 0 // some other port: a database's, an API's
	}
	if flag, value, ok := strings.Cut(word, "="); ok && portFlags[flag] {
		return number(value, true)
	}
	switch {
	case portFlags[word]:
		return number(next, true)
	case word == "runserver" || word == "http.server" || word == "server:start":
		return number(next, true)
	case strings.HasPrefix(word, "-p") && plainPort.MatchString(word[2:]):
		return number(word[2:], false)
	}
	return 0
}

// number reads a port: plain, a shell default such as ${PORT:-3000}, or, where an address may stand, host:port.
func number(s string, address bool) int {
	if found := defaulted.FindStringSubmatch(s); found != nil {
		s = found[1]
	} else if found := addressPort.FindStringSubmatch(s); found != nil && address {
		if host, _, _ := strings.Cut(s, ":"); plainPort.MatchString(host) {
			return 0 // 8080:80 maps one port to another
		}
		s = found[1]
	} else if _, tail, ok := strings.Cut(s, ":${"); ok && address {
		return number("${"+tail, false)
	}
	if !plainPort.MatchString(s) {
		return 0
	}
	return valid(s)
}

// valid refuses numbers that are counts rather than ports ("-p 4", "-p 16").
func valid(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n > 65535 || (n < 1000 && n != 80 && n != 443) {
		return 0
	}
	return n
}

// split cuts a command line at spaces and shell operators; quotes are removed, nothing is expanded.
func split(command string) []string {
	var words []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			words = append(words, b.String())
			b.Reset()
		}
	}
	for _, c := range command {
		switch c {
		case ' ', '\t', '\n', ';', '|', '&', '(', ')':
			flush()
		case '"', '\'', '`':
			// A quoted part of a command is most often itself a command (concurrently "vite --port 3000"), so its words count.
		default:
			b.WriteRune(c)
		}
	}
	flush()
	return words
}

var (
	serverBlock = lazyre.New(`\b(?:server|devServer)\s*:\s*\{`)
	portEntry   = lazyre.New(`^\bport\s*:\s*(\d{2,5})\b`)
)

// ConfigPort reads an obvious "port: 1234" that stands directly in the server (or devServer) block of a JavaScript configuration
// file, as in vite.config, astro.config, nuxt.config, webpack.config or vue.config. Several blocks that differ give 0.
func ConfigPort(source []byte) int {
	code := dropComments(string(source))
	found := 0
	for _, place := range serverBlock.FindAllStringIndex(code, 20) {
		port := blockPort(code[place[1]:])
		if port != 0 && found != 0 && port != found {
			return 0
		}
		found = max(found, port)
	}
	return found
}

// blockPort looks at the top level of a block only: hmr: { port: … } inside it is another port.
func blockPort(code string) int {
	depth := 0
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			if depth--; depth < 0 {
				return 0
			}
		case 'p':
			if depth == 0 && (i == 0 || !isWord(code[i-1])) {
				if m := portEntry.FindStringSubmatch(code[i:]); m != nil {
					return valid(m[1])
				}
			}
		}
	}
	return 0
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// dropComments removes // and /* */ comments and blanks the contents of strings, so that neither can be taken for settings.
func dropComments(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\'' || c == '`':
			b.WriteByte(c)
			for i++; i < len(s) && s[i] != c && (c == '`' || s[i] != '\n'); i++ {
				if s[i] == '\\' {
					i++
				}
			}
			b.WriteByte(c)
		case c == '/' && strings.HasPrefix(s[i:], "//"):
			end := strings.IndexByte(s[i:], '\n')
			if end < 0 {
				return b.String()
			}
			i += end - 1
		case c == '/' && strings.HasPrefix(s[i:], "/*"):
			end := strings.Index(s[i+2:], "*/")
			if end < 0 {
				return b.String()
			}
			i += end + 3
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

var goListen = lazyre.New(`\b(?:ListenAndServe|Run|Start|Listen)\(\s*"[A-Za-z0-9.]*:(\d{2,5})"`)

// GoPort reads the port a Go program listens on when it is written out, as in http.ListenAndServe(":8080", nil).
func GoPort(source []byte) int {
	found := 0
	for _, m := range goListen.FindAllSubmatch(source, 20) {
		port := valid(string(m[1]))
		if port != 0 && found != 0 && port != found {
			return 0
		}
		found = max(found, port)
	}
	return found
}
