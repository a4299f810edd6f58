// Package keep is what an engine leaves on disk for the next one.
package keep

import (
	"crypto/rand"
	"fmt"
	"os"
)

// Secret reads the secret of this user's engines, from which the keys of pages
// are made, or makes it.
func Secret(path string) ([]byte, error) {
	const length = 32
	if secret, err := os.ReadFile(path); err == nil && len(secret) == length {
		return secret, nil
	}
	secret := make([]byte, length)
	rand.Read(secret) // never fails
	if err := os.WriteFile(path, secret, 0o600); err != nil {
		return nil, fmt.Errorf("keep the secret of pages: %w", err)
	}
	return secret, nil
}
