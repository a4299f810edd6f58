package snapshot

import (
	"context"
	"errors"
	"image"
	"image/color"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"oriel/internal/snapshot/pixels"
	"oriel/internal/snapshot/still"
)

func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"home": true, "Home-2_x.y": true, "_a": true, "2": true, strings.Repeat("a", 64): true, "console": true, "a..b": true,
		"": false, ".": false, "..": false, "../x": false, "a/b": false, `a\b`: false, "a b": false, "é": false, "-a": false, ".git": false, "a.": false,
		"con": false, "NUL": false, "com1.png": false, "a:b": false, "a\x00": false, "a\n": false, strings.Repeat("a", 65): false, "a%2f": false,
	} {
		if err := CheckName(name); (err == nil) != ok {
			t.Errorf("%q: %v, want accepted %t", name, err, ok)
		}
	}
}

// TestFileNames: readable, one folder deep, and different for different pages
// even where case does not count.
func TestFileNames(t *testing.T) {
	for page, want := range map[string]string{"/": "index.1280x800.png", "/cups": "cups.1280x800.png", "/a/b": "a_b.1280x800.png"} {
		if got := fileName(page, DefaultViewport); got != want {
			t.Errorf("%s: %s, want %s", page, got, want)
		}
	}
	seen := map[string]string{}
	for _, page := range []string{
		"/", "/index", "/a", "/A", "/a/", "/a/b", "/a-b", "/a_b", "/a?x=1", "/a?x=2", "/../../etc", "/..", "/.git/config", "http://localhost:3000/a", "https://localhost:3000/a",
		"shop:/a", "/é", "/è", "/" + strings.Repeat("long/", 60), "/" + strings.Repeat("long/", 61), "/con", "//a",
	} {
		got := strings.ToLower(fileName(page, "390x844@2 dark"))
		if other, clash := seen[got]; clash {
			t.Errorf("%q and %q are both %s", page, other, got)
		}
		seen[got] = page
		if !strings.HasSuffix(got, ".390x844at2-dark.png") || strings.ContainsAny(got, `/\:*?"<>| `) || strings.HasPrefix(got, ".") || strings.HasPrefix(got, "-") || len(got) > 120 {
			t.Errorf("%q is kept as %q", page, got)
		}
	}
}

