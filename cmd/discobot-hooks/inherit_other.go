//go:build !linux

package main

import "os"

// keepDescriptorsFromHooks does nothing: without init nobody hands us any.
func keepDescriptorsFromHooks() {}

func selfPath() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}
