package traffic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"oriel/internal/engine"
	"oriel/internal/page"
	"oriel/internal/quote"
	"oriel/internal/tool"
	"oriel/internal/tools/words"
)

type proxyExecIn struct {
	proxyID
	Code    string        `json:"code" required:"true"`
	PageID  string        `json:"page_id" doc:"default: the page last focused"`
	Timeout tool.Duration `json:"timeout"`
}

type proxyExecOut struct {
	Page  tab             `json:"page"`
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
	Exact bool            `json:"exact"` // false: value stands for something JSON cannot carry
	Cut   page.Cut        `json:"cut"`
	tabs  int
}

// Text is the value as JSON, which quotes the page's words by itself.
func (o proxyExecOut) Text() string {
	var b strings.Builder
	if o.tabs > 1 {
		fmt.Fprintf(&b, "in %s, one of %s\n", o.Page.line(), words.Plural(o.tabs, "open page"))
	}
	value := string(o.Value)
	if o.Type == "undefined" {
		value = "undefined"
	}
	const room = words.TextBudget - 400
	if len(value) > room {
		cut := strings.ToValidUTF8(value[:room], "")
		fmt.Fprintf(&b, "%s…\n(%d of %d bytes shown; raw: true gives all)\n", cut, len(cut), len(value))
	} else {
		fmt.Fprintln(&b, value)
	}
	if !o.Exact && o.Type != "undefined" {
		fmt.Fprintf(&b, "(type %s, shown in a form that JSON can carry)\n", quote.Text(o.Type, 40))
	}
	if o.Cut.Items+o.Cut.Chars > 0 {
		fmt.Fprintf(&b, "(the page left out %s and %s of a larger value)\n", words.Plural(o.Cut.Items, "item"), words.Plural(o.Cut.Chars, "character"))
	}
	return b.String()
}

func proxyExec(s Session, ctx context.Context, in proxyExecIn) (proxyExecOut, error) {
	p, err := s.Proxy(in.ID)
	if err != nil {
		return proxyExecOut{}, err
	}
	pg, err := pickPage(p, in.PageID)
	if err != nil {
		return proxyExecOut{}, err
	}
	v, err := pg.Exec(ctx, in.Code, page.ExecOptions{Timeout: time.Duration(in.Timeout)})
	if failure, ok := errors.AsType[*page.ExecError](err); ok {
		return proxyExecOut{}, execFailure(failure)
	}
	if err != nil {
		return proxyExecOut{}, err
	}
	return proxyExecOut{Page: tabOf(v.Page), Type: v.Type, Value: sourced(ctx, s.Sources(p), p.URL(), v.JSON), Exact: v.Exact, Cut: v.Cut, tabs: topTabs(p)}, nil
}

// pickPage finds the page to work on. No page is an error that says what to
// do, never an empty answer.
func pickPage(p *engine.Proxy, id string) (*page.Page, error) {
	pg, err := p.Hub.Pick(id)
	if errors.Is(err, page.ErrNone) {
		return nil, fmt.Errorf("no page is open on proxy %s: open %s in a browser, then re-run", p.Spec.ID, p.URL())
	}
	return pg, err
}

func topTabs(p *engine.Proxy) int {
	n := 0
	for _, pg := range p.Hub.Pages() {
		if !pg.Info().Frame {
			n++
		}
	}
	return n
}

// execFailure words what the code threw. The words are the page's, so they are
// quoted.
func execFailure(e *page.ExecError) error {
	text := quote.Quoted(e.Error(), 600)
	switch {
	case e.Why == page.WhyBlocked:
		return errors.New(e.Message)
	case e.Why == page.WhySyntax:
		return fmt.Errorf("the code does not parse: %s", text)
	case e.Stack != "":
		return fmt.Errorf("the code threw %s\n%s", text, quote.Block(e.Stack, 1200, "  "))
	default:
		return fmt.Errorf("the code threw %s", text)
	}
}

type proxyNavigateIn struct {
	proxyID
	URL     string        `json:"url" doc:"relative to the page"`
	Reload  bool          `json:"reload"`
	PageID  string        `json:"page_id"`
	Timeout tool.Duration `json:"timeout"`
}

type proxyNavigateOut struct {
	Page   tab  `json:"page"`
	Loaded bool `json:"loaded"`
}

func (o proxyNavigateOut) Text() string {
	if !o.Loaded {
		return "asked; the page has not come back yet, it may have left the proxy: proxy {\"action\":\"status\"}\n"
	}
	return o.Page.line() + "\n"
}

// navigatePatience is how long navigate waits for the page that comes.
const navigatePatience = 10 * time.Second

func proxyNavigate(s Session, ctx context.Context, in proxyNavigateIn) (proxyNavigateOut, error) {
	if (in.URL == "") == !in.Reload {
		return proxyNavigateOut{}, errors.New("url or reload required for navigate, not both")
	}
	p, err := s.Proxy(in.ID)
	if err != nil {
		return proxyNavigateOut{}, err
	}
	pg, err := pickPage(p, in.PageID)
	if err != nil {
		return proxyNavigateOut{}, err
	}
	before := map[string]bool{}
	for _, other := range p.Hub.Pages() {
		before[other.ID()] = true
	}
	if in.Reload {
		err = pg.Reload()
	} else {
		err = pg.Navigate(in.URL)
	}
	if err != nil {
		return proxyNavigateOut{}, err
	}
	limited, cancel := context.WithTimeout(ctx, words.OrDefault(in.Timeout, navigatePatience))
	defer cancel()
	arrived, err := p.Hub.Wait(limited, func(i page.Info) bool { return !before[i.ID] && !i.Frame && i.Loaded })
	if err != nil {
		return proxyNavigateOut{Page: tabOf(pg.Info())}, ctx.Err()
	}
	return proxyNavigateOut{Page: tabOf(arrived.Info()), Loaded: true}, nil
}
