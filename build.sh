#!/bin/sh
# Builds discobot-hooks as it ships: ./build.sh [FILE], for GOOS and GOARCH. A
# plain go build gives the same program, a megabyte larger.
#
# The webhooks' HTTP client is what makes it large. HTTP/2 goes: half a megabyte
# that no receiver needs. Inlining stays where it makes a start quick, and goes
# where it only makes code long: TLS, YAML, shell syntax. That is 0.7 MB for
# nothing that a clock shows; without it in the runtime a start costs a fifth more.
set -eu
out=${1:-discobot-hooks}
case $out in /*) ;; *) out=$PWD/$out ;; esac
cd "$(dirname "$0")"
CGO_ENABLED=0 exec go build -trimpath -tags nethttpomithttp2 -ldflags='-s -w -funcalign=16' \
	-gcflags=all=-l -gcflags=runtime= -gcflags=internal/...= -gcflags=sync/...= \
	-gcflags=discobot-hooks/internal/worktree= -gcflags=discobot-hooks/internal/gitindex= \
	-o "$out" ./cmd/discobot-hooks
