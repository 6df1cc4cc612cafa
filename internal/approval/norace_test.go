//go:build !race

package approval

const raceDetector = false
