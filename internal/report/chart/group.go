package chart

import (
	"oriel/internal/audit"
)

// Types of findings as they are drawn.
const (
	waterfall  = "waterfall"
	nPlusOne   = "n-plus-one"
	duplicate  = "duplicate-call"
	chattyLoad = "chatty-load"
)

// group is a finding and its calls, or, without a finding, the other calls.
type group struct {
	finding *audit.Finding
	number  int
	calls   []Call
}

// plan says what is drawn where.
type plan struct {
	groups []group
	others []Call
	chatty *audit.Finding
	// numbers of the findings by id, as the list beside the picture has them.
	numbers map[string]int
	undrawn int
}

// Number gives each finding the number under which picture and list show it:
// 1, 2, 3 in the report's order, notes without calls left out.
func Number(r audit.Report) map[string]int {
	numbers := map[string]int{}
	for _, f := range r.Findings {
		if _, twice := numbers[f.ID]; !twice && len(f.Calls) > 0 {
			numbers[f.ID] = len(numbers) + 1
		}
	}
	return numbers
}

// arrange gives each call to the finding that rests on it; no call is in two of
// those that are drawn as groups.
func arrange(r audit.Report, calls []Call, o Options) plan {
	p := plan{numbers: Number(r)}
	owner := map[string]int{}
	for i := range r.Findings {
		f := &r.Findings[i]
		switch f.Type {
		case waterfall, nPlusOne, duplicate:
			if len(p.groups) >= o.Findings {
				p.undrawn++
				continue
			}
			for _, id := range f.Calls {
				if _, taken := owner[id]; !taken {
					owner[id] = len(p.groups)
				}
			}
			p.groups = append(p.groups, group{finding: f, number: p.numbers[f.ID]})
		case chattyLoad:
			p.chatty = f
		}
	}
	for _, c := range calls {
		if i, ok := owner[c.ID]; ok {
			p.groups[i].calls = append(p.groups[i].calls, c)
		} else {
			p.others = append(p.others, c)
		}
	}
	return p
}

// rows divides the rows of the picture: findings first, what they leave to the
// rest.
func (p plan) rows(o Options) (each, others int) {
	each = o.GroupRows
	for ; each > 2; each-- {
		used := 0
		for _, g := range p.groups {
			used += min(len(g.calls), each)
		}
		if used <= o.Rows {
			return each, max(o.Rows-used, 2)
		}
	}
	return each, 2
}
