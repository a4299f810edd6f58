package snapshot

import (
	"context"
	"fmt"
	"image"
	"slices"

	"oriel/internal/snapshot/pixels"
	"oriel/internal/snapshot/still"
)

// Result is what one page has become.
type Result struct {
	Page       string   `json:"page"`
	Viewport   string   `json:"viewport"`
	Pass       bool     `json:"pass"`
	Error      string   `json:"error,omitempty"`     // why there is nothing to compare
	Percent    float64  `json:"percent"`             // of pixels that differ
	Pixels     int      `json:"pixels"`              // that differ
	Similarity float64  `json:"similarity"`          // structural, 1 for the same
	Before     [2]int   `json:"before"`              // size in pixels
	After      [2]int   `json:"after"`               // size in pixels
	ShiftFrom  int      `json:"shiftFrom,omitempty"` // row in pixels below which all moved
	Shift      int      `json:"shift,omitempty"`     // by how many pixels, above 0 down
	Regions    []Region `json:"regions"`             // the largest first
	Diff       string   `json:"diff,omitempty"`      // picture of before, after and difference
	DiffCut    int      `json:"diffCut,omitempty"`   // rows that did not fit into it
	Unsteady   []string `json:"unsteady"`            // why it may look different the next time
	Doubts     []string `json:"doubts"`              // why it may not be the page that is meant
	Missing    []string `json:"missing"`             // selectors to ignore that fitted nothing
	Inline     []byte   `json:"-"`                   // PNG of the changed part, small
	Baseline   string   `json:"baseline"`            // its file
}

// Region is a part of a page that changed. Selector and text are the page's
// words.
type Region struct {
	Selector string      `json:"selector"`
	Text     string      `json:"text"`
	X        int         `json:"x"` // in pixels, as the rest
	Y        int         `json:"y"`
	Width    int         `json:"width"`
	Height   int         `json:"height"`
	Pixels   int         `json:"pixels"`
	Kind     pixels.Kind `json:"kind"`
	MoveX    int         `json:"moveX,omitempty"`
	MoveY    int         `json:"moveY,omitempty"`
	From     string      `json:"from,omitempty"` // colour
	To       string      `json:"to,omitempty"`
}

// Compare looks at pages again and tells what changed. The baseline stays as it
// is. A page that cannot be looked at is a result that failed.
func (s Store) Compare(ctx context.Context, take Camera, name string, shots []Shot, address func(Shot) (string, error), set Settings) ([]Result, error) {
	free, err := s.lock(ctx, name)
	if err != nil {
		return nil, err
	}
	defer free()
	m, err := s.Load(name)
	if err != nil {
		return nil, err
	}
	c := comparison{Store: s, take: take, name: name, ignore: append(slices.Clone(m.Ignore), set.Ignore...), threshold: m.Threshold, inline: set.Inline}
	if set.Threshold != nil {
		c.threshold = *set.Threshold
	}
	var list []Result
	for _, shot := range shots {
		r, err := c.one(ctx, shot, address)
		if err == nil && !r.Pass {
			// What has changed has changed in a second picture too: see agreed.
			if again, err := c.one(ctx, shot, address); err == nil {
				r = again
			}
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			r.Error, r.Pass = err.Error(), false
		}
		list = append(list, r)
	}
	return list, nil
}

// comparison is one run over the pages of a snapshot.
type comparison struct {
	Store
	take      Camera
	name      string
	ignore    []string
	threshold float64
	inline    bool
}

func (c comparison) one(ctx context.Context, shot Shot, address func(Shot) (string, error)) (Result, error) {
	r := Result{Page: shot.Page, Viewport: shot.Viewport, Regions: []Region{}, Unsteady: []string{}, Doubts: []string{}, Missing: []string{}, Baseline: Path(c.name, shot.File)}
	data, err := c.Picture(c.name, shot)
	if err != nil {
		return r, err
	}
	look, err := shot.look()
	if err != nil {
		return r, err
	}
	at, err := address(shot)
	if err != nil {
		return r, err
	}
	p, err := c.take(ctx, at, look, c.ignore)
	if err != nil {
		return r, err
	}
	defer p.Close(ctx)
	r.Unsteady, r.Doubts, r.Missing = orEmpty(p.Unsteady), orEmpty(p.Doubts), orEmpty(p.Missing)
	if p.Is(data) && len(shot.Covered) == 0 {
		c.fill(&r, pixels.Difference{Before: p.Size, After: p.Size, Similarity: 1})
		return r, c.SaveDiff(c.name, shot.File, nil)
	}
	return c.look(ctx, r, shot, data, p)
}

