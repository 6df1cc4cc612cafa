// Package account finds out whom to become: from a name, a uid, or the owner
// of a directory.
//
// With CGO off, os/user reads /etc/passwd and /etc/group itself, so a
// container image needs neither nsswitch nor a C library.
package account

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"
)

// DefaultName is the user that a container's processes run as where nothing
// else is said and it exists.
const DefaultName = "discobot"

const defaultShell = "/bin/sh"

// An Account is a user as a process needs it.
type Account struct {
	Name   string // the number in decimal where the database has no name
	UID    uint32
	GID    uint32
	Groups []uint32 // supplementary, GID among them; not empty
	Home   string   // empty where the database does not say
	Shell  string
}

// Lookup finds the account that spec names: a name, a uid, or uid:gid. A uid
// need not be in the user database; without gid its group is then the one of
// the same number, never root's by accident.
func Lookup(spec string) (Account, error) {
	uidText, gidText, hasGroup := strings.Cut(spec, ":")
	uid, err := strconv.ParseUint(uidText, 10, 32)
	if err != nil {
		if hasGroup {
			return Account{}, fmt.Errorf("look up user %q: want a name, a uid or uid:gid", spec)
		}
		return byName(spec)
	}
	account := byUID(uint32(uid))
	if !hasGroup {
		return account, nil
	}
	gid, err := strconv.ParseUint(gidText, 10, 32)
	if err != nil {
		return Account{}, fmt.Errorf("look up user %q: want a name, a uid or uid:gid", spec)
	}
	account.GID = uint32(gid)
	account.Groups = []uint32{uint32(gid)}
	return account, nil
}

// Default is the account for a workspace where none is named: [DefaultName]
// if it exists, else the owner of the workspace.
func Default(workspace string) (Account, error) {
	if account, err := byName(DefaultName); err == nil {
		return account, nil
	}
	uid, gid, err := owner(workspace)
	if err != nil {
		return Account{}, fmt.Errorf("look up owner of workspace: %w", err)
	}
	account := byUID(uid)
	if account.Name == strconv.FormatUint(uint64(uid), 10) {
		account.GID, account.Groups = gid, []uint32{gid}
	}
	return account, nil
}

// Current is the account that this process runs as.
func Current() Account {
	account := byUID(uint32(os.Geteuid()))
	account.GID = uint32(os.Getegid())
	return account
}

// Root is the superuser. Its home is /root where the database does not say.
func Root() Account {
	root := byUID(0)
	if root.Home == "" {
		root.Home = "/root"
	}
	if root.Name == "0" {
		root.Name = "root"
	}
	return root
}

func byName(name string) (Account, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return Account{}, &unknownError{name}
	}
	return fromDatabase(u)
}

// unknownError is about a name that the user database does not have.
type unknownError struct{ name string }

func (e *unknownError) Error() string {
	return fmt.Sprintf("look up user %q: not in the user database", e.name)
}

// Hint says how else to name a user.
func (e *unknownError) Hint() string {
	return "--user and DISCOBOT_USER take a name, a uid or uid:gid; a uid need not be in /etc/passwd"
}

func byUID(uid uint32) Account {
	number := strconv.FormatUint(uint64(uid), 10)
	if u, err := user.LookupId(number); err == nil {
		if account, err := fromDatabase(u); err == nil {
			return account
		}
	}
	return Account{Name: number, UID: uid, GID: uid, Groups: []uint32{uid}, Shell: defaultShell}
}

func fromDatabase(u *user.User) (Account, error) {
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return Account{}, fmt.Errorf("look up user %q: uid: %w", u.Username, err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return Account{}, fmt.Errorf("look up user %q: gid: %w", u.Username, err)
	}
	account := Account{Name: u.Username, UID: uint32(uid), GID: uint32(gid), Home: u.HomeDir, Shell: shellOf(u.Username)}
	account.Groups = []uint32{account.GID}
	ids, err := u.GroupIds()
	if err != nil {
		return account, nil // no /etc/group: the primary group is all there is
	}
	for _, id := range ids {
		if g, err := strconv.ParseUint(id, 10, 32); err == nil && uint32(g) != account.GID {
			account.Groups = append(account.Groups, uint32(g))
		}
	}
	return account, nil
}

// shellOf reads the seventh field of passwd(5), which os/user leaves out.
func shellOf(name string) string {
	content, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return defaultShell
	}
	for line := range strings.Lines(string(content)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), ":")
		if len(fields) == 7 && fields[0] == name && fields[6] != "" {
			return fields[6]
		}
	}
	return defaultShell
}
