package session

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"discobot-hooks/internal/account"
)

// A RootPolicy says which root hooks may run. An agent owns its workspace, so
// by default what it writes there runs as root at the next start; these are
// the walls for those who want one.
type RootPolicy string

// The values of DISCOBOT_ROOT_HOOKS. Empty is AllowRoot.
const (
	AllowRoot     RootPolicy = "allow"
	CommittedRoot RootPolicy = "committed" // HEAD holds the same bytes; an agent that may commit can pass
	PinnedRoot    RootPolicy = "pinned"    // PinsFile holds the SHA-256
	DenyRoot      RootPolicy = "deny"
)

// PinsFile holds the checksums of the root hooks that may run, one a line in
// sha256sum's format. It must be root's, and writable by root alone.
const PinsFile = "/etc/discobot-hooks/pins"

// ParseRootPolicy reads DISCOBOT_ROOT_HOOKS. What it does not know denies.
func ParseRootPolicy(text string) (RootPolicy, error) {
	switch p := RootPolicy(text); p {
	case "":
		return AllowRoot, nil
	case AllowRoot, CommittedRoot, PinnedRoot, DenyRoot:
		return p, nil
	}
	return DenyRoot, fmt.Errorf("read DISCOBOT_ROOT_HOOKS: %q: want allow, committed, pinned or deny; no root hook runs", text)
}

// refusal is why the policy keeps a script with this SHA-256 from running, or
// nothing.
func (p RootPolicy) refusal(sha string, committed bool) string {
	switch p {
	case AllowRoot:
		return ""
	case CommittedRoot:
		if committed {
			return ""
		}
		return "DISCOBOT_ROOT_HOOKS=committed, and the file differs from HEAD"
	case PinnedRoot:
		pinned, err := isPinned(PinsFile, sha)
		if err != nil {
			return "DISCOBOT_ROOT_HOOKS=pinned: " + err.Error()
		}
		if pinned {
			return ""
		}
		return fmt.Sprintf("DISCOBOT_ROOT_HOOKS=pinned, and %s has no %s", PinsFile, sha)
	}
	return "DISCOBOT_ROOT_HOOKS=deny"
}

func isPinned(path, sum string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("read pins: %w", err)
	}
	defer f.Close() // read only
	if !account.OnlyRootWrites(f) {
		return false, fmt.Errorf("read pins: %s: must belong to root and be writable by root alone", path)
	}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if pin, _, _ := strings.Cut(lines.Text(), " "); strings.EqualFold(pin, sum) {
			return true, nil
		}
	}
	return false, lines.Err()
}
