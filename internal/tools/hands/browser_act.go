package hands

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"oriel/internal/browser"
	"oriel/internal/quote"
	"oriel/internal/tool"
)

type browserFillIn struct {
	browserID
	Selector string        `json:"selector" required:"true"`
	Timeout  tool.Duration `json:"timeout"`
	Value    string        `json:"value"`
}

// browserClickIn has a value for what a click may lead to: the answer to a
// prompt, or "dismiss" for Cancel. The answer of a click that met a dialog says
// so, which saves every session the words for it.
type browserClickIn struct {
	browserFillIn
}

type browserPressIn struct {
	browserID
	Keys     string        `json:"keys" required:"true"`
	Selector string        `json:"selector"`
	Timeout  tool.Duration `json:"timeout"`
	Value    string        `json:"value"`
}

const dismiss = "dismiss"

// reply reads how dialogs are to be answered.
func reply(value string) browser.Reply {
	switch value {
	case "":
		return browser.Reply{}
	case dismiss:
		return browser.Reply{Refuse: true}
	}
	return browser.Reply{Type: &value}
}

type browserWaitIn struct {
	browserID
	Selector string        `json:"selector"`
	Gone     bool          `json:"gone"`
	URL      string        `json:"url"`
	Until    string        `json:"until" enum:"load,idle"`
	Timeout  tool.Duration `json:"timeout"`
}

// dialog is one that the page put up and that was answered.
type dialog struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Refused bool   `json:"refused,omitempty"`
	Typed   string `json:"typed,omitempty"`
}

// browserActOut is what came of an act. Element, value and messages carry the
// page's words.
type browserActOut struct {
	Tab       tab      `json:"tab"`
	Element   string   `json:"element,omitempty"`
	Matches   int      `json:"matches,omitempty"`
	Value     string   `json:"value,omitempty"`
	Navigated bool     `json:"navigated"`
	Closed    bool     `json:"closed,omitempty"`
	Dialogs   []dialog `json:"dialogs"`
	Opened    []string `json:"opened"`
	Downloads []string `json:"downloads"`

	did     string
	outcome browser.Outcome
	filled  bool
}

// Text says what was done, what it set off, and where the tab is now.
func (o browserActOut) Text() string {
	var b strings.Builder
	fmt.Fprint(&b, o.did)
	if o.Element != "" {
		fmt.Fprintf(&b, " %s", quote.Text(o.Element, 200))
	}
	if o.Matches > 1 {
		fmt.Fprintf(&b, ", the first of %d that match (>> nth=1 for the second)", o.Matches)
	}
	if o.filled {
		fmt.Fprintf(&b, ", which now holds %s", quote.Quoted(o.Value, 200))
	}
	fmt.Fprintln(&b)
	notes(&b, o.outcome)
	switch {
	case o.Closed:
		fmt.Fprintf(&b, "%s closed itself\n", o.Tab.ID)
	case o.Navigated:
		fmt.Fprintf(&b, "now %s\n", o.Tab.line())
	default:
		fmt.Fprintf(&b, "in %s\n", o.Tab.line())
	}
	return b.String()
}

// notes says what a page did unasked.
func notes(b *strings.Builder, o browser.Outcome) {
	for _, d := range o.Dialogs {
		fmt.Fprintf(b, "%s %s was answered with %s\n", quote.Text(d.Type, 20), quote.Quoted(d.Message, 200), answered(d))
	}
	for _, id := range o.Opened {
		fmt.Fprintf(b, "it opened %s\n", id)
	}
	for _, name := range o.Downloads {
		fmt.Fprintf(b, "the download of %s was denied\n", quote.Quoted(name, 100))
	}
}

// answered says what a dialog got, and how it gets something else.
func answered(d browser.Dialog) string {
	switch {
	case d.Refused:
		return "Cancel"
	case d.Type == "confirm":
		return `OK ("value":"dismiss" for Cancel)`
	case d.Type == "prompt":
		return quote.Quoted(d.Typed, 60) + ` ("value" for another answer, "dismiss" for Cancel)`
	}
	return "OK"
}

