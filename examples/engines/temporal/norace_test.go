//go:build !race

package temporal_test

var raceFlags []string
