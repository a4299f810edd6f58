package pages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"oriel/internal/browser"
	"oriel/internal/gallery"
	"oriel/internal/journal"
	"oriel/internal/page"
	"oriel/internal/quote"
	"oriel/internal/tool"
	"oriel/internal/tools/words"
)

type screenshotIn struct {
	currentGetIn
	Selector string `json:"selector"`
	FullPage bool   `json:"full_page"`
	Format   string `json:"format"`
	MaxWidth int    `json:"max_width"`
}

// shotFormats are those that MCP clients and models show. WebP is the smallest,
// but not every client shows it: it is made only for who asks.
var shotFormats = []string{"png", "jpeg", "webp"}

// screenshotOut is a picture and where it is. It is never in the text.
type screenshotOut struct {
	Path   string  `json:"path"`
	Width  int     `json:"width"`
	Height int     `json:"height"`
	Bytes  int     `json:"bytes"`
	Scale  float64 `json:"scale"` // pixels per CSS pixel
	Mode   string  `json:"mode"`  // exact or approximate
	MIME   string  `json:"mime"`
	ID     uint64  `json:"id"` // in proxylog
	Page   string  `json:"page,omitempty"`
	Proxy  string  `json:"proxy,omitempty"`
	Tab    string  `json:"tab,omitempty"`
	URL    string  `json:"url"`
	Cut    int     `json:"cut,omitempty"` // CSS pixels at the bottom that did not fit
	// Shown is how large the picture is sent, when the file's is too large:
	// nothing is sent when it cannot be made smaller.
	Shown   *[2]int `json:"shown,omitempty"`
	Loading bool    `json:"loading,omitempty"`
	frame   string  // the page that this one is a frame of
	data    []byte
	mime    string // of data
}

// Image is the picture itself.
func (o screenshotOut) Image() *tool.Image {
	if len(o.data) == 0 {
		return nil
	}
	return &tool.Image{MIME: o.mime, Data: o.data}
}

// Text says what the picture shows, how true it is, and where it is kept.
func (o screenshotOut) Text() string {
	var b strings.Builder
	name := "page " + o.Page
	if o.Page == "" {
		name = o.Tab
	}
	kind := strings.TrimPrefix(o.MIME, "image/")
	fmt.Fprintf(&b, "%s %s: %d×%d %s, %s, %.3g pixels per CSS pixel, %s\n", name, quote.Text(o.URL, 120), o.Width, o.Height, kind, words.Size(int64(o.Bytes)), o.Scale, o.Mode)
	switch {
	case o.Mode == gallery.Approximate && o.frame != "":
		fmt.Fprintf(&b, "approximate: drawn again from the frame's elements; for a picture true to the pixel, take that of the page it is in: %s\n", words.Call("currentpage", words.Arg{Name: "action", Value: "screenshot"}, words.Arg{Name: "page_id", Value: o.frame}))
	case o.Mode == gallery.Approximate:
		fmt.Fprintln(&b, "approximate: drawn again from the page's elements, since the page is in a person's own browser; open it with browser {\"action\":\"open\"} for a picture true to the pixel")
	}
	if o.Cut > 0 {
		fmt.Fprintf(&b, "the last %d CSS pixels at the bottom did not fit\n", o.Cut)
	}
	if o.Loading {
		fmt.Fprintln(&b, "the page was still loading: browser {\"action\":\"wait\",\"until\":\"load\"} first for the whole of it")
	}
	switch {
	case o.Shown != nil && len(o.data) == 0:
		fmt.Fprintln(&b, "not shown, too large to be sent: take a part with selector, or less with max_width")
	case o.Shown != nil:
		fmt.Fprintf(&b, "shown scaled down to %d×%d, the most that is sent; the file is whole: take a part with selector\n", o.Shown[0], o.Shown[1])
	}
	fmt.Fprintf(&b, "%s\n", o.Path)
	return b.String()
}

// Room of the picture is the most bytes that a client is sent: Claude's and
// others' refuse images of more than 5 MB once they are base64.
const mostImage = 3500 << 10

func screenshot(s Session, ctx context.Context, in screenshotIn) (screenshotOut, error) {
	if in.Format == "jpg" {
		in.Format = "jpeg"
	}
	if in.Format != "" && !slices.Contains(shotFormats, in.Format) {
		return screenshotOut{}, fmt.Errorf("format: unknown %q (valid: %s)", words.Clip(in.Format, 20), strings.Join(shotFormats, ", "))
	}
	if in.Selector != "" && in.FullPage {
		return screenshotOut{}, errors.New("selector or full_page, not both")
	}
	if in.MaxWidth < -1 || in.MaxWidth > 8000 {
		return screenshotOut{}, fmt.Errorf("max_width: expected pixels up to 8000, or -1 for no bound, got %d", in.MaxWidth)
	}
	out, err := shoot(s, ctx, in)
	if err == nil && len(out.data) > mostImage {
		err = fmt.Errorf("the picture takes %s, more than clients accept; it is kept at %s: take less with selector or max_width, or format jpeg", words.Size(int64(out.Bytes)), out.Path)
	}
	return out, err
}