// look tells what differs between a kept picture and the page as it is.
func (c comparison) look(ctx context.Context, r Result, shot Shot, data []byte, p *still.Picture) (Result, error) {
	before, err := still.Decode(data)
	if err != nil {
		return r, fmt.Errorf("%s: %w", r.Baseline, err)
	}
	after, err := p.Image()
	if err != nil {
		return r, err
	}
	d, err := pixels.Compare(before, after, pixels.Ignored{Before: shot.boxes(), After: p.Covered})
	if err != nil {
		return r, err
	}
	c.fill(&r, d)
	if d.Same() {
		return r, c.SaveDiff(c.name, shot.File, nil)
	}
	if r.Regions, err = regions(ctx, p, &d, before, after); err != nil {
		return r, err
	}
	return r, c.draw(&r, shot, &d, before, after)
}

func (c comparison) fill(r *Result, d pixels.Difference) {
	r.Before, r.After = [2]int{d.Before.X, d.Before.Y}, [2]int{d.After.X, d.After.Y}
	r.Percent, r.Pixels, r.Similarity = 100*d.Share, d.Pixels, d.Similarity
	if d.Shift != nil {
		r.ShiftFrom, r.Shift = d.Shift.From, d.Shift.By
	}
	r.Pass = d.Same() || r.Percent <= c.threshold && c.threshold > 0
}

// draw keeps the picture of the difference.
func (c comparison) draw(r *Result, shot Shot, d *pixels.Difference, before, after *image.RGBA) error {
	panel, cut := d.Panel(before, after, false)
	data, err := still.EncodeFast(panel)
	if err != nil {
		return err
	}
	if err := c.SaveDiff(c.name, shot.File, data); err != nil {
		return err
	}
	r.Diff, r.DiffCut = Path(c.name, diffs, shot.File), cut
	if !c.inline {
		return nil
	}
	part, _ := d.Panel(before, after, true)
	r.Inline, err = still.Encode(pixels.Shrink(part, InlineSide))
	return err
}

// InlineSide is the longest side of a picture that travels in an answer: small
// enough for a model, large enough to see.
const InlineSide = 1200

// regions names the parts that changed, and makes one of those that are of one
// element.
func regions(ctx context.Context, p *still.Picture, d *pixels.Difference, before, after *image.RGBA) ([]Region, error) {
	names, err := p.Name(ctx, d.Regions)
	if err != nil {
		return nil, err
	}
	var joined []pixels.Region
	list := []Region{}
	done := make([]bool, len(names))
	for i := range names {
		if done[i] {
			continue
		}
		parts := []pixels.Region{d.Regions[i]}
		for k := i + 1; k < len(names); k++ {
			if !done[k] && belong(parts, d.Regions[k], names[i], names[k]) {
				parts, done[k] = append(parts, d.Regions[k]), true
			}
		}
		one := d.Join(before, after, parts)
		joined = append(joined, one)
		list = append(list, region(one, names[i]))
	}
	d.Regions = joined
	return list, nil
}

// belong says that a region is a part of the same element as others: both have
// its name, and it is near them or they are all of the element together.
func belong(parts []pixels.Region, next pixels.Region, a, b still.Named) bool {
	if a.Selector == "" || a.Selector != b.Selector || next.Kind == pixels.Inserted || parts[0].Kind == pixels.Inserted || next.Kind == pixels.Removed || parts[0].Kind == pixels.Removed {
		return false
	}
	const near = 24
	all := next.Box
	for _, p := range parts {
		if p.Box.Inset(-near).Overlaps(next.Box) {
			return true
		}
		all = all.Union(p.Box)
	}
	return 10*all.Dx()*all.Dy() >= 6*a.Box.Dx()*a.Box.Dy()
}

func region(r pixels.Region, n still.Named) Region {
	out := Region{
		Selector: n.Selector, Text: n.Text, X: r.Box.Min.X, Y: r.Box.Min.Y, Width: r.Box.Dx(), Height: r.Box.Dy(),
		Pixels: r.Pixels, Kind: r.Kind, MoveX: r.Move.X, MoveY: r.Move.Y,
	}
	// A small part of an element in another colour is rather its edge that is
	// elsewhere.
	if r.Kind == pixels.Recoloured && 10*r.Box.Dx()*r.Box.Dy() < 3*n.Box.Dx()*n.Box.Dy() {
		out.Kind = pixels.Changed
	}
	if out.Kind == pixels.Recoloured {
		out.From = fmt.Sprintf("#%02x%02x%02x", r.From.R, r.From.G, r.From.B)
		out.To = fmt.Sprintf("#%02x%02x%02x", r.To.R, r.To.G, r.To.B)
	}
	return out
}
