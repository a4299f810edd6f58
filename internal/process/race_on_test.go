//go:build race

package process

// floodMB is small here: the race detector makes byte loops fifty times slower.
const floodMB = 20
