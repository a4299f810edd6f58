//go:build !race

package process

// floodMB is how much the flood test's child writes.
const floodMB = 500
