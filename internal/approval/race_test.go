//go:build race

package approval

// The race detector's shadow memory is no cost of ours.
const raceDetector = true
