// Package devurl finds the local URL that a dev server prints, whatever boxes
// and labels surround it. It is a pure function over lines that have been
// stripped of escape sequences.
//
// A line may hold many addresses that are not the server's own: documentation,
// the machine's network address, the back end it proxies to, a port that was
// taken. So every find has a rank, by the words around it.
package devurl

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"oriel/internal/lazyre"
)

// Rank says how likely an address is the one to open.
type Rank int

// The ranks, rising.
const (
	Mentioned Rank = iota // a local address, but of something else or in passing
	Listening             // a port the program says it listens on
	Announced             // a URL the program says it serves
	Local                 // a URL labelled as the local one of several
)

// Found is one local URL in a line.
type Found struct {
	URL  string
	Rank Rank
}

// Own reports whether the line calls it the program's own address.
func (f Found) Own() bool { return f.Rank > Mentioned }

// longest is how much of a line is looked at; banners are short.
const longest = 2000

// The expressions run on lines that passed a cheap test first.
var (
	// An address with a scheme. Puma and others say tcp:// and ssl://.
	urlRE = lazyre.New(`(?i)\b(https?|tcp|ssl)://(\[[0-9a-f:.]*\]|[a-z0-9_.-]+|\*)(:[0-9]{1,5})?([/?#][^\s"'` + "`" + `<>|\\│┃║▏▕]*)?`)

	// An address without one: only after words that say that it is served.
	bareRE   = lazyre.New(`(?i)(?:^|[\s=:"'(\[,@-])(localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]|::|\*)?:([0-9]{2,5})(?:$|[\s"',.;)\]}!])`)
	portRE   = lazyre.New(`(?i)\bport(?:\(s\)|\\?"|')?\s*[:=]?\s*:?([0-9]{2,5})\b`)
	secureRE = lazyre.New(`(?i)\bhttps\b`) // not HttpServer
	verbRE   = lazyre.New(`(?i)\b(listen(ing|s)?|serving|served|running|started|starting|launched|available|ready|bound)\b|HTTPServer#start:`)

	// When and how loud a line of a log is: no words of its own.
	logRE = lazyre.New(`(?i)^[^a-z]*([0-9]T[0-9][^a-z]*Z?[^a-z]*)?\b(info|i|notice|log|debug|d)?\b[^a-z]*$`)

	// Words after which an explicit URL is the program's own.
	ownRE = lazyre.New(`(?i)\b(listen(ing|s)?|serving|served|serve|accepting connections|running|runs|started|starting|starts|launched|available|ready|open|opened|visit|view|access|browse|browser|servers?|preview|website|site|app|application|address|addr|waiting on|up on|up at|live at|is live|hosted|loopback|on your machine)\b`)

	localRE = lazyre.New(`(?i)(^|[^a-z])local(host)?( (url|address|server))?\s*(\([^)]*\))?\s*:?\s*$`)

	// Addresses of something else.
	otherRE = lazyre.New(`(?i)\b(api|proxy|proxied|proxying|proxies|forward(ing|ed|s)?|target|backend|back-end|upstream|graphi?ql|docs|documentation|swagger|redoc|openapi|inspector|inspect|debugger|devtools|hmr|websockets?|mail\w*|database|metrics|health\w*|admin|studio|playground|dashboard|ui|connect(ed|ing|s)?|fetch(ed|ing)?|requests?|requested|origins?|cors|allowed|callback|redirect\w*|oauth|webhooks?|curl|wget|coverage|report|profiler|storage|emulators?|see|e\.g|example:|for example|such as|like|instead of|try|was|previous|previously|old)\b`)
	// A route and an arrow: a proxy table.
	arrowRE = lazyre.New(`(->|=>|→|↦|⇒)\s*$`)
	// A variable set to the address: configuration, unless it names the address served.
	assignRE = lazyre.New(`(?i)([a-z_][a-z0-9_.]*)\s*[=]\s*["']?$`)

	// Lines that are about trouble, requests or frames name no address to open.
	noneRE    = lazyre.New(`(?i)(eaddrinuse|econnrefused|econnreset|etimedout|enotfound|address already in use|(is|are|was) (already )?(in use|taken|occupied|being used)|already (in use|running|listening|bound)|another (process|instance|server)|trying (another|next|a different)|port .*(unavailable|not available|occupied|in use)|connection refused|proxy error|net::err_|\b(failed|failure|fails|unable|cannot|can't|could not|couldn't|refused|timed out|timeout|panic|fatal|exception|traceback)\b|\bnot (running|available|reachable|found|listening|started|ready|responding)\b|\bno longer\b|\b(stopp(ed|ing)|shutting down|shut down|clos(ed|ing)|exit(ed|ing))\b)`)
	requestRE = lazyre.New(`\b(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\b\s+"?(https?://|/)`)
	frameRE   = lazyre.New(`(^\s*at\s|@)\S*(https?://|\()|https?://[^\s)]+:\d+:\d+`)
	// Services that no browser opens, for lines without a scheme.
	serviceRE = lazyre.New(`(?i)\b(postgres\w*|mysql\w*|mariadb|redis|valkey|mongo\w*|kafka|rabbitmq|amqp|mqtt|nats|memcached|elasticsearch|grpc|debugger|inspector|debugging|debug (server|port)|metrics|pprof|prometheus|ssh|sftp|ftp|smtp|imap|dns|udp|ldap|websockets?|ws|wss|hmr|live-?reload|lsp|language server|jdwp|jmx|rmi|gossip|raft|cluster|replication|unix|socket\.io|turn|stun|rtmp|worker|exporter|health\w*|admin|management|api|backend|back-end|proxy|database|db)\b`)
)

