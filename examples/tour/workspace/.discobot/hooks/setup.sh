#!/bin/sh
#---
# name: Set up
# type: session
#---
echo "hello from a session hook, as $(id -un), in $(basename "$PWD")"
