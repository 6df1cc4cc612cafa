package run

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"discobot-hooks/hook"
	"discobot-hooks/internal/account"
	"discobot-hooks/internal/git"
)

// rootPath is the PATH of root hooks: fixed, so that nothing the user can
// write to comes first.
const rootPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// sessionAllowed are the variables that session hooks get from the
// container's environment. All others may be secrets meant for the agent, or
// steer a loader (LD_PRELOAD, BASH_ENV): a hook names in `pass_env` what else
// it needs.
var sessionAllowed = []string{
	"LANG", "TERM", "TZ", "TMPDIR",
	"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy",
	"HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY",
}

// SessionEnv is the environment of a session hook that runs as this account,
// made from the container's. A root hook (asRoot) has a PATH of its own; a
// user hook has the container's, whoever the user is. The caller adds the
// hook's own DISCOBOT_*.
func SessionEnv(container []string, as account.Account, home string, asRoot bool, passEnv []string) []string {
	path := "PATH=" + rootPath
	var env []string
	for _, entry := range container {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case name == "PATH" && !asRoot:
			path = entry
		case isIdentity(name), name == "PATH":
		case slices.Contains(sessionAllowed, name), slices.Contains(passEnv, name),
			strings.HasPrefix(name, "LC_"), strings.HasPrefix(name, "DISCOBOT_"):
			env = append(env, entry)
		}
	}
	return append(env, path, "HOME="+home, "USER="+as.Name, "LOGNAME="+as.Name, "SHELL="+as.Shell)
}

// BareEnv is of an environment what every program needs, and ours: nothing in
// it is a secret or steers a loader. XDG_CONFIG_HOME says where configuration
// lies (XDG Base Directory Specification), as HOME does.
func BareEnv(env []string) []string {
	var out []string
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case isIdentity(name), slices.Contains([]string{"PATH", "LANG", "TERM", "TZ", "TMPDIR", "XDG_CONFIG_HOME"}, name),
			strings.HasPrefix(name, "LC_"), strings.HasPrefix(name, "DISCOBOT_"):
			out = append(out, entry)
		}
	}
	return out
}

// isIdentity tells whether a variable says who one is: those are made anew,
// whatever the container has.
func isIdentity(name string) bool {
	return name == "HOME" || name == "USER" || name == "LOGNAME" || name == "SHELL"
}

// InheritedEnv is the environment of file and git hooks: ours, less what
// would send a git that the hook runs to another repository or index.
func InheritedEnv(ours []string) []string { return git.Environ(ours) }

// HookEnv are the variables that every hook gets.
func HookEnv(h hook.Hook, session, workspace string) []string {
	return []string{
		"DISCOBOT_HOOK_TYPE=" + h.Type(),
		"DISCOBOT_HOOK_ID=" + h.ID,
		"DISCOBOT_SESSION_ID=" + session,
		"DISCOBOT_WORKSPACE=" + workspace,
	}
}

// LookPath is the program's path as execvp(3) finds it in env's PATH; where it
// does not, the name itself, for the kernel to refuse.
func LookPath(name string, env []string) string {
	if strings.Contains(name, "/") {
		return name
	}
	for _, entry := range slices.Backward(env) {
		path, ok := strings.CutPrefix(entry, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(path) {
			if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(found) {
				return found
			}
		}
		break
	}
	return name
}
