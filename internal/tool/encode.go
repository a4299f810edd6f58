package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// encode is JSON for a reader, not for a browser: <, > and & stay as they are.
func encode[T any](v T) string {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprintf(`{"error":"encode answer: %q"}`, err.Error())
	}
	return string(bytes.TrimRight(buf.Bytes(), "\n"))
}
