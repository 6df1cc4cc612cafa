#!/bin/sh
# The tour: builds discobot-hooks and walks a scratch workspace through its
# whole day: container start, a turn that breaks a check, the re-prompt, the
# mended turn, a blocked commit, a commit. Each command is printed before its
# output, so that it can be copied. Needs Go and git; leaves nothing behind
# (TOUR_KEEP=1 keeps the workspace).
set -eu
exec 2>&1 # in order, also where this goes into a file

repo=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
[ -n "${TOUR_KEEP:-}" ] || trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/home" "$scratch/workspace"

# Nothing of this machine's git or session may leak into the tour.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE DISCOBOT_WORKSPACE DISCOBOT_STATE_DIR SESSION_ID
unset DISCOBOT_HOOKS DISCOBOT_HOOK_TIMEOUT DISCOBOT_ROOT_HOOKS DISCOBOT_USER
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL="$scratch/home/.gitconfig" DISCOBOT_SESSION_ID=tour
go=$(command -v go)
GOCACHE=$("$go" env GOCACHE) GOMODCACHE=$("$go" env GOMODCACHE) GOPATH=$("$go" env GOPATH)
export GOCACHE GOMODCACHE GOPATH

say() { printf '\n# %s\n' "$*"; }

# show COMMAND: prints it, runs it in the workspace, and prints its exit code
# where it is not 0. WANT is the code that the tour expects.
show() {
	printf '$ %s\n' "$1"
	code=0
	sh -c "$1" || code=$?
	[ "$code" -eq 0 ] || printf '(exit code %d)\n' "$code"
	[ "$code" -eq "${WANT:-0}" ] || { printf 'tour: exit code %d, want %d\n' "$code" "${WANT:-0}" >&2; exit 1; }
}

say "Build: one static binary."
printf '$ %s\n' "CGO_ENABLED=0 go build -o bin/discobot-hooks ./cmd/discobot-hooks"
(cd "$repo" && CGO_ENABLED=0 "$go" build -trimpath -ldflags='-s -w' -o "$scratch/bin/discobot-hooks" ./cmd/discobot-hooks)
export PATH="$scratch/bin:$PATH" HOME="$scratch/home" DISCOBOT_USER_HOME="$scratch/home"

say "A workspace: a git repository with three hooks."
cp -R "$repo/examples/tour/workspace/." "$scratch/workspace"
cd "$scratch/workspace"
chmod +x .discobot/hooks/*
git config --global user.name Tour
git config --global user.email tour@example.org
git init -q -b main
git add -A
git commit -qm "a workspace"
show "discobot-hooks list"
show "cat .discobot/hooks/go-fmt.sh"

say "The container starts: session hooks run first, then the agent (here: echo)."
show "discobot-hooks init --user $(id -u) --log-format console -- echo 'the agent runs'"

say "A turn of the LLM: it writes a file that is not formatted."
show "printf 'package main\n\nfunc main() {\nprintln(\"hello\")\n}\n' > main.go"
WANT=2 show "discobot-hooks eval-turn --turn user"
echo "# That message goes to the LLM, which mends the file:"
show "gofmt -w main.go"
show "discobot-hooks eval-turn"
echo "# Nothing to say: the turn is over."

say "A commit that the workspace's pre-commit hook does not like."
show "echo 'TODO: remember the milk' > notes.txt"
show "git add -A"
WANT=1 show "git commit -m 'add notes'"
show "echo 'The milk is here.' > notes.txt"
show "git add -A"
show "git commit -qm 'add notes' && git log --oneline"

say "What happened, and where the output is."
show "discobot-hooks status"
