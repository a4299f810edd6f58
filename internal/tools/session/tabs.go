package session

import (
	"context"
	"encoding/json"
	"time"

	"oriel/internal/browser"
	"oriel/internal/page"
)

// whoCode asks a page for the id that its proxy knows it by.
const whoCode = `new Promise((done) => {
  const tool = window.__devtool;
  if (!tool || typeof tool.onPage !== "function") return done("");
  tool.onPage(done);
  setTimeout(done, 500, "");
})`

// whoPatience is how long a tab may take to say who it is: one that is stuck
// must not hide the others.
const whoPatience = 2 * time.Second

// PageIn is the id of the page that is open in a tab; "" when it is none of a
// proxy's.
func PageIn(ctx context.Context, t *browser.Tab) string {
	limited, cancel := context.WithTimeout(ctx, whoPatience)
	defer cancel()
	var id string
	if answer, err := t.Eval(limited, whoCode); err != nil || json.Unmarshal(answer, &id) != nil {
		return ""
	}
	return id
}

// TabOf finds the tab of one of our browsers in which a page is open; nil when
// it is open elsewhere, or in a frame.
func (s Session) TabOf(ctx context.Context, pg *page.Page) *browser.Tab {
	for _, b := range s.Browsers() {
		for _, t := range b.Tabs() {
			if PageIn(ctx, t) == pg.ID() {
				return t
			}
		}
	}
	return nil
}
