package proxy

import (
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"net/http"

	"oriel/internal/proxy/csp"
)

// integrity is what the tag must say of the agent where the page's
// Integrity-Policy lets no other script run; "" where nothing is asked for.
func (x *exchange) integrity() string {
	policies := append(x.resp.Header["Integrity-Policy"], x.resp.Header["Integrity-Policy-Report-Only"]...)
	if len(policies) == 0 || x.p.cfg.Devtool == nil || !csp.WantsIntegrity(policies...) {
		return ""
	}
	r, err := http.NewRequestWithContext(x.in.Context(), http.MethodGet, x.doc.tag.Src, nil)
	if err != nil {
		return ""
	}
	r.Host = x.in.Host
	d := digester{head: http.Header{}, sum: sha256.New()}
	x.p.cfg.Devtool.ServeHTTP(&d, r)
	if d.refused {
		return ""
	}
	return "sha256-" + base64.StdEncoding.EncodeToString(d.sum.Sum(nil))
}

// digester is an answer of which only the body's digest is wanted.
type digester struct {
	head    http.Header
	sum     hash.Hash
	refused bool
}

func (d *digester) Header() http.Header         { return d.head }
func (d *digester) WriteHeader(status int)      { d.refused = status != http.StatusOK }
func (d *digester) Write(p []byte) (int, error) { return d.sum.Write(p) }
