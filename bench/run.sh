#!/bin/sh
# Builds the program and times it; see README.md beside this file.
set -eu
cd "$(dirname "$0")/.."
exec go run ./bench "$@"
