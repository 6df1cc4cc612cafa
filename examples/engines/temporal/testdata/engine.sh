#!/bin/sh
# A local engine for the tests: SESSION_DIR PIPELINE INPUTS WORKSPACE. It notes
# in the workspace that it began, as "PROCESS_GROUP WORKER", does what the
# pipeline's name says and leaves a result.
set -eu
session=$1 pipeline=$2 inputs=$3 workspace=$4
child=$(basename "$session")
attempt() { wc -l <"$workspace/$child.begun"; }
await() { until [ -e "$workspace/$1" ]; do sleep 0.05; done; }

if [ "$pipeline" = stubborn ]; then trap '' TERM; fi
echo "$$ $DISCOBOT_TEST_WORKER" >>"$workspace/$child.begun"
: >"$workspace/seen-$DISCOBOT_TEST_WORKER"
if [ -e "$session/output.json" ]; then echo "a predecessor's output" >>"$workspace/$child.trouble"; fi
printf '{"half' >"$session/output.json"

case $pipeline in
wait | stubborn)
	await go & # one more member of the group
	await go
	;;
both) # until both workers have begun something
	await seen-a
	await seen-b
	;;
killed) # at the first attempt, by somebody else
	if [ "$(attempt)" -eq 1 ]; then kill -KILL $$; fi
	;;
fails)
	printf '{"why":"tests"}' >"$session/output.json"
	printf 'first\nno \033[1mgood\n' >&2
	exit 1
	;;
blocked) exit 2 ;;
large*)
	cp "$inputs" "$session/output.json"
	if [ "$pipeline" = large-fails ]; then exit 1; fi
	exit 0
	;;
half) exit 0 ;;
silent)
	rm "$session/output.json"
	exit 0
	;;
esac
printf '{"worker":"%s", "inputs":%s, "workspace":"%s"}\n' \
	"$DISCOBOT_TEST_WORKER" "$(cat "$inputs")" "$DISCOBOT_WORKSPACE" >"$session/output.json"