func TestParseViewports(t *testing.T) {
	for text, want := range map[string]string{
		"1280x720,390x844":            "1280x720|390x844",
		" 390X844 @2x , 390x844@2.0 ": "390x844@2",
		"iphone dark, wide light":     "iphone dark|wide",
		"800x600@1 light":             "800x600",
		"iphone@1, iphone@3, laptop":  "iphone@1|iphone|laptop",
		"":                            "",
	} {
		list, err := ParseViewports(text)
		var got []string
		for _, v := range list {
			got = append(got, v.Text)
		}
		if err != nil || strings.Join(got, "|") != want {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
	for _, wrong := range []string{"wide open", "12", "axb", "10x10", "800x600@9", "800x600@x", "800x", "x600", "800x600x2", "-1x5", "@2", "dark", "1x1,", "800x600 sepia", "99999x99999"} {
		if list, err := ParseViewports(wrong); err == nil {
			t.Errorf("%q is accepted: %+v", wrong, list)
		}
	}
	if _, err := ParseViewports(strings.Repeat("100x100,", 3) + "101x100,102x100,103x100,104x100,105x100,106x100,107x100,108x100"); err == nil {
		t.Error("too many are accepted")
	}
	dark, err := ParseViewports("390x844@2 dark")
	if err != nil || dark[0].Look.Scale != 2 || dark[0].Look.ColorScheme != "dark" || dark[0].Look.Width != 390 {
		t.Errorf("%+v, %v", dark, err)
	}
}

func picture(t *testing.T, c color.RGBA) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 20, 10))
	pixels.Cover(img, []image.Rectangle{img.Rect})
	img.SetRGBA(1, 1, c)
	data, err := still.Encode(img)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestStore(t *testing.T) {
	root := t.TempDir()
	s := In(root)
	if names, err := s.List(); err != nil || len(names) != 0 {
		t.Errorf("nothing was kept: %v, %v", names, err)
	}
	if _, err := s.Load("home"); !isNotFound(err) {
		t.Errorf("load: %v", err)
	}
	shot := Shot{Page: "/", Viewport: DefaultViewport, Scale: 1, Scheme: "light", File: "index.1280x800.png", Width: 20, Height: 10, Covered: []string{"1,2 3x4", "nonsense"}}
	m := Meta{Ignore: []string{"#clock"}, Threshold: 0.5, Shots: []Shot{shot}}
	data := picture(t, color.RGBA{1, 2, 3, 255})
	if err := s.Save("home", m, map[string][]byte{shot.File: data}); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(s.Abs("home", metaFile))
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Load("home")
	if err != nil || len(got.Shots) != 1 || !slices.Equal(got.Shots[0].boxes(), []image.Rectangle{image.Rect(1, 2, 4, 6)}) || got.Threshold != 0.5 {
		t.Errorf("%+v, %v", got, err)
	}
	// The same again touches nothing.
	if err := s.Save("home", m, map[string][]byte{shot.File: data}); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(s.Abs("home", metaFile)); err != nil || !os.SameFile(before, after) {
		t.Errorf("the same was written again: %v", err)
	}
	if err := s.SaveDiff("home", shot.File, data); err != nil || s.Diff("home", shot) == nil {
		t.Errorf("keep a difference: %v", err)
	}
	// A picture that is not one any more goes; the difference is git's to ignore.
	if err := s.Save("home", Meta{Ignore: []string{}, Shots: []Shot{}}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Abs("home", shot.File)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old picture: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(root, Folder, ".gitignore")); err != nil || !strings.HasSuffix(string(text), "\n*/diff/\n") {
		t.Errorf(".gitignore: %q, %v", text, err)
	}
	if err := s.Clash("HOME"); err == nil {
		t.Error("a clash of case is not seen")
	}
	if err := s.Clash("home"); err != nil {
		t.Error(err)
	}
	if err := s.Delete("home"); err != nil {
		t.Error(err)
	}
	if err := s.Delete("home"); !isNotFound(err) {
		t.Errorf("deleted twice: %v", err)
	}
}

func isNotFound(err error) bool {
	_, ok := errors.AsType[*NotFoundError](err)
	return ok
}

// TestStoreStaysInTheProject: a folder of somebody else that is linked in is
// neither read nor written nor deleted.
func TestStoreStaysInTheProject(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	if err := In(outside).Save("home", Meta{}, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, ".oriel"), filepath.Join(root, ".oriel")); err != nil {
		t.Fatal(err)
	}
	s := In(root)
	if names, err := s.List(); err == nil && len(names) > 0 {
		t.Errorf("read: %v", names)
	}
	if err := s.Save("new", Meta{}, map[string][]byte{"a.png": {1}}); err == nil {
		t.Error("written")
	}
	if err := s.Delete("home"); err == nil {
		t.Error("deleted")
	}
	if _, err := In(outside).Load("home"); err != nil {
		t.Error(err)
	}
}

// TestBrokenMeta: a file that was edited by hand is no way out and can be
// deleted.
func TestBrokenMeta(t *testing.T) {
	s := In(t.TempDir())
	for name, text := range map[string]string{
		"json": "{", "version": `{"version":99}`, "path": `{"version":1,"shots":[{"file":"../../../x.png"}]}`, "windows": `{"version":1,"shots":[{"file":"a\\b.png"}]}`, "none": `{"version":1,"shots":[{"file":""}]}`,
	} {
		if err := s.Save(name, Meta{}, nil); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.Abs(name, metaFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if m, err := s.Load(name); err == nil || isNotFound(err) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
		if err := s.Delete(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := still.Decode([]byte("no picture")); err == nil {
		t.Error("a picture that is none was read")
	}
}

// TestOneAtATime: who waits for a snapshot that is being worked on can give up.
func TestOneAtATime(t *testing.T) {
	s := In(t.TempDir())
	free, err := s.lock(t.Context(), "home")
	if err != nil {
		t.Fatal(err)
	}
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.lock(impatient, "home"); err == nil {
		t.Error("two at a time")
	}
	other, err := s.lock(t.Context(), "other")
	if err != nil {
		t.Fatal(err)
	}
	other()
	free()
	again, err := s.lock(t.Context(), "home")
	if err != nil {
		t.Fatal(err)
	}
	again()
}
