package gallery

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func picture(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestIdentify(t *testing.T) {
	var jpg bytes.Buffer
	if err := jpeg.Encode(&jpg, image.NewGray(image.Rect(0, 0, 31, 17)), nil); err != nil {
		t.Fatal(err)
	}
	decode := func(s string) []byte {
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	lossy := decode("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
	lossless := decode("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	for _, c := range []struct {
		name          string
		data          []byte
		kind          string
		width, height int
	}{
		{"png", picture(t, 12, 34), "png", 12, 34},
		{"jpeg", jpg.Bytes(), "jpeg", 31, 17},
		{"webp lossy", lossy, "webp", 1, 1},
		{"webp lossless", lossless, "webp", 1, 1},
		{"nothing", nil, "", 0, 0},
		{"words", []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), "", 0, 0},
		{"a script in a picture's clothes", []byte("RIFF....WEBP<script>alert(1)</script>"), "", 0, 0},
		{"cut webp", lossy[:20], "", 0, 0},
		{"cut png", picture(t, 12, 34)[:20], "", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			kind, width, height, err := Identify(c.data)
			if kind != c.kind || width != c.width || height != c.height || (err == nil) != (c.kind != "") {
				t.Errorf("%q %d×%d %v", kind, width, height, err)
			}
		})
	}
}

func TestKeepIsBounded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "one")
	g := New(dir)
	var first, last Picture
	for i := range MaxCount + 5 {
		p, err := g.Keep("Näh ../../etc/passwd", picture(t, 3, 4))
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = p
		}
		last = p
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != MaxCount {
		t.Errorf("%d files are kept, %v", len(files), err)
	}
	if _, err := os.Stat(first.Path); err == nil {
		t.Error("the oldest is still there")
	}
	if _, err := os.Stat(last.Path); err != nil {
		t.Error(err)
	}
	if filepath.Dir(last.Path) != dir || !strings.HasSuffix(last.Path, "-n-h-etc-passwd.png") {
		t.Errorf("a name led to %s", last.Path)
	}
	if last.Width != 3 || last.Height != 4 || last.MIME != "image/png" {
		t.Errorf("%+v", last)
	}
}

func TestKeepRefuses(t *testing.T) {
	g := New(t.TempDir())
	for name, data := range map[string][]byte{"empty": nil, "text": []byte("hello"), "huge": make([]byte, MaxPicture+1)} {
		if p, err := g.Keep("x", data); err == nil {
			t.Errorf("%s was kept as %s", name, p.Path)
		}
	}
}

// TestSweep: what another project left long ago goes, what is new stays, and
// what is no picture is not ours to remove.
func TestSweep(t *testing.T) {
	root := t.TempDir()
	write := func(name string, age time.Duration) string {
		path := filepath.Join(root, "other", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	old, young, foreign := write("a.png", 2*MaxAge), write("b.png", time.Hour), write("notes.txt", 2*MaxAge)
	if _, err := New(filepath.Join(root, "mine")).Keep("", picture(t, 1, 1)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{old: false, young: true, foreign: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %v", filepath.Base(path), err == nil)
		}
	}
}
