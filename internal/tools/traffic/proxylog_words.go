package traffic

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"oriel/internal/journal"
	"oriel/internal/quote"
	"oriel/internal/tools/words"
)

// Text is one line per entry, or, for entries asked for by id, all of it.
func (o proxylogOut) Text() string {
	var b strings.Builder
	if len(o.Entries) == 0 {
		fmt.Fprintln(&b, o.empty)
		writeDropped(&b, o.Dropped)
		return b.String()
	}
	shown := 0
	for _, e := range o.Entries {
		text := entryLine(e)
		if o.detail {
			text += entryDetail(e, o.bodies)
		}
		if b.Len()+len(text) > max(o.Room(), words.TextBudget)-300 && shown > 0 {
			break
		}
		b.WriteString(text)
		shown++
	}
	if rest := o.Matched - shown; rest > 0 {
		fmt.Fprintf(&b, "(newest first; %d more match: narrow the query, raise limit, or raw: true)\n", rest)
	} else {
		fmt.Fprintln(&b, "(newest first, all that match)")
	}
	writeDropped(&b, o.Dropped)
	return b.String()
}

func writeDropped(b *strings.Builder, dropped map[journal.Kind]uint64) {
	for _, kind := range slices.Sorted(maps.Keys(dropped)) {
		fmt.Fprintf(b, "(the log is bounded: %d older %s entries were dropped)\n", dropped[kind], kind)
	}
}

// entryLine says what happened. All that comes from a page is quoted.
func entryLine(e journal.Entry) string {
	return fmt.Sprintf("#%d %s %s\n", e.Seq, e.Time.Format("15:04:05.000"), entryWords(e))
}

func entryWords(e journal.Entry) string {
	switch {
	case e.HTTP != nil:
		return httpWords(e.HTTP)
	case e.Error != nil:
		return errorWords(e.Error)
	case e.Console != nil:
		return fmt.Sprintf("console.%s %s%s", quote.Text(e.Console.Level, 20), quote.Quoted(e.Console.Text, 200), times(e.Console.Count))
	case e.Navigation != nil:
		return fmt.Sprintf("navigation %s → %s", quote.Text(e.Navigation.Type, 20), quote.Text(e.Navigation.To, 160))
	case e.Performance != nil:
		return performanceWords(e.Performance)
	case e.Screenshot != nil:
		return screenshotWords(e)
	case e.WebSocket != nil:
		return socketWords(e.WebSocket)
	case e.Action != nil:
		return fmt.Sprintf("action %s on %s", quote.Text(e.Action.Type, 20), quote.Quoted(e.Action.Target, 100))
	}
	return string(e.Kind)
}

func httpWords(h *journal.HTTP) string {
	text := fmt.Sprintf("%s %s", quote.Text(h.Method, 20), quote.Text(h.URL, 160))
	switch {
	case h.Error != "":
		text += " failed: " + quote.Text(h.Error, 160)
	case h.Aborted:
		text += fmt.Sprintf(" %d aborted by the browser", h.Status)
	default:
		text += fmt.Sprintf(" %d", h.Status)
	}
	return text + fmt.Sprintf(", %s, %s", words.Span(h.Duration), words.Size(h.ResponseBody.Size))
}

func errorWords(e *journal.PageError) string {
	text := fmt.Sprintf("%s %s%s", e.Source, quote.Quoted(e.Message, 200), times(e.Count))
	if e.URL != "" {
		text += " at " + quote.Text(e.URL, 120)
		if e.Line > 0 {
			text += fmt.Sprintf(":%d:%d", e.Line, e.Column)
		}
	}
	return text
}

func socketWords(s *journal.WebSocket) string {
	text := "websocket " + quote.Text(s.URL, 160)
	switch {
	case s.Error != "":
		return text + " failed: " + quote.Text(s.Error, 160)
	case s.Closed:
		return text + fmt.Sprintf(" closed after %s, sent %s, received %s", words.Span(s.Duration), words.Size(s.Sent), words.Size(s.Received))
	default:
		return text + " opened"
	}
}

// performanceWords: all values are milliseconds but that of CLS, which is a share.
func performanceWords(p *journal.Performance) string {
	unit := " ms"
	if p.Name == "CLS" {
		unit = ""
	}
	return strings.TrimRight(fmt.Sprintf("performance %s %.4g%s %s", quote.Text(p.Name, 30), p.Value, unit, quote.Text(p.Rating, 30)), " ")
}

// screenshotWords: the oldest pictures make room for new ones, so that the file
// may be gone while the entry is still there.
func screenshotWords(e journal.Entry) string {
	s := e.Screenshot
	text := "screenshot "
	if s.Name != "" {
		text += quote.Quoted(s.Name, 60) + " "
	}
	text += fmt.Sprintf("%d×%d, %s, %s", s.Width, s.Height, words.Size(int64(s.Bytes)), s.Mode)
	if e.Page != "" {
		text += ", page " + e.Page
	}
	if _, err := os.Stat(s.Path); err != nil {
		return text + ", no longer kept"
	}
	return text + " " + s.Path
}

func times(n int) string {
	if n <= 1 {
		return ""
	}
	return fmt.Sprintf(" ×%d", n)
}

// entryDetail is what an entry's line leaves out.
func entryDetail(e journal.Entry, bodies bool) string {
	var b strings.Builder
	if e.Page != "" {
		fmt.Fprintf(&b, "  page %s, proxy %s\n", e.Page, e.Proxy)
	}
	switch {
	case e.HTTP != nil:
		writeHead(&b, ">", e.HTTP.RequestHead)
		writeBody(&b, ">", e.HTTP.RequestBody, bodies)
		writeHead(&b, "<", e.HTTP.ResponseHead)
		writeBody(&b, "<", e.HTTP.ResponseBody, bodies)
	case e.Error != nil && e.Error.Stack != "":
		fmt.Fprintln(&b, quote.Block(e.Error.Stack, 1500, "  | "))
	case e.Console != nil:
		if e.Console.Stack != "" {
			fmt.Fprintln(&b, quote.Block(e.Console.Stack, 1500, "  | "))
		}
	}
	return b.String()
}

func writeHead(b *strings.Builder, mark string, head http.Header) {
	for _, name := range slices.Sorted(maps.Keys(head)) {
		for _, v := range head[name] {
			fmt.Fprintf(b, "  %s %s: %s\n", mark, quote.Text(name, 80), quote.Text(v, 200))
		}
	}
}

func writeBody(b *strings.Builder, mark string, body journal.Body, show bool) {
	if body.Size == 0 && len(body.Data) == 0 {
		return
	}
	if !show {
		fmt.Fprintf(b, "  %s (body of %s; bodies: true shows what was kept)\n", mark, words.Size(body.Size))
		return
	}
	if len(body.Data) == 0 {
		fmt.Fprintf(b, "  %s (body of %s, not kept)\n", mark, words.Size(body.Size))
		return
	}
	const room = 1500
	fmt.Fprintln(b, quote.Block(string(body.Data), room, "  "+mark+" | "))
	if body.Cut || len(body.Data) > room {
		fmt.Fprintf(b, "  %s (of %s; raw: true gives all that was kept)\n", mark, words.Size(body.Size))
	}
}
