package sourcemap

import (
	"bytes"
	"net/url"
	"strings"
)

// moduleIn reads an address under which turbopack evaluates one module that an
// update brought: that of a chunk, with the module's id. above is how many lines
// of the chunk, as it is now, stand before the module's first; -1: it has none.
func moduleIn(address string, chunk []byte) (module string, above int) {
	u, err := url.Parse(address)
	if err != nil || !strings.Contains(u.RawQuery, "id=") {
		return "", 0
	}
	id, err := url.PathUnescape(u.Query().Get("id"))
	if err != nil || !projectForm.MatchString(id) {
		return "", 0
	}
	module, _, _ = strings.Cut(id, " ")
	at := bytes.Index(chunk, []byte("\n\""+id+"\", (("))
	if at < 0 {
		return module, -1
	}
	return module, bytes.Count(chunk[:at+1], []byte("\n"))
}

// leadModule moves f to the source of the module that its address means.
func (r *Resolver) leadModule(f *Frame, s *script) string {
	name := sourceName("turbopack:///"+s.module, "")
	if s.m != nil && s.above >= 0 {
		p, ok := s.m.Find(f.URLLine+s.above, f.URLColumn)
		if ok && strings.HasSuffix(sourceName(p.Source.Name, s.base), "/"+name) {
			r.setSource(f, s, p)
			return p.Name
		}
	}
	r.setFile(f, name)
	return ""
}
