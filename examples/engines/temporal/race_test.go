//go:build race

package temporal_test

// raceFlags has the programs checked for races as the tests are.
var raceFlags = []string{"-race"}
