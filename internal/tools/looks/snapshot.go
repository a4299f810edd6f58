// Package looks is the tool that keeps what pages look like: snapshot.
package looks

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"oriel/internal/browser"
	"oriel/internal/snapshot"
	"oriel/internal/snapshot/still"
	"oriel/internal/tool"
	"oriel/internal/tools/hands"
	"oriel/internal/tools/session"
)

// Session is what the handlers here work on.
type Session = session.Session

// Snapshot is the tool.
var Snapshot = tool.Group("snapshot", tool.Doc{
	Title: "Visual snapshots for regression testing",
	Text:  "Keeps pictures of pages in the project (baseline), tells what changed (compare). viewports: 390x844@2 dark,… threshold: %.",
	Hints: tool.Hints{Destructive: true, OpenWorld: true},
},
	tool.Do("list", snapshotList),
	tool.Do("baseline", snapshotBaseline),
	tool.Do("compare", snapshotCompare),
	tool.Do("get", snapshotGet),
	tool.Do("delete", snapshotDelete),
)

type snapshotNone struct{}

type snapshotName struct {
	Name string `json:"name"`
}

type snapshotWhich struct {
	snapshotName
	Page      string `json:"page"`
	Viewports string `json:"viewports"`
}

type snapshotBaselineIn struct {
	snapshotWhich
	Ignore    string   `json:"ignore"`
	Threshold *float64 `json:"threshold"`
}

type snapshotCompareIn struct {
	snapshotBaselineIn
	Image bool `json:"image"`
}

type snapshotGetIn struct {
	snapshotWhich
	Image bool `json:"image"`
}

// check refuses what no action could work with.
func (in snapshotName) check(action string) error {
	if in.Name == "" {
		return fmt.Errorf("name required for %s", action)
	}
	return snapshot.CheckName(in.Name)
}

// settings are the part of the input that is kept with a baseline. Selectors
// stay one list, as CSS reads it.
func (in snapshotBaselineIn) settings() (snapshot.Settings, error) {
	set := snapshot.Settings{Threshold: in.Threshold}
	if in.Threshold != nil && !(*in.Threshold >= 0 && *in.Threshold <= 100) {
		return set, fmt.Errorf("threshold: expected a percentage of pixels from 0 to 100, got %g", *in.Threshold)
	}
	if text := strings.TrimSpace(in.Ignore); text != "" {
		if len(text) > 2000 {
			return set, errors.New("ignore: at most 2000 characters")
		}
		set.Ignore = []string{text}
	}
	return set, nil
}

// mostShots of one call.
const mostShots = 24

// camera takes pictures in a browser without a window, in tabs of its own, and
// reports how far it is.
func camera(s Session, total int) snapshot.Camera {
	done := 0
	return func(ctx context.Context, address string, look browser.Look, ignore []string) (*still.Picture, error) {
		tool.Report(ctx, tool.Progress{Done: float64(done), Total: float64(total), Message: address})
		done++
		b, err := s.Browser(ctx, true, s.From.Env)
		if err != nil {
			return nil, hands.Install(err)
		}
		return still.Take(ctx, b, address, look, ignore)
	}
}

func snapshotBaseline(s Session, ctx context.Context, in snapshotBaselineIn) (baselineOut, error) {
	out := baselineOut{Name: in.Name}
	if err := in.check("baseline"); err != nil {
		return out, err
	}
	set, err := in.settings()
	if err != nil {
		return out, err
	}
	store := snapshot.In(s.Root)
	if err := store.Clash(in.Name); err != nil {
		return out, err
	}
	known, err := store.Load(in.Name)
	if _, none := errors.AsType[*snapshot.NotFoundError](err); err != nil && !none {
		return out, err
	}
	jobs, err := plan(s, in.snapshotWhich, known.Shots)
	if err != nil {
		return out, err
	}
	out.Shots, err = store.Baseline(ctx, camera(s, len(jobs)), in.Name, jobs, set)
	out.Folder = snapshot.Path(in.Name)
	return out, err
}

func snapshotCompare(s Session, ctx context.Context, in snapshotCompareIn) (compareOut, error) {
	out := compareOut{Name: in.Name, Results: []snapshot.Result{}}
	if err := in.check("compare"); err != nil {
		return out, err
	}
	set, err := in.settings()
	if err != nil {
		return out, err
	}
	set.Inline = in.Image
	store := snapshot.In(s.Root)
	m, err := store.Load(in.Name)
	if err != nil {
		if _, none := errors.AsType[*snapshot.NotFoundError](err); none {
			return out, fmt.Errorf("%w: take it first with snapshot {\"action\":\"baseline\",\"name\":%q}", err, in.Name)
		}
		return out, err
	}
	shots, err := choose(s, in.snapshotWhich, m.Shots)
	if err != nil {
		return out, err
	}
	address := func(shot snapshot.Shot) (string, error) {
		w, err := resolve(s, shot.Page)
		return w.address, err
	}
	if out.Results, err = store.Compare(ctx, camera(s, len(shots)), in.Name, shots, address, set); err != nil {
		return out, err
	}
	for _, r := range out.Results {
		if !r.Pass {
			out.Failed++
		}
		if in.Image && out.image == nil && !r.Pass {
			out.image = r.Inline
		}
	}
	return out, nil
}

func snapshotList(s Session, _ context.Context, _ snapshotNone) (listOut, error) {
	out := listOut{Snapshots: []kept{}}
	store := snapshot.In(s.Root)
	names, err := store.List()
	if err != nil {
		return out, err
	}
	for _, name := range names {
		k := kept{Name: name}
		m, err := store.Load(name)
		if err != nil {
			k.Error = err.Error()
		}
		k.Meta = m
		out.Snapshots = append(out.Snapshots, k)
	}
	return out, nil
}

func snapshotGet(s Session, _ context.Context, in snapshotGetIn) (getOut, error) {
	out := getOut{Name: in.Name, Shots: []keptShot{}}
	if err := in.check("get"); err != nil {
		return out, err
	}
	store := snapshot.In(s.Root)
	m, err := store.Load(in.Name)
	if err != nil {
		return out, err
	}
	out.Threshold, out.Ignore = m.Threshold, m.Ignore
	shots, err := choose(s, in.snapshotWhich, m.Shots)
	if err != nil {
		return out, err
	}
	for _, shot := range shots {
		k := keptShot{Shot: shot, Path: snapshot.Path(in.Name, shot.File)}
		data := store.Diff(in.Name, shot)
		if data != nil {
			k.Diff = snapshot.Path(in.Name, "diff", shot.File)
		}
		out.Shots = append(out.Shots, k)
		if in.Image && data != nil && !out.differs {
			out.image, out.differs, out.shown = data, true, k.Diff
		}
	}
	if in.Image && out.image == nil && len(shots) > 0 {
		if out.image, err = store.Picture(in.Name, shots[0]); err != nil {
			return out, err
		}
		out.shown = snapshot.Path(in.Name, shots[0].File)
	}
	out.image, err = small(out.image)
	return out, err
}

func snapshotDelete(s Session, _ context.Context, in snapshotName) (deleteOut, error) {
	if err := in.check("delete"); err != nil {
		return deleteOut{}, err
	}
	return deleteOut{in.Name}, snapshot.In(s.Root).Delete(in.Name)
}
