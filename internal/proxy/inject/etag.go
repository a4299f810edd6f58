package inject

import (
	"hash/crc32"
	"strconv"
	"strings"
)

// A document with the tag in it is not the target's, so its ETag is made weak
// and marked: W/"abc-oriel-s1f2e3d4c". s or w tells what the target's was, l
// that there was none but a Last-Modified, and the rest is the fingerprint of
// the agent. A document kept by the browser is thus only called fresh when its
// agent is today's, and the target is asked about its own ETag. Other
// attributes of the tag do not count: they may differ from answer to answer,
// and must stay good as long as the proxy runs.
const etagMark = "-oriel-"

// MarkETag returns the ETag of a document that the tag with that fingerprint
// went into; "" stands for a document that has only a date.
func MarkETag(etag, print string) string {
	if etag == "" {
		return `W/"` + etagMark + "l" + print + `"`
	}
	kind := "s"
	if strings.HasPrefix(etag, "W/") {
		kind, etag = "w", etag[2:]
	}
	return `W/"` + strings.Trim(etag, `"`) + etagMark + kind + print + `"`
}

// unmarkETag returns the target's own tag of a marked one ("" for kind l).
func unmarkETag(tag string) (own, print string, kind byte, ok bool) {
	body := strings.TrimSuffix(strings.TrimPrefix(tag, `W/"`), `"`)
	i := strings.LastIndex(body, etagMark)
	if i < 0 || len(body) != i+len(etagMark)+9 {
		return "", "", 0, false
	}
	kind, print = body[i+len(etagMark)], body[i+len(etagMark)+1:]
	switch own = `"` + body[:i] + `"`; kind {
	case 's':
		return own, print, kind, true
	case 'w':
		return "W/" + own, print, kind, true
	case 'l':
		return "", print, kind, true
	}
	return "", "", 0, false
}

// Fingerprint tells agents apart. salt is what else makes documents differ.
func Fingerprint(src, salt string) string {
	sum := crc32.Update(crc32.ChecksumIEEE([]byte(src)), crc32.IEEETable, []byte(salt))
	s := strconv.FormatUint(uint64(sum), 16)
	return strings.Repeat("0", 8-len(s)) + s
}

// Marked says whether a list of ETags has one of ours.
func Marked(list string) bool { return strings.Contains(list, etagMark) }

// Validators are the conditions of a request as the target is to be asked.
type Validators struct {
	ETags  string // for If-None-Match, "" for none
	ByDate bool   // If-Modified-Since stays the condition
}

// Any says whether a condition is left: then a 304 speaks of what the browser
// holds.
func (v Validators) Any() bool { return v.ETags != "" || v.ByDate }

// Unmark translates an If-None-Match. For a document only marked tags with
// today's fingerprint count, for anything else (print "") only unmarked ones:
// other tags are of copies that are not what the browser would get now.
func Unmark(list, print string) Validators {
	var v Validators
	var keep []string
	for tag := range strings.SplitSeq(list, ",") {
		tag = strings.TrimSpace(tag)
		own, p, kind, marked := unmarkETag(tag)
		switch {
		case marked != (print != ""), marked && p != print:
		case kind == 'l':
			v.ByDate = true
		case marked:
			keep = append(keep, own)
		default:
			keep = append(keep, tag)
		}
	}
	v.ETags = strings.Join(keep, ", ")
	return v
}
