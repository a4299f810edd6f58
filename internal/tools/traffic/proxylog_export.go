package traffic

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"oriel/internal/har"
	"oriel/internal/journal"
	"oriel/internal/tools/words"
)

type proxylogExportIn struct {
	proxylogFilter
	Path string `json:"path"`
}

type proxylogExportOut struct {
	Path    string `json:"path"`
	Entries int    `json:"entries"`
	Bytes   int64  `json:"bytes"`
	Dropped uint64 `json:"dropped,omitempty"`
}

func (o proxylogExportOut) Text() string {
	text := fmt.Sprintf("%s of %s, HAR 1.2: import it in a browser's network panel\n", o.Path, words.Size(o.Bytes))
	text += fmt.Sprintf("%s, secrets redacted\n", words.Plural(o.Entries, "exchange"))
	if o.Dropped > 0 {
		text += fmt.Sprintf("(the log is bounded: %d older ones are not in it)\n", o.Dropped)
	}
	return text
}

func proxylogExport(s Session, _ context.Context, in proxylogExportIn) (proxylogExportOut, error) {
	if len(in.Types) > 0 {
		return proxylogExportOut{}, errors.New("types: a HAR file holds http and websocket entries only; leave it out")
	}
	q, err := in.query(s, time.Now())
	if err != nil {
		return proxylogExportOut{}, err
	}
	origin, err := exportOrigin(s, in.ProxyID)
	if err != nil {
		return proxylogExportOut{}, err
	}
	q.Kinds = []journal.Kind{journal.KindHTTP, journal.KindWebSocket, journal.KindNavigation}
	sel := s.Journal.Select(q)
	path := in.Path
	if path == "" {
		path = filepath.Join(s.Root, ".oriel", "traffic-"+time.Now().Format("20060102-150405")+".har")
	} else if !filepath.IsAbs(path) {
		path = filepath.Join(s.From.Dir, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return proxylogExportOut{}, fmt.Errorf("export: %w", err)
	}
	n, err := writeHAR(path, sel.Entries, origin)
	if err != nil {
		return proxylogExportOut{}, fmt.Errorf("export: %w", err)
	}
	out := proxylogExportOut{Path: path, Bytes: n, Dropped: sel.Dropped[journal.KindHTTP]}
	for _, e := range sel.Entries {
		if e.HTTP != nil {
			out.Entries++
		}
	}
	return out, nil
}

// exportOrigin is what stands before the paths of the log. One file holds one
// origin, so with several proxies one must be named; one that was stopped left
// its entries, not its address.
func exportOrigin(s Session, id string) (string, error) {
	p, err := s.Proxy(id)
	switch {
	case err == nil:
		return p.URL(), nil
	case id == "":
		return "", err
	default:
		return "http://127.0.0.1", nil
	}
}

// writeHAR replaces the file only when all of it is written.
func writeHAR(path string, entries []journal.Entry, origin string) (int64, error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".har-*")
	if err != nil {
		return 0, err
	}
	defer os.Remove(f.Name())
	err = har.Write(f, entries, har.Meta{Origin: origin})
	size, sizeErr := f.Seek(0, 1)
	if err = errors.Join(err, sizeErr, f.Close()); err != nil {
		return 0, err
	}
	return size, os.Rename(f.Name(), path)
}
