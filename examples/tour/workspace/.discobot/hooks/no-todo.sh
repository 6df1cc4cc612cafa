#!/bin/sh
#---
# name: No TODO
# type: pre-commit
#---
! git grep --cached -n 'TODO:' -- '*.txt'
