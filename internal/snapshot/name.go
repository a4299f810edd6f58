package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// longest is the longest name of a snapshot.
const longest = 64

// devices are names that Windows keeps for itself, whatever their ending.
var devices = []string{
	"con", "prn", "aux", "nul",
	"com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
	"lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
}

// CheckName accepts names that are one folder on every system.
func CheckName(name string) error {
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	switch {
	case name == "":
		return errors.New("name: is empty")
	case len(name) > longest:
		return fmt.Errorf("name: at most %d characters", longest)
	case strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != "":
		return fmt.Errorf("name: letters, digits, dot, dash and underscore only, got %q", name)
	case strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") || strings.HasSuffix(name, "."):
		return fmt.Errorf("name: begins with a letter, digit or underscore and does not end with a dot, got %q", name)
	case slices.Contains(devices, stem):
		return fmt.Errorf("name: %q is kept by Windows for a device", name)
	}
	return nil
}

// fileName is what the picture of a page in a viewport is kept as: readable,
// and different for different pages on systems that ignore case too.
func fileName(page, viewport string) string {
	const most = 60
	var b strings.Builder
	exact := true
	for _, r := range strings.Trim(page, "/") {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case r == '/' && b.Len() > 0:
			b.WriteByte('_')
		default:
			exact = false
			if s := b.String(); s != "" && !strings.HasSuffix(s, "-") {
				b.WriteByte('-')
			}
		}
	}
	stem := b.String()
	switch {
	case page == "/":
		stem = "index"
	case !exact || len(stem) > most || stem == "" || stem == "index" || page != "/"+strings.Trim(page, "/"):
		sum := sha256.Sum256([]byte(page))
		stem = strings.Trim(stem[:min(len(stem), most)], "-_") + "-" + hex.EncodeToString(sum[:3])
		stem = strings.TrimPrefix(stem, "-")
	}
	return stem + "." + strings.NewReplacer(" ", "-", "@", "at").Replace(viewport) + ".png"
}
