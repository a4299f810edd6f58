package trouble

import (
	"context"
	"encoding/json"

	"oriel/internal/page"
)

// shownCode asks a page which addresses its elements have.
const shownCode = `JSON.stringify([...document.querySelectorAll("[src],[srcset],link[href],object[data]")].slice(0, 3000).flatMap((e) => [e.currentSrc, e.src, e.href, e.data]).filter((a) => typeof a === "string" && a !== ""))`

// shown says whether an element of a page still has an address. A page is asked
// once, and one that does not answer still shows everything.
func shown(ctx context.Context, s Session) func(proxy, page, address string) bool {
	known := map[string]map[string]bool{}
	return func(proxy, id, address string) bool {
		all, ok := known[id]
		if !ok {
			all = askShown(ctx, s, proxy, id)
			known[id] = all
		}
		return all == nil || all[address]
	}
}

func askShown(ctx context.Context, s Session, proxy, id string) map[string]bool {
	p, err := s.Proxy(proxy)
	if err != nil {
		return nil
	}
	pg, err := p.Hub.Pick(id)
	if err != nil {
		return nil
	}
	v, err := pg.Exec(ctx, shownCode, page.ExecOptions{Timeout: callersWithin, Limit: page.MaxExecLimit})
	if err != nil {
		return nil
	}
	var text string
	var list []string
	if json.Unmarshal(v.JSON, &text) != nil || json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	all := make(map[string]bool, len(list))
	for _, address := range list {
		all[pg.Clean(address)] = true
	}
	return all
}
