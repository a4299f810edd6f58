package inject

import (
	"bytes"
	"encoding/xml"
	"io"
)

// placeXML is place for XML documents: after the start tag of head when that
// is the root's first element, else after the root's start tag. A root that is
// not html has no place for a script.
func placeXML(doc []byte, atEOF bool) (pos int, v verdict, undecided int) {
	d := xml.NewDecoder(bytes.NewReader(doc))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	root := 0
	for {
		begin := int(d.InputOffset())
		tok, err := d.RawToken()
		end := int(d.InputOffset())
		if err != nil {
			switch {
			case root > 0 && atEOF:
				return root, found, root
			case atEOF:
				return 0, none, begin
			}
			return 0, more, begin
		}
		el, ok := tok.(xml.StartElement)
		if !ok {
			if _, isEnd := tok.(xml.EndElement); isEnd && root > 0 {
				return root, found, root
			}
			continue
		}
		empty := end >= 2 && end <= len(doc) && doc[end-2] == '/'
		switch {
		case root == 0 && (el.Name.Local != "html" || empty):
			return 0, none, begin
		case root == 0:
			root = end
		case el.Name.Local == "head" && !empty:
			return end, found, end
		default:
			return root, found, root
		}
	}
}