// shoot finds out who can take the picture: the browser that shows the page,
// if it is one of ours, else the page.
func shoot(s Session, ctx context.Context, in screenshotIn) (screenshotOut, error) {
	if t := tabNamed(s, in.PageID); t != nil {
		return exact(s, ctx, t, nil, screenshotOut{Tab: t.ID()}, in)
	}
	proxies, err := wanted(s, in.ProxyID)
	if err != nil {
		return screenshotOut{}, err
	}
	p, pg, err := pick(proxies, in.PageID)
	if err != nil {
		if t := lastTab(s); t != nil && in.PageID == "" && in.ProxyID == "" {
			return exact(s, ctx, t, nil, screenshotOut{Tab: t.ID()}, in)
		}
		return screenshotOut{}, err
	}
	out := screenshotOut{Page: pg.ID(), Proxy: p.Spec.ID, Loading: !pg.Info().Loaded, frame: pg.Info().ParentID}
	if t := s.TabOf(ctx, pg); t != nil {
		out.Tab = t.ID()
		return exact(s, ctx, t, pg, out, in)
	}
	return approximate(s, ctx, pg, out, in)
}

func tabNamed(s Session, id string) *browser.Tab {
	for _, b := range s.Browsers() {
		for _, t := range b.Tabs() {
			if t.ID() == id {
				return t
			}
		}
	}
	return nil
}

func lastTab(s Session) *browser.Tab {
	var last *browser.Tab
	for _, b := range s.Browsers() {
		for _, t := range b.Tabs() {
			if last == nil || t.Used().After(last.Used()) {
				last = t
			}
		}
	}
	return last
}

// pngEnough is the size of a PNG beyond which a JPEG is tried: pages with
// photographs are several times smaller so.
const pngEnough = 150_000

// exact has the browser take the picture.
func exact(s Session, ctx context.Context, t *browser.Tab, pg *page.Page, out screenshotOut, in screenshotIn) (screenshotOut, error) {
	want := browser.Shot{Selector: in.Selector, FullPage: in.FullPage, Format: in.Format, MaxWidth: in.MaxWidth}
	img, err := t.Screenshot(ctx, want)
	if err != nil {
		return out, err
	}
	if in.Format == "" && len(img.Data) > pngEnough {
		want.Format = "jpeg"
		if smaller, err := t.Screenshot(ctx, want); err == nil && len(smaller.Data) < len(img.Data) {
			img = smaller
		}
	}
	e, mime, err := s.Shots.Hang(out.Proxy, out.Page, journal.Screenshot{Name: shotName(in), Scale: img.Scale, Mode: gallery.Exact}, img.Data)
	if err != nil {
		return out, err
	}
	out.take(e, mime, img.Data)
	out.Cut = img.Cut
	if max(img.Width, img.Height) > mostSide {
		want.MaxSide = mostSide
		small, err := t.Screenshot(ctx, want)
		if err != nil {
			return out, err
		}
		out.data, out.mime, out.Shown = small.Data, small.MIME, &[2]int{small.Width, small.Height}
	}
	if pg != nil {
		out.URL = pg.Info().URL
	} else if info, err := t.Info(ctx); err == nil {
		out.URL = info.URL
	}
	return out, nil
}

// take fills in what the log knows of a picture.
func (o *screenshotOut) take(e journal.Entry, mime string, data []byte) {
	shot := e.Screenshot
	o.Path, o.Width, o.Height, o.Bytes, o.Scale, o.Mode = shot.Path, shot.Width, shot.Height, shot.Bytes, shot.Scale, shot.Mode
	o.ID, o.MIME, o.mime, o.data = e.Seq, mime, mime, data
}

func shotName(in screenshotIn) string {
	switch {
	case in.Selector != "":
		return in.Selector
	case in.FullPage:
		return "full page"
	}
	return ""
}

// approximate has the page draw itself. The picture comes over the page's own
// channel and is looked up in the log: a path that a page names is not opened.
func approximate(s Session, ctx context.Context, pg *page.Page, out screenshotOut, in screenshotIn) (screenshotOut, error) {
	asked, err := json.Marshal(struct {
		Name     string `json:"name"`
		Selector string `json:"selector,omitempty"`
		FullPage bool   `json:"fullPage,omitempty"`
		Format   string `json:"format,omitempty"`
		MaxWidth int    `json:"maxWidth,omitempty"`
	}{shotName(in), in.Selector, in.FullPage, in.Format, in.MaxWidth})
	if err != nil {
		return out, fmt.Errorf("ask page %s for a picture: %w", pg.ID(), err)
	}
	v, err := pg.Exec(ctx, "return await window.__devtool.screenshot("+string(asked)+")", page.ExecOptions{})
	if failure, ok := errors.AsType[*page.ExecError](err); ok {
		return out, fmt.Errorf("the page could not draw itself: %s", quote.Text(failure.Message, 400))
	}
	if err != nil {
		return out, err
	}
	var taken struct {
		ID  uint64  `json:"id"`
		Cut float64 `json:"cut"`
	}
	if err := json.Unmarshal(v.JSON, &taken); err != nil {
		return out, fmt.Errorf("the answer of page %s is not a picture", pg.ID())
	}
	found := s.Journal.Select(journal.Query{Kinds: []journal.Kind{journal.KindScreenshot}, Seqs: []uint64{taken.ID}, Page: pg.ID()}).Entries
	if len(found) == 0 {
		return out, fmt.Errorf("page %s sent no picture", pg.ID())
	}
	data, err := os.ReadFile(found[0].Screenshot.Path)
	if err != nil {
		return out, fmt.Errorf("read the picture: %w", err)
	}
	kind, _, _, err := gallery.Identify(data)
	if err != nil {
		return out, fmt.Errorf("read the picture: %w", err)
	}
	out.take(found[0], "image/"+kind, data)
	out.URL, out.Cut = pg.Info().URL, int(min(max(taken.Cut, 0), 1e9))
	if max(out.Width, out.Height) > mostSide {
		small, w, h, ok := shrunk(data, out.Width, out.Height)
		out.data, out.Shown = small, &[2]int{w, h}
		if ok {
			out.mime = "image/jpeg"
		}
	}
	return out, nil
}
