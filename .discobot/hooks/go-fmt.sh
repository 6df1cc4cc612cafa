#!/bin/sh
#---
# name: gofmt
# type: file
# pattern: "*.go"
# ignore: "**/testdata/**"
#---
# gofmt -l names files and exits 0, so an empty list is the test.
unformatted=$(xargs -0 -r gofmt -l < "$DISCOBOT_CHANGED_FILES_FILE") || exit
test -z "$unformatted" || { printf '%s: run gofmt -w on it\n' $unformatted; exit 1; }
