// Package devurl finds the local URL that a dev server prints, whatever colours
// and boxes surround it. It is a pure function over lines that have been stripped
// of escape sequences.
package devurl

import (
	"net/url"
)

// Found is one local URL in a line.
type Found struct {
	URL     string
	Primary bool // the line calls it the server's own address
}

// Find returns the local URLs of a line, in order.
func Find(line string) []Found {
	return nil
}

// Port returns the port of a URL, the scheme's own when it names none.
func Port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}