// Find returns the local URLs of a line, in order. Addresses that mean every
// interface become localhost; addresses of other machines, and this machine's
// network addresses, are not returned.
func Find(line string) []Found {
	if len(line) > longest {
		line = line[:longest]
	}
	if !strings.Contains(line, ":") && !hasWord(line, "port") {
		return nil
	}
	schemes := strings.Contains(line, "://")
	if !schemes && !mayServe(line) {
		return nil
	}
	if noneRE.MatchString(line) || requestRE.MatchString(line) || frameRE.MatchString(line) {
		return nil
	}
	if schemes {
		if urls := explicit(line); len(urls) > 0 || urlRE.MatchString(line) {
			return urls
		}
	}
	return bare(line)
}

// mayServe is the cheap test of a line without a scheme; most lines end here.
func mayServe(line string) bool {
	lower := strings.ToLower(line)
	for _, word := range []string{"listen", "serv", "running", "start", "launched", "available", "ready", "bound"} {
		if strings.Contains(lower, word) {
			return verbRE.MatchString(line)
		}
	}
	return false
}

func hasWord(line, word string) bool {
	return strings.Contains(line, word) || strings.Contains(strings.ToLower(line), word)
}

// explicit returns the URLs that are written out.
func explicit(line string) []Found {
	var out []Found
	end, rank := 0, Mentioned
	for i, m := range urlRE.FindAllStringSubmatchIndex(line, -1) {
		before := line[end:m[0]]
		raw := trim(line[m[0]:m[1]])
		end = m[0] + len(raw)
		// A second URL after nothing but a comma has the first one's label.
		if i == 0 || strings.Trim(before, " ,;()/|") != "" && !strings.EqualFold(strings.TrimSpace(before), "and") {
			rank = rankOf(before, line, raw)
		}
		if u, ok := localURL(raw); ok && !slices.ContainsFunc(out, func(f Found) bool { return f.URL == u }) {
			out = append(out, Found{u, rank})
		}
	}
	return out
}

