#!/bin/sh
#---
# name: formatted, vetted, and it builds for every system
# type: pre-commit
#---
unformatted=$(git ls-files -z -- '*.go' | xargs -0 -r gofmt -l) || exit
test -z "$unformatted" || { printf '%s: run gofmt -w on it\n' $unformatted; exit 1; }
go vet ./... && GOOS=darwin GOARCH=arm64 go build -o /dev/null ./cmd/discobot-hooks
