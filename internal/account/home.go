package account

import "os"

// HomeFor is the home of the user that init drops to: what the environment
// says outright, else the user database, else $HOME if it is that user's own
// (root's must not leak to the user), else the root directory.
func HomeFor(a Account, getenv func(string) string) string {
	if home := getenv("DISCOBOT_USER_HOME"); home != "" {
		return home
	}
	if a.Home != "" {
		return a.Home
	}
	if home := getenv("HOME"); home != "" {
		if uid, _, err := owner(home); err == nil && uid == a.UID {
			return home
		}
	}
	return "/"
}

// OwnHome is the home of whoever runs us: $HOME as given, the user database
// where it is unset, else the root directory.
func OwnHome(getenv func(string) string) string {
	if home := getenv("HOME"); home != "" {
		return home
	}
	if home := byUID(uint32(os.Geteuid())).Home; home != "" {
		return home
	}
	return "/"
}
