#!/bin/sh
#---
# name: Go format check
# type: file
# pattern: "*.go"
#---
unformatted=$(gofmt -l $DISCOBOT_CHANGED_FILES)
test -z "$unformatted" || { printf '%s: formatting differs from gofmt\n' $unformatted; exit 1; }
