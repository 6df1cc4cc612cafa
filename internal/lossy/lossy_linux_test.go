package lossy

import (
	"io"
	"os"
	"strings"
	"testing"
)

// A pipe that nobody reads fills up: Write must come back, and say later how
// much is missing.
func TestUnreadPipeDoesNotBlock(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	log := &Writer{File: w}
	line := []byte(strings.Repeat("x", 29_999) + "\n") // longer than a pipe takes in one piece
	for range 20 {                                     // a pipe holds 64 KiB
		if n, err := log.Write(line); n != len(line) || err != nil {
			t.Fatalf("Write() = %d, %v", n, err)
		}
	}
	if log.dropped == 0 {
		t.Fatal("nothing was dropped: the pipe is larger than this test thinks")
	}
	dropped := log.dropped
	got := make(chan string)
	go func() {
		all, _ := io.ReadAll(r)
		got <- string(all)
	}()
	for log.dropped > 0 { // until the reader has made room
		if _, err := log.Write([]byte("last\n")); err != nil {
			t.Fatal(err)
		}
		dropped = max(dropped, log.dropped)
	}
	_ = w.Close()
	all := <-got
	if !strings.Contains(all, "lines of log dropped") || !strings.HasSuffix(all, "last\n") {
		t.Errorf("after %d dropped lines the log ends in %q", dropped, all[max(0, len(all)-100):])
	}
}