// rankOf judges a URL by the words before it.
func rankOf(before, line, raw string) Rank {
	if localRE.MatchString(before) && !strings.HasSuffix(strings.TrimSpace(before), "=") {
		return Local
	}
	if m := assignRE.FindStringSubmatch(before); m != nil && !slices.Contains([]string{"addr", "address", "url", "listen", "listening", "bind", "on", "server", "host"}, strings.ToLower(m[1])) {
		return Mentioned
	}
	if otherRE.MatchString(before) || arrowRE.MatchString(before) {
		return Mentioned
	}
	if alone(line, raw) || ownRE.MatchString(before) {
		return Announced
	}
	// "http://localhost:3000 is ready", "(http://localhost:8000) started"
	if _, after, _ := strings.Cut(line, raw); verbRE.MatchString(after) && !otherRE.MatchString(after) {
		return Announced
	}
	return Mentioned
}

// alone reports whether the line has no words beside the URL.
func alone(line, raw string) bool {
	before, after, _ := strings.Cut(line, raw)
	if logRE.MatchString(before) {
		before = ""
	}
	return !strings.ContainsFunc(before+after, func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	})
}

// trim takes off what follows a URL in running text.
func trim(raw string) string {
	for {
		cut := strings.TrimRight(raw, ".,;:!?'\"`*_~…»”’>│┃║|╮╯╭╰─")
		for _, pair := range []string{"()", "[]", "{}"} {
			if strings.HasSuffix(cut, pair[1:]) && strings.Count(cut, pair[:1]) < strings.Count(cut, pair[1:]) {
				cut = cut[:len(cut)-1]
			}
		}
		if cut == raw {
			return raw
		}
		raw = cut
	}
}

// localURL returns the URL as a browser on this machine opens it.
func localURL(raw string) (string, bool) {
	u, err := url.Parse(raw)
	if err != nil {
		return "", false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "tcp":
		u.Scheme = "http"
	default:
		u.Scheme = "https"
	}
	if strings.HasPrefix(strings.ToLower(raw), "tcp") || strings.HasPrefix(strings.ToLower(raw), "ssl") {
		u.RawQuery = "" // the server's own socket options
	}
	host, ok := localHost(u.Hostname())
	if !ok {
		return "", false
	}
	if p := u.Port(); p != "" {
		n, err := strconv.Atoi(p)
		if err != nil || n < 1 || n > 65535 {
			return "", false
		}
		host += ":" + p
	}
	u.Host = host
	return u.String(), true
}

// localHost returns the name under which a host is reached from this machine.
func localHost(host string) (string, bool) {
	host = strings.ToLower(host)
	if host == "*" {
		return "localhost", true
	}
	for _, suffix := range []string{"localhost", "localtest.me", "lvh.me"} { // the last two resolve to 127.0.0.1
		if host == suffix || strings.HasSuffix(host, "."+suffix) {
			return host, true
		}
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return "", false
	}
	addr = addr.Unmap()
	switch {
	case addr.IsUnspecified():
		return "localhost", true
	case addr.IsLoopback() && addr.Is6():
		return "[" + addr.String() + "]", true
	case addr.IsLoopback():
		return addr.String(), true
	}
	return "", false
}

// bare returns the address of a line like "listening on :8080".
func bare(line string) []Found {
	if !verbRE.MatchString(line) || serviceRE.MatchString(line) {
		return nil
	}
	host, port := "", ""
	if m := bareRE.FindStringSubmatch(line); m != nil && !clockBefore(line, m[0]) {
		host, port = m[1], m[2]
	} else if m := portRE.FindStringSubmatch(line); m != nil {
		port = m[1]
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 1 || n > 65535 {
		return nil
	}
	name, ok := localHost(strings.Trim(host, "[]"))
	if !ok {
		name = "localhost"
		if host != "" {
			return nil
		}
	}
	scheme := "http://"
	if secureRE.MatchString(line) {
		scheme = "https://"
	}
	return []Found{{scheme + name + ":" + port, Listening}}
}

// clockBefore reports whether a bare ":34" is part of a time of day.
func clockBefore(line, match string) bool {
	i := strings.Index(line, match)
	return i > 0 && strings.HasPrefix(match, ":") && line[i-1] >= '0' && line[i-1] <= '9'
}

// Port returns the port of a URL, the scheme's own when it names none.
func Port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}
