// Package decode undoes content codings while the bytes stream through.
package decode

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// maxCodings bounds how many codings may be stacked.
const maxCodings = 4

// maxWindow bounds the memory of a zstd stream; browsers refuse more than 8 MB.
const maxWindow = 16 << 20

// Codings splits Content-Encoding values into the codings applied, in the
// order in which they were applied. Identity is none.
func Codings(values []string) []string {
	var out []string
	for _, line := range values {
		for c := range strings.SplitSeq(line, ",") {
			c = strings.ToLower(strings.TrimSpace(c))
			if c != "" && c != "identity" {
				out = append(out, c)
			}
		}
	}
	return out
}

// Known says whether Reader can undo the codings.
func Known(codings []string) bool {
	if len(codings) > maxCodings {
		return false
	}
	for _, c := range codings {
		switch c {
		case "gzip", "x-gzip", "deflate", "br", "zstd":
		default:
			return false
		}
	}
	return true
}

// Reader undoes the codings of r, last one first. Nothing is read before the
// first Read. Closing it frees the decoders and leaves r alone.
func Reader(codings []string, r io.Reader) (io.ReadCloser, error) {
	if !Known(codings) {
		return nil, fmt.Errorf("decode body: coding %q not known", strings.Join(codings, ", "))
	}
	d := &decoder{open: make([]string, len(codings)), src: r}
	copy(d.open, codings)
	return d, nil
}

// decoder opens its chain at the first Read, because decoders read the
// stream's header when they are made.
type decoder struct {
	open  []string
	src   io.Reader
	chain io.Reader
	frees []func()
	err   error
}

func (d *decoder) Read(p []byte) (int, error) {
	if d.chain == nil && d.err == nil {
		d.err = d.start()
	}
	if d.err != nil {
		return 0, d.err
	}
	n, err := d.chain.Read(p)
	if err != nil {
		d.err = err
	}
	return n, err
}

func (d *decoder) start() error {
	r := d.src
	for i := len(d.open) - 1; i >= 0; i-- {
		next, err := d.one(d.open[i], r)
		if err != nil {
			return err
		}
		r = next
	}
	d.chain = r
	return nil
}

func (d *decoder) one(coding string, r io.Reader) (io.Reader, error) {
	switch coding {
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(r)
		if errors.Is(err, io.EOF) {
			return nil, io.EOF // an empty body, although said to be coded
		}
		if err != nil {
			return nil, fmt.Errorf("decode gzip: %w", err)
		}
		return z, nil
	case "br":
		return brotli.NewReader(r), nil
	case "zstd":
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("decode zstd: %w", err)
		}
		d.frees = append(d.frees, z.Close)
		return z, nil
	}
	return inflate(r)
}

// inflate reads "deflate", which is zlib by the book and bare deflate in some
// servers; the first two bytes tell.
func inflate(r io.Reader) (io.Reader, error) {
	br := bufio.NewReader(r)
	head, err := br.Peek(2)
	if len(head) == 0 {
		return nil, err
	}
	if len(head) == 2 && head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
		z, err := zlib.NewReader(br)
		if err != nil {
			return nil, fmt.Errorf("decode deflate: %w", err)
		}
		return z, nil
	}
	return flate.NewReader(br), nil
}

// Close frees the decoders.
func (d *decoder) Close() error {
	for _, free := range d.frees {
		free()
	}
	d.frees = nil
	if d.err == nil {
		d.err = io.ErrClosedPipe
	}
	return nil
}
