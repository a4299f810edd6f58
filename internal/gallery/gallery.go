// Package gallery keeps pictures of pages on disk, so that an assistant, an
// editor and a person can open them by their path. It is bounded: the oldest
// make room for new ones.
package gallery

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"oriel/internal/journal"
)

// Bounds of one gallery.
const (
	MaxCount = 100
	MaxBytes = 64 << 20
	// MaxPicture is the size of one picture; base64 makes it a third longer, and
	// it still fits into a message of the pages' channel.
	MaxPicture = 5 << 20
	// MaxAge is how long a picture of a project that is not worked on is kept.
	MaxAge = 7 * 24 * time.Hour
)

// Gallery is one folder of pictures. It is safe for concurrent use by one
// process.
type Gallery struct {
	dir string
	log *journal.Journal // of Hang

	mu     sync.Mutex
	count  int
	opened bool
}

// New returns the gallery in dir, which need not be there yet.
func New(dir string) *Gallery { return &Gallery{dir: dir} }

// Of returns the gallery of a project among those under state. What is hung
// there is told to the journal.
func Of(project, state string, log *journal.Journal) *Gallery {
	sum := sha256.Sum256([]byte(project))
	g := New(filepath.Join(state, "screenshots", plain(filepath.Base(project))+"-"+hex.EncodeToString(sum[:4])))
	g.log = log
	return g
}

// How true a picture is.
const (
	Exact       = "exact"       // what the browser drew
	Approximate = "approximate" // drawn again from the page's elements
)

// Hang keeps a picture of a page and puts it into the journal; it also tells
// the picture's MIME type. of says what it shows; path and size are found here.
func (g *Gallery) Hang(proxy, page string, of journal.Screenshot, data []byte) (journal.Entry, string, error) {
	p, err := g.Keep(of.Name, data)
	if err != nil {
		return journal.Entry{}, "", err
	}
	of.Path, of.Width, of.Height, of.Bytes = p.Path, p.Width, p.Height, p.Bytes
	e := journal.Entry{Kind: journal.KindScreenshot, Time: time.Now(), Proxy: proxy, Page: page, Screenshot: &of}
	e.Seq = g.log.Append(e)
	return e, p.MIME, nil
}

// Picture is one that is kept.
type Picture struct {
	Path          string
	MIME          string
	Width, Height int
	Bytes         int
}

// Keep checks that data is a picture and writes it to a file of its own. name
// may be anybody's words: what is no letter, digit or dash is left out of the
// file's name.
func (g *Gallery) Keep(name string, data []byte) (Picture, error) {
	if len(data) > MaxPicture {
		return Picture{}, fmt.Errorf("keep picture: %d bytes are over the limit of %d: take less of the page, or format jpeg", len(data), MaxPicture)
	}
	kind, width, height, err := Identify(data)
	if err != nil {
		return Picture{}, fmt.Errorf("keep picture: %w", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.open(); err != nil {
		return Picture{}, fmt.Errorf("keep picture: %w", err)
	}
	g.count++
	// The names sort in the order in which they were made.
	stem := time.Now().UTC().Format("20060102-150405.000") + "-" + strconv.Itoa(g.count%1000 + 1000)[1:]
	if word := plain(name); word != "" {
		stem += "-" + word
	}
	path := filepath.Join(g.dir, stem+"."+kind)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return Picture{}, fmt.Errorf("keep picture: %w", err)
	}
	if err := g.trim(path); err != nil {
		return Picture{}, fmt.Errorf("make room for a picture: %w", err)
	}
	return Picture{Path: path, MIME: "image/" + kind, Width: width, Height: height, Bytes: len(data)}, nil
}

// open makes the folder and, the first time, removes what other projects left
// beside it long ago.
func (g *Gallery) open() error {
	if err := os.MkdirAll(g.dir, 0o700); err != nil {
		return err
	}
	if g.opened {
		return nil
	}
	g.opened = true
	return sweep(filepath.Dir(g.dir), time.Now().Add(-MaxAge))
}

// sweep removes the pictures in the folders under root that are older than
// before, and folders that are empty then.
func sweep(root string, before time.Time) error {
	folders, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	var failed error
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		dir := filepath.Join(root, folder.Name())
		for _, f := range pictures(dir) {
			if f.time.Before(before) {
				failed = errors.Join(failed, gone(os.Remove(f.path)))
			}
		}
	}
	return failed
}

func gone(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

type file struct {
	path string
	size int64
	time time.Time
}

// pictures lists a folder, oldest first.
func pictures(dir string) []file {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var all []file
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !isPicture(e.Name()) {
			continue
		}
		all = append(all, file{filepath.Join(dir, e.Name()), info.Size(), info.ModTime()})
	}
	slices.SortFunc(all, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return all
}

func isPicture(name string) bool {
	return slices.Contains([]string{".png", ".jpeg", ".webp"}, filepath.Ext(name))
}

// trim removes the oldest until the bounds are kept; never the one named.
func (g *Gallery) trim(newest string) error {
	all := pictures(g.dir)
	total := int64(0)
	for _, f := range all {
		total += f.size
	}
	for i := 0; i < len(all) && (len(all)-i > MaxCount || total > MaxBytes); i++ {
		if all[i].path == newest {
			continue
		}
		if err := gone(os.Remove(all[i].path)); err != nil {
			return err
		}
		total -= all[i].size
	}
	return nil
}

// plain makes a part of a file's name of anybody's words.
func plain(name string) string {
	const most = 40
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case b.Len() >= most:
			return strings.Trim(b.String(), "-")
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}
