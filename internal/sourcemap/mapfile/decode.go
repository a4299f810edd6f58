// Package mapfile reads source maps as ECMA-426 defines them, plain and indexed,
// and finds them: in the last comment of a script, in its headers, and inside
// modules that a bundle evaluates.
//
// The decoder is our own because the module at hand panics on indices out of
// range, gives up on an index map with an empty section, takes the column
// offset of a section for all of its lines, and leads code without a source to
// the source before it. The tests hold it against that module where both are
// right.
package mapfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"oriel/internal/lazyre"
)

// Bounds of a map.
const (
	maxMapBytes = 64 << 20
	maxSegments = 8 << 20
	maxSections = 100_000
)

// mapJSON is a source map, plain or indexed, as ECMA-426 has it.
type mapJSON struct {
	Version        int       `json:"version"`
	SourceRoot     string    `json:"sourceRoot"`
	Sources        []string  `json:"sources"`
	SourcesContent []*string `json:"sourcesContent"`
	Names          []string  `json:"names"`
	Mappings       string    `json:"mappings"`
	IgnoreList     []int     `json:"ignoreList"`
	GoogleIgnore   []int     `json:"x_google_ignoreList"`
	Sections       []struct {
		Offset struct {
			Line   int `json:"line"`
			Column int `json:"column"`
		} `json:"offset"`
		Map *mapJSON `json:"map"`
	} `json:"sections"`
}

// Map is a decoded map: its sections by where they begin. A plain map is
// one section at 0:0.
type Map struct {
	sections []section
}

type section struct {
	line, column int // from 0
	sources      []Source
	names        []string
	lines        [][]segment // by generated line
}

// Source is one source of a map.
type Source struct {
	Name    string  // as the map has it, sourceRoot applied
	Content *string // nil: the map has none
	Vendor  bool    // the map says that it is others' code
}

// segment maps a stretch of a generated line. All count from 0.
type segment struct {
	column       int32
	source       int32 // -1: generated, belongs to no source
	line, origin int32
	name         int32 // -1: none
}

// Position is where a generated place came from.
type Position struct {
	Source       *Source
	Line, Column int // from 1
	// Name is what the source calls the token at the place, when the map says.
	Name string
}

var schemeForm = lazyre.New(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)

// guards keep a map from being run as a script.
var guards = [][]byte{[]byte(")]}'"), []byte(")]}")}

// Decode reads a source map.
func Decode(data []byte) (*Map, error) { return decodeWithin(data, maxSegments) }

