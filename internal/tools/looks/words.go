package looks

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"math"
	"strings"

	"oriel/internal/quote"
	"oriel/internal/snapshot"
	"oriel/internal/snapshot/pixels"
	"oriel/internal/snapshot/still"
	"oriel/internal/tool"
	"oriel/internal/tools/words"
)

// mostInline is the largest PNG that goes into an answer; above it the picture
// is sent as JPEG.
const mostInline = 400 << 10

// picture makes an answer's image of a PNG.
func picture(data []byte) *tool.Image {
	if len(data) == 0 {
		return nil
	}
	if len(data) > mostInline {
		if img, err := still.Decode(data); err == nil {
			var b bytes.Buffer
			if jpeg.Encode(&b, img, &jpeg.Options{Quality: 82}) == nil {
				return &tool.Image{MIME: "image/jpeg", Data: b.Bytes()}
			}
		}
	}
	return &tool.Image{MIME: "image/png", Data: data}
}

// small scales a kept picture down to what an answer may hold.
func small(data []byte) ([]byte, error) {
	if data == nil {
		return nil, nil
	}
	img, err := still.Decode(data)
	if err != nil {
		return nil, err
	}
	return still.Encode(pixels.Shrink(img, snapshot.InlineSide))
}

type baselineOut struct {
	Name   string           `json:"name"`
	Folder string           `json:"folder"`
	Shots  []snapshot.Taken `json:"shots"`
}

// Text says what was taken, and whether it replaced something.
func (o baselineOut) Text() string {
	var b strings.Builder
	count := map[snapshot.State]int{}
	for _, t := range o.Shots {
		count[t.State]++
	}
	fmt.Fprintf(&b, "baseline %s: %s", o.Name, words.Plural(len(o.Shots), "picture"))
	for _, s := range []snapshot.State{snapshot.Fresh, snapshot.Replaced, snapshot.Unchanged} {
		if count[s] > 0 {
			fmt.Fprintf(&b, ", %d %s", count[s], s)
		}
	}
	fmt.Fprintf(&b, " in %s\n", o.Folder)
	for _, t := range o.Shots {
		fmt.Fprintf(&b, "%s %s: %d×%d px, %s, %s\n", quote.Text(t.Page, 80), t.Viewport, t.Width, t.Height, words.Size(int64(t.Bytes)), t.State)
		doubts(&b, t.Doubts, t.Unsteady, t.Missing)
	}
	fmt.Fprintf(&b, "next: %s after a change; the folder is meant for git\n", words.Call("snapshot", words.Arg{Name: "action", Value: "compare"}, words.Arg{Name: "name", Value: o.Name}))
	return b.String()
}

// doubts says why a picture may not be what is meant, and why it may look
// different the next time.
func doubts(b *strings.Builder, doubts, unsteady, missing []string) {
	for _, d := range doubts {
		fmt.Fprintf(b, "  is this the page? %s\n", quote.Text(d, 200))
	}
	for _, u := range unsteady {
		fmt.Fprintf(b, "  not steady: %s\n", quote.Text(u, 200))
	}
	for _, m := range missing {
		fmt.Fprintf(b, "  ignore %s fits nothing on the page\n", quote.Quoted(m, 100))
	}
}

type compareOut struct {
	Name    string            `json:"name"`
	Failed  int               `json:"failed"`
	Results []snapshot.Result `json:"results"`
	image   []byte
}

// Image is the changed part of the first page that failed.
func (o compareOut) Image() *tool.Image { return picture(o.image) }

// Text gives the verdict of each page, and what changed where: as much of it as
// an answer holds.
func (o compareOut) Text() string {
	text := ""
	for _, regions := range []int{max(3, 16/max(1, o.Failed)), 2, 1, 0} {
		if text = o.text(regions); len(text) <= words.TextBudget {
			break
		}
	}
	return text
}

// text shows so many regions of each page; with none, it is one line each.
func (o compareOut) text(regions int) string {
	var b strings.Builder
	differ := 0
	for _, r := range o.Results {
		if r.Pixels > 0 || r.Before != r.After {
			differ++
		}
	}
	switch {
	case o.Failed == 0 && differ > 0:
		fmt.Fprintf(&b, "%s: pass, %d of %s differ within the threshold\n", o.Name, differ, words.Plural(len(o.Results), "picture"))
	case o.Failed == 0:
		fmt.Fprintf(&b, "%s: pass, %s as before\n", o.Name, words.Plural(len(o.Results), "picture"))
	default:
		fmt.Fprintf(&b, "%s: fail, %d of %s differ\n", o.Name, o.Failed, words.Plural(len(o.Results), "picture"))
	}
	for _, r := range o.Results {
		resultText(&b, r, regions)
	}
	if regions == 0 {
		fmt.Fprintf(&b, "diffs: %s; choose one with page and viewports to see what changed\n", snapshot.Path(o.Name, "diff"))
	}
	if o.Failed > 0 {
		fmt.Fprintf(&b, "if that is meant: %s\n", words.Call("snapshot", words.Arg{Name: "action", Value: "baseline"}, words.Arg{Name: "name", Value: o.Name}))
	}
	return b.String()
}

