#!/bin/sh
#---
# name: vet and test of the changed packages
# type: file
# pattern: ["*.go", "testdata/**", "go.mod", "go.sum"]
#---
# A deleted package has nothing to test, and what lies in testdata is tested
# from the package above.
packages=$(tr '\0' '\n' < "$DISCOBOT_CHANGED_FILES_FILE" | while IFS= read -r file; do
	dir=$(dirname "./$file")
	case $dir in */testdata*) dir=${dir%%/testdata*} ;; esac
	if ls "$dir"/*.go > /dev/null 2>&1; then echo "$dir"; fi
done | sort -u)
test -n "$packages" || exit 0
go vet $packages && go test $packages
