package traffic

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"oriel/internal/journal"
	"oriel/internal/tool"
	"oriel/internal/tools/words"
)

// Proxylog is the tool.
var Proxylog = tool.Group("proxylog", tool.Doc{
	Title: "Query captured traffic logs, errors and screenshots",
	Text:  "What went through the proxies and happened in their pages, newest first. types: http, error, console, navigation, performance, screenshot, websocket, action. Secrets are redacted. export: HAR.",
	Hints: tool.Hints{Destructive: true},
},
	tool.Do("query", proxylogQuery),
	tool.Do("summary", proxylogSummary),
	tool.Do("export", proxylogExport),
	tool.Do("clear", proxylogClear),
)

type proxylogFilter struct {
	ProxyID     string     `json:"proxy_id" alias:"id"`
	Types       tool.Words `json:"types"`
	Methods     tool.Words `json:"methods"`
	StatusCodes tool.Words `json:"status_codes" doc:"404, 4xx, 400-499, >=400"`
	URLPattern  string     `json:"url_pattern" doc:"substring, glob or /regexp/"`
	Since       string     `json:"since" doc:"30s or RFC 3339"`
	Until       string     `json:"until"`
}

type proxylogQueryIn struct {
	proxylogFilter
	Limit  int        `json:"limit" doc:"default 25"`
	IDs    tool.Words `json:"ids" doc:"these, in detail"`
	Bodies bool       `json:"bodies"`
}

const (
	proxylogLimit = 25
	proxylogMost  = 1000
)

// query reads the filter. A proxy that was named must exist; its entries
// outlive it, so one that was stopped is found by what it left.
func (f proxylogFilter) query(s Session, now time.Time) (journal.Query, error) {
	q := journal.Query{Proxy: f.ProxyID, Methods: f.Methods}
	if err := knownProxy(s, f.ProxyID); err != nil {
		return q, err
	}
	for _, t := range f.Types {
		kind := journal.Kind(t)
		if !slices.Contains(journal.Kinds(), kind) {
			return q, fmt.Errorf("types: unknown type %q (valid: %s)", words.Clip(t, 40), kindNames())
		}
		q.Kinds = append(q.Kinds, kind)
	}
	for _, c := range f.StatusCodes {
		r, err := journal.ParseStatus(c)
		if err != nil {
			return q, fmt.Errorf("status_codes: %w", err)
		}
		q.Statuses = append(q.Statuses, r)
	}
	var err error
	if q.URL, err = journal.ParsePattern(f.URLPattern); err != nil {
		return q, fmt.Errorf("url_pattern: %w", err)
	}
	if f.Since != "" {
		if q.Since, err = words.Instant(f.Since, now); err != nil {
			return q, fmt.Errorf("since: %w", err)
		}
	}
	if f.Until != "" {
		if q.Until, err = words.Instant(f.Until, now); err != nil {
			return q, fmt.Errorf("until: %w", err)
		}
	}
	return q, nil
}

func kindNames() string {
	var names []string
	for _, k := range journal.Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

func knownProxy(s Session, id string) error {
	if id == "" {
		return nil
	}
	if _, err := s.Proxy(id); err != nil && s.Journal.Select(journal.Query{Proxy: id, Limit: 1}).Matched == 0 {
		return err
	}
	return nil
}

type proxylogOut struct {
	Entries []journal.Entry         `json:"entries"`
	Matched int                     `json:"matched"`
	Cut     int                     `json:"cut,omitempty"`
	Dropped map[journal.Kind]uint64 `json:"dropped,omitempty"`
	detail  bool
	bodies  bool
	asked   bool // for more than a default answer
	empty   string
}

// Room is larger when a limit was named.
func (o proxylogOut) Room() int {
	if o.asked {
		return 64 << 10
	}
	return 0
}

func proxylogQuery(s Session, _ context.Context, in proxylogQueryIn) (proxylogOut, error) {
	q, err := in.query(s, time.Now())
	if err != nil {
		return proxylogOut{}, err
	}
	if in.Limit < 0 || in.Limit > proxylogMost {
		return proxylogOut{}, fmt.Errorf("limit: expected a number from 1 to %d, got %d", proxylogMost, in.Limit)
	}
	q.Limit = in.Limit
	if q.Limit == 0 {
		q.Limit = proxylogLimit
	}
	for _, id := range in.IDs {
		seq, err := strconv.ParseUint(strings.TrimPrefix(id, "#"), 10, 64)
		if err != nil {
			return proxylogOut{}, fmt.Errorf("ids: expected numbers such as 12, got %q", words.Clip(id, 40))
		}
		q.Seqs = append(q.Seqs, seq)
	}
	sel := s.Journal.Select(q)
	out := proxylogOut{
		Entries: sel.Entries, Matched: sel.Matched, Cut: sel.Cut, Dropped: sel.Dropped,
		detail: len(in.IDs) > 0, bodies: in.Bodies, asked: in.Limit > 0, empty: whyEmpty(s),
	}
	if out.Entries == nil {
		out.Entries = []journal.Entry{}
	}
	if !in.Bodies {
		out.Entries = withoutBodies(out.Entries)
	}
	return out, nil
}

// withoutBodies copies what it strips: entries are shared and immutable.
func withoutBodies(entries []journal.Entry) []journal.Entry {
	for i, e := range entries {
		if e.HTTP == nil {
			continue
		}
		h := *e.HTTP
		h.RequestBody.Data, h.ResponseBody.Data = nil, nil
		entries[i].HTTP = &h
	}
	return entries
}

// whyEmpty says why nothing may be there at all.
func whyEmpty(s Session) string {
	all := s.Proxies()
	if len(all) == 0 {
		return "no proxy runs in this project, so nothing is being captured: proxy {\"action\":\"start\",\"id\":…,\"target_url\":…}"
	}
	var urls []string
	for _, p := range all {
		urls = append(urls, p.URL())
	}
	return "nothing matches; what browsers do at " + strings.Join(urls, ", ") + " is captured"
}

type proxylogClearIn struct {
	ProxyID string     `json:"proxy_id" alias:"id"`
	Types   tool.Words `json:"types"`
}

type proxylogClearOut struct {
	Cleared int `json:"cleared"`
}

func (o proxylogClearOut) Text() string {
	if o.Cleared == 1 {
		return "1 entry cleared\n"
	}
	return fmt.Sprintf("%d entries cleared\n", o.Cleared)
}

func proxylogClear(s Session, _ context.Context, in proxylogClearIn) (proxylogClearOut, error) {
	q, err := proxylogFilter{ProxyID: in.ProxyID, Types: in.Types}.query(s, time.Now())
	if err != nil {
		return proxylogClearOut{}, err
	}
	return proxylogClearOut{s.Journal.Clear(in.ProxyID, q.Kinds...)}, nil
}
