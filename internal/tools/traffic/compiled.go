package traffic

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"oriel/internal/lazyre"
	"oriel/internal/sourcemap"
)

// compiledForm is a place in compiled code, as the helpers in the page write it:
// they know where a component was made, and no source maps.
var compiledForm = lazyre.New(`"([^"\\\s]{1,500}):(\d{1,7}):(\d{1,7}) \(compiled\)"`)

// Bounds of what one value may ask for.
const (
	mostCompiled     = 20
	compiledPatience = 3 * time.Second
)

// places leads a compiled place to its source.
type places interface {
	Place(ctx context.Context, address string, line, column int) sourcemap.Frame
}

// sourced puts the places in the source where a value has compiled ones. What
// cannot be led further stays, and still says what it is. base is where the
// page's own addresses begin.
func sourced(ctx context.Context, sources places, base string, value json.RawMessage) json.RawMessage {
	if !bytes.Contains(value, []byte(` (compiled)"`)) {
		return value
	}
	limited, cancel := context.WithTimeout(ctx, compiledPatience)
	defer cancel()
	var out []byte
	rest := 0
	for _, m := range compiledForm.Get().FindAllSubmatchIndex(value, mostCompiled) {
		address := string(value[m[2]:m[3]])
		line, _ := strconv.Atoi(string(value[m[4]:m[5]])) // they are digits, and few
		column, _ := strconv.Atoi(string(value[m[6]:m[7]]))
		if !strings.Contains(address, "://") {
			address = strings.TrimSuffix(base, "/") + "/" + strings.TrimPrefix(address, "/")
		}
		f := sources.Place(limited, address, line, column)
		if !f.Mapped {
			continue
		}
		text, err := json.Marshal(f.File + ":" + strconv.Itoa(f.Line))
		if err != nil {
			continue
		}
		out = append(append(out, value[rest:m[0]]...), text...)
		rest = m[1]
	}
	return append(out, value[rest:]...)
}
