package main

import (
	"math"

	"golang.org/x/sys/unix"
)

// keepDescriptorsFromHooks closes every descriptor but the first three in
// what we start: what the container's runtime left open is not the hooks'.
func keepDescriptorsFromHooks() {
	// An error means a kernel before 5.11; the descriptors then stay open.
	_ = unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
}

// selfPath runs this very binary, also where the user may not enter the
// directory it lies in, or it was replaced meanwhile.
func selfPath() string { return "/proc/self/exe" }
