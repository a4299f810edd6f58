// Package web carries what runs in a browser: the bundles under dist, built
// from the TypeScript beside it by web/bundle and committed, so that the
// product builds without Node.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"strings"
	"sync"
)

//go:embed all:dist
var dist embed.FS

// An Asset is one bundle, ready to be served. Its Name changes with its
// content, so a response under that name may be cached for ever. The byte
// slices are shared: callers must not write to them.
type Asset struct {
	Name        string // for example agent.3f9a61c20b7d.js
	ContentType string
	ETag        string // strong, quoted
	Body        []byte
	Gzip        []byte
}

// AgentName is the name of the bundle that goes into every page.
const AgentName = "agent"

// Agent returns the agent's core. It is an empty Asset only in a build whose
// bundles were never generated.
func Agent() Asset {
	a, _ := Bundle(AgentName)
	return a
}

// Bundle returns the bundle with the given plain name, such as "audits".
func Bundle(name string) (Asset, bool) {
	a, ok := load().byName[name]
	return a, ok
}

// ByFile returns the bundle whose Name is file, as it appears in a URL. A
// bundle asked for by an older hash is not found: the caller decides whether
// its current content is an acceptable answer.
func ByFile(file string) (Asset, bool) {
	a, ok := load().byFile[file]
	return a, ok
}

// Names lists the plain names of the bundles in this build, sorted.
func Names() []string {
	return append([]string(nil), load().names...)
}

type library struct {
	names  []string
	byName map[string]Asset
	byFile map[string]Asset
}

// load prepares all assets once, on first use: hashing and compressing them
// costs some milliseconds that a process which never serves a page is spared.
var load = sync.OnceValue(func() library {
	lib := library{byName: map[string]Asset{}, byFile: map[string]Asset{}}
	entries, err := fs.ReadDir(dist, "dist")
	if err != nil {
		return lib
	}
	for _, e := range entries {
		name, isBundle := strings.CutSuffix(e.Name(), ".js")
		if !isBundle {
			continue
		}
		body, err := dist.ReadFile("dist/" + e.Name())
		if err != nil {
			continue
		}
		a := newAsset(name, body)
		lib.names = append(lib.names, name)
		lib.byName[name] = a
		lib.byFile[a.Name] = a
	}
	return lib
})

func newAsset(name string, body []byte) Asset {
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:6])
	return Asset{
		Name:        name + "." + hash + ".js",
		ContentType: "text/javascript; charset=utf-8",
		ETag:        `"` + hash + `"`,
		Body:        body,
		Gzip:        pack(body),
	}
}

// pack compresses at the highest level: it happens once per process and the
// result is served for as long as the process lives.
func pack(body []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil
	}
	if _, err := w.Write(body); err != nil {
		return nil
	}
	if err := w.Close(); err != nil {
		return nil
	}
	return out.Bytes()
}