// do acts on a tab and tells what came of it.
func do(s Session, ctx context.Context, id, did string, act func(*browser.Tab) (browser.Outcome, error)) (browserActOut, error) {
	b, t, err := pick(s, id)
	if err != nil {
		return browserActOut{}, err
	}
	before, _ := t.Info(ctx)
	p, _ := pageAt(s, before.URL)
	known := pagesOf(p)
	o, err := act(t)
	if err != nil {
		return browserActOut{}, failure(t, o, err)
	}
	if o.Navigated && p != nil {
		arrive(ctx, s, t, func(ctx context.Context) { reports(ctx, p, known) })
	}
	out := browserActOut{
		Tab: tabOf(ctx, s, b, t), Element: o.Element, Matches: o.Matches, Value: o.Value, Navigated: o.Navigated, Closed: o.Closed,
		Dialogs: []dialog{}, Opened: []string{}, Downloads: []string{}, did: did, outcome: o,
	}
	for _, d := range o.Dialogs {
		out.Dialogs = append(out.Dialogs, dialog(d))
	}
	out.Opened, out.Downloads = append(out.Opened, o.Opened...), append(out.Downloads, o.Downloads...)
	return out, nil
}

// arrivePatience is how long the page that an act led to may take to report.
const arrivePatience = 3 * time.Second

func arrive(ctx context.Context, s Session, t *browser.Tab, wait func(context.Context)) {
	limited, cancel := context.WithTimeout(ctx, arrivePatience)
	defer cancel()
	info, err := t.Info(limited)
	if err != nil {
		return
	}
	for _, p := range s.Proxies() {
		if strings.HasPrefix(info.URL, strings.TrimSuffix(p.URL(), "/")) {
			wait(limited)
			return
		}
	}
}

// failure adds to an error what the page did meanwhile, and what to do about a
// tab that is no more.
func failure(t *browser.Tab, o browser.Outcome, err error) error {
	switch {
	case errors.Is(err, browser.ErrCrashed):
		return fmt.Errorf("%s: %w: close it and open it again", t.ID(), err)
	case errors.Is(err, browser.ErrGone), errors.Is(err, browser.ErrTabClosed):
		return fmt.Errorf("%s: %w: open the page again", t.ID(), err)
	}
	var b strings.Builder
	notes(&b, o)
	if b.Len() > 0 {
		return fmt.Errorf("%w\nmeanwhile: %s", err, strings.TrimSpace(b.String()))
	}
	return err
}

func browserClick(s Session, ctx context.Context, in browserClickIn) (browserActOut, error) {
	return do(s, ctx, in.ID, "clicked", func(t *browser.Tab) (browser.Outcome, error) {
		t.Reply(reply(in.Value))
		return t.Click(ctx, in.Selector, time.Duration(in.Timeout))
	})
}

func browserFill(s Session, ctx context.Context, in browserFillIn) (browserActOut, error) {
	out, err := do(s, ctx, in.ID, "filled", func(t *browser.Tab) (browser.Outcome, error) {
		return t.Fill(ctx, in.Selector, in.Value, time.Duration(in.Timeout))
	})
	out.filled = true
	return out, err
}

func browserPress(s Session, ctx context.Context, in browserPressIn) (browserActOut, error) {
	did := "pressed " + quote.Text(in.Keys, 60)
	if in.Selector != "" {
		did += " in"
	}
	return do(s, ctx, in.ID, did, func(t *browser.Tab) (browser.Outcome, error) {
		t.Reply(reply(in.Value))
		return t.Press(ctx, in.Selector, in.Keys, time.Duration(in.Timeout))
	})
}

func browserWait(s Session, ctx context.Context, in browserWaitIn) (browserActOut, error) {
	want := browser.Want{
		Selector: in.Selector, Gone: in.Gone, URL: in.URL, Load: in.Until == "load", Idle: in.Until == "idle", Patience: time.Duration(in.Timeout),
	}
	if in.Selector == "" && in.URL == "" && in.Until == "" {
		if in.Timeout <= 0 || in.Gone {
			return browserActOut{}, errors.New("selector, url, until or timeout required for wait")
		}
		want.For = time.Duration(in.Timeout)
	}
	did := "waited"
	switch {
	case in.Gone:
		did = "gone: " + quote.Text(in.Selector, 100)
	case in.Selector != "":
		did = "found"
	}
	return do(s, ctx, in.ID, did, func(t *browser.Tab) (browser.Outcome, error) {
		return t.Wait(ctx, want)
	})
}