func decodeWithin(data []byte, segments int) (*Map, error) {
	if len(data) > maxMapBytes {
		return nil, fmt.Errorf("decode source map: %d bytes, at most %d", len(data), maxMapBytes)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for _, guard := range guards {
		if bytes.HasPrefix(data, guard) {
			if i := bytes.IndexByte(data, '\n'); i >= 0 {
				data = data[i+1:]
			} else {
				data = data[len(guard):]
			}
			break
		}
	}
	var in mapJSON
	var mismatch *json.UnmarshalTypeError
	// A null among the names does not make the rest useless.
	if err := json.Unmarshal(data, &in); err != nil && (!errors.As(err, &mismatch) || mismatch.Field == "") {
		return nil, fmt.Errorf("decode source map: %w", err)
	}
	if in.Version != 3 {
		return nil, fmt.Errorf("decode source map: version %d, want 3", in.Version)
	}
	m, err := in.decode(segments)
	if err != nil {
		return nil, fmt.Errorf("decode source map: %w", err)
	}
	return m, nil
}

func (in *mapJSON) decode(left int) (*Map, error) {
	if len(in.Sections) > maxSections {
		return nil, fmt.Errorf("%d sections, at most %d", len(in.Sections), maxSections)
	}
	if len(in.Sections) == 0 {
		s, err := in.section(&left)
		return &Map{[]section{s}}, err
	}
	m := new(Map)
	for _, part := range in.Sections {
		if part.Map == nil || part.Offset.Line < 0 || part.Offset.Column < 0 {
			continue
		}
		s, err := part.Map.section(&left)
		if err != nil {
			return nil, err
		}
		s.line, s.column = part.Offset.Line, part.Offset.Column
		m.sections = append(m.sections, s)
	}
	slices.SortStableFunc(m.sections, func(a, b section) int {
		if a.line != b.line {
			return a.line - b.line
		}
		return a.column - b.column
	})
	return m, nil
}

func (in *mapJSON) section(left *int) (section, error) {
	s := section{names: in.Names, sources: make([]Source, len(in.Sources))}
	for i, name := range in.Sources {
		if in.SourceRoot != "" && !schemeForm.MatchString(name) && !strings.HasPrefix(name, "/") {
			name = strings.TrimSuffix(in.SourceRoot, "/") + "/" + name
		}
		s.sources[i].Name = name
		if i < len(in.SourcesContent) {
			s.sources[i].Content = in.SourcesContent[i]
		}
	}
	for _, i := range append(in.IgnoreList, in.GoogleIgnore...) {
		if i >= 0 && i < len(s.sources) {
			s.sources[i].Vendor = true
		}
	}
	return s, s.decodeMappings(in.Mappings, left)
}

// decodeMappings reads the base64 VLQ text. Segments that point outside the
// map's own lists are kept as belonging to nothing, so that they end what is
// before them.
func (s *section) decodeMappings(text string, left *int) error {
	d := vlq{text: text}
	var line []segment
	var src, row, col, name int32
	for {
		var fields [5]int32
		n, err := d.segment(&fields)
		if err != nil {
			return err
		}
		if n > 0 {
			if *left--; *left < 0 {
				return errTooMany
			}
			seg := segment{column: fields[0], source: -1, name: -1}
			if len(line) > 0 {
				seg.column += line[len(line)-1].column
			}
			if n >= 4 {
				src, row, col = src+fields[1], row+fields[2], col+fields[3]
				if src >= 0 && int(src) < len(s.sources) && row >= 0 && col >= 0 {
					seg.source, seg.line, seg.origin = src, row, col
				}
			}
			if n == 5 {
				if name += fields[4]; name >= 0 && int(name) < len(s.names) {
					seg.name = name
				}
			}
			line = append(line, seg)
		}
		switch end := d.next(); end {
		case ',':
		case ';', 0:
			// Lines without mappings cost memory too.
			if *left--; *left < 0 {
				return errTooMany
			}
			s.addLine(line)
			line = nil
			if end == 0 {
				return nil
			}
		default:
			return fmt.Errorf("%q in the mappings", end)
		}
	}
}

func (s *section) addLine(line []segment) {
	byColumn := func(a, b segment) int { return int(a.column) - int(b.column) }
	if !slices.IsSortedFunc(line, byColumn) {
		slices.SortStableFunc(line, byColumn)
	}
	s.lines = append(s.lines, slices.Clip(line))
}

// Find returns where a generated place came from; both count from 1.
func (m *Map) Find(line, column int) (Position, bool) {
	line, column = line-1, max(column-1, 0)
	i, _ := slices.BinarySearchFunc(m.sections, section{line: line, column: column + 1}, func(a, b section) int {
		if a.line != b.line {
			return a.line - b.line
		}
		return a.column - b.column
	})
	if i == 0 || line < 0 {
		return Position{}, false
	}
	s := &m.sections[i-1]
	if line == s.line {
		column -= s.column
	}
	if line -= s.line; line >= len(s.lines) {
		return Position{}, false
	}
	segments := s.lines[line]
	at, found := slices.BinarySearchFunc(segments, column, func(g segment, c int) int { return int(g.column) - c })
	for found && at+1 < len(segments) && int(segments[at+1].column) == column {
		at++ // of several at one place the last says where it goes on
	}
	if !found && at > 0 {
		at-- // the stretch that the place is in; before the first, the first
	}
	if at >= len(segments) || segments[at].source < 0 {
		return Position{}, false
	}
	g := segments[at]
	p := Position{Source: &s.sources[g.source], Line: int(g.line) + 1, Column: int(g.origin) + 1}
	if g.name >= 0 {
		p.Name = s.names[g.name]
	}
	return p, true
}

// Size is about how many bytes the map keeps.
func (m *Map) Size() int {
	n := 0
	for _, s := range m.sections {
		for _, l := range s.lines {
			n += 24 + 20*len(l)
		}
		for _, src := range s.sources {
			n += 48 + len(src.Name)
			if src.Content != nil {
				n += len(*src.Content)
			}
		}
		for _, name := range s.names {
			n += 16 + len(name)
		}
	}
	return n
}

// vlq reads the numbers of a mapping.
type vlq struct {
	text string
	at   int
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

var digits = func() (t [256]int8) {
	for i := range t {
		t[i] = int8(strings.IndexByte(alphabet, byte(i)))
	}
	return t
}()

var (
	errVLQ     = errors.New("broken number in the mappings")
	errTooMany = errors.New("too many mappings")
)

// segment reads the numbers up to a separator: 0, 1, 4 or 5 of them.
func (d *vlq) segment(fields *[5]int32) (int, error) {
	n := 0
	for d.at < len(d.text) && digits[d.text[d.at]] >= 0 {
		if n == len(fields) {
			return 0, errVLQ
		}
		var v, shift uint32
		for {
			if d.at == len(d.text) || shift > 30 {
				return 0, errVLQ
			}
			c := digits[d.text[d.at]]
			d.at++
			if c < 0 {
				return 0, errVLQ
			}
			v |= uint32(c&31) << shift
			shift += 5
			if c&32 == 0 {
				break
			}
		}
		fields[n] = int32(v >> 1)
		if v&1 != 0 {
			fields[n] = -fields[n]
		}
		n++
	}
	if n == 2 || n == 3 {
		return 0, errVLQ
	}
	return n, nil
}

// next takes the separator; 0 at the end.
func (d *vlq) next() byte {
	if d.at >= len(d.text) {
		return 0
	}
	d.at++
	return d.text[d.at-1]
}