func resultText(b *strings.Builder, r snapshot.Result, most int) {
	verdict := "fail"
	if r.Pass {
		verdict = "pass"
	}
	fmt.Fprintf(b, "%s %s %s", verdict, quote.Text(r.Page, 80), r.Viewport)
	switch {
	case r.Error != "":
		fmt.Fprintf(b, ": %s\n", quote.Text(r.Error, 300))
		return
	case r.Pixels > 0 || r.Before != r.After:
		fmt.Fprintf(b, ": %s of pixels (%d), similarity %s, %s", percent(r.Percent), r.Pixels, similar(r.Similarity), words.Plural(len(r.Regions), "region"))
	}
	fmt.Fprintln(b)
	if most == 0 {
		return
	}
	if r.Before != r.After {
		fmt.Fprintf(b, "  size %d×%d → %d×%d px\n", r.Before[0], r.Before[1], r.After[0], r.After[1])
	}
	if r.Shift != 0 {
		way := "down"
		if r.Shift < 0 {
			way = "up"
		}
		fmt.Fprintf(b, "  everything below y=%d moved %s by %d px\n", r.ShiftFrom, way, max(r.Shift, -r.Shift))
	}
	for i, g := range r.Regions {
		if i == most {
			fmt.Fprintf(b, "  … and %d more regions (raw: true)\n", len(r.Regions)-i)
			break
		}
		fmt.Fprintf(b, "  %s\n", regionText(g))
	}
	doubts(b, r.Doubts, r.Unsteady, r.Missing)
	if r.Diff != "" {
		fmt.Fprintf(b, "  diff: %s (before, after, difference)\n", r.Diff)
	}
	if r.DiffCut > 0 {
		fmt.Fprintf(b, "  its last %d rows did not fit\n", r.DiffCut)
	}
}

// regionText is the element and what happened to it.
func regionText(g snapshot.Region) string {
	text := "(no element)"
	if g.Selector != "" {
		text = quote.Text(g.Selector, 120)
	}
	if g.Text != "" {
		text += " " + quote.Quoted(g.Text, 40)
	}
	text += fmt.Sprintf(" %d×%d at %d,%d", g.Width, g.Height, g.X, g.Y)
	switch g.Kind {
	case pixels.Moved:
		text += ": moved " + way(g.MoveX, "right", "left")
		if g.MoveX != 0 && g.MoveY != 0 {
			text += ", "
		}
		text += way(g.MoveY, "down", "up")
	case pixels.Recoloured:
		text += fmt.Sprintf(": colour %s → %s", g.From, g.To)
	case pixels.Inserted:
		text += ": came in"
	case pixels.Removed:
		text += fmt.Sprintf(": %d px removed here", g.Pixels/max(1, g.Width))
	}
	return text
}

func way(n int, forward, back string) string {
	switch {
	case n > 0:
		return fmt.Sprintf("%d px %s", n, forward)
	case n < 0:
		return fmt.Sprintf("%d px %s", -n, back)
	}
	return ""
}

// percent never says 0 for something or 100 for not all.
func percent(p float64) string {
	switch {
	case p > 0 && p < 0.01:
		return "< 0.01 %"
	case p < 10:
		return fmt.Sprintf("%.2f %%", p)
	}
	return fmt.Sprintf("%.1f %%", math.Floor(p*10)/10)
}

// similar never rounds up to 1.
func similar(s float64) string { return fmt.Sprintf("%.4f", math.Floor(s*10000)/10000) }

type kept struct {
	Name  string        `json:"name"`
	Meta  snapshot.Meta `json:"meta"`
	Error string        `json:"error,omitempty"`
}

type listOut struct {
	Snapshots []kept `json:"snapshots"`
}

const mostListed = 30

// Text names the snapshots of the project.
func (o listOut) Text() string {
	if len(o.Snapshots) == 0 {
		return "no snapshot was taken in this project; take one with snapshot {\"action\":\"baseline\",\"name\":\"home\",\"page\":\"/\"}\n"
	}
	var b strings.Builder
	for i, k := range o.Snapshots {
		if i == mostListed {
			fmt.Fprintf(&b, "… and %d more (raw: true)\n", len(o.Snapshots)-i)
			break
		}
		if k.Error != "" {
			fmt.Fprintf(&b, "%s: %s\n", k.Name, quote.Text(k.Error, 200))
			continue
		}
		var shots []string
		for _, s := range k.Meta.Shots {
			shots = append(shots, quote.Text(s.Page, 50)+" "+s.Viewport)
		}
		fmt.Fprintf(&b, "%s: %s (%s)\n", k.Name, words.Plural(len(shots), "picture"), words.Clip(strings.Join(shots, ", "), 160))
	}
	return b.String()
}

type keptShot struct {
	snapshot.Shot
	Path string `json:"path"`
	Diff string `json:"diff,omitempty"` // of the last comparison that failed
}

type getOut struct {
	Name      string     `json:"name"`
	Threshold float64    `json:"threshold"`
	Ignore    []string   `json:"ignore"`
	Shots     []keptShot `json:"shots"`

	image   []byte
	differs bool
	shown   string
}

// Image is the last difference, or the first picture when there is none.
func (o getOut) Image() *tool.Image { return picture(o.image) }

// Text lists the pictures of a snapshot with their files.
func (o getOut) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, threshold %g %%", o.Name, words.Plural(len(o.Shots), "picture"), o.Threshold)
	if len(o.Ignore) > 0 {
		fmt.Fprintf(&b, ", ignores %s", quote.Quoted(strings.Join(o.Ignore, ", "), 200))
	}
	fmt.Fprintln(&b)
	for _, s := range o.Shots {
		fmt.Fprintf(&b, "%s %s: %d×%d px, %s\n", quote.Text(s.Page, 80), s.Viewport, s.Width, s.Height, s.Path)
		if s.Diff != "" {
			fmt.Fprintf(&b, "  differed when last compared: %s\n", s.Diff)
		}
	}
	if o.shown != "" {
		fmt.Fprintf(&b, "shown: %s, scaled down\n", o.shown)
	}
	return b.String()
}

type deleteOut struct {
	Deleted string `json:"deleted"`
}

// Text confirms.
func (o deleteOut) Text() string { return fmt.Sprintf("snapshot %s deleted\n", o.Deleted) }
