package run_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"discobot-hooks/internal/account"
	"discobot-hooks/run"
)

func TestSessionEnv(t *testing.T) {
	t.Parallel()
	container := []string{
		"PATH=/opt/bin:/bin", "HOME=/root", "USER=root", "API_KEY=secret", "LD_PRELOAD=/tmp/x.so", "BASH_ENV=/tmp/x",
		"LANG=C.UTF-8", "LC_TIME=C", "TZ=UTC", "TERM=xterm", "https_proxy=http://p", "HTTPS_PROXY=http://p",
		"DISCOBOT_ANYTHING=1", "GIT_DIR=/elsewhere", "WANTED=yes",
	}
	kept := []string{
		"LANG=C.UTF-8", "LC_TIME=C", "TZ=UTC", "TERM=xterm", "https_proxy=http://p", "HTTPS_PROXY=http://p",
		"DISCOBOT_ANYTHING=1",
	}
	user := account.Account{Name: "u", UID: 1000, Shell: "/bin/zsh"}
	root := account.Account{Name: "root", UID: 0, Shell: "/bin/sh"}
	tests := []struct {
		name string
		as   account.Account
		home string
		root bool
		pass []string
		want []string
	}{
		{"user", user, "/home/u", false, []string{"WANTED"}, append(append([]string{}, kept...),
			"WANTED=yes", "PATH=/opt/bin:/bin", "HOME=/home/u", "USER=u", "LOGNAME=u", "SHELL=/bin/zsh")},
		{"a user hook where the user is root", root, "/root", false, nil, append(append([]string{}, kept...),
			"PATH=/opt/bin:/bin", "HOME=/root", "USER=root", "LOGNAME=root", "SHELL=/bin/sh")},
		{"root has a PATH of its own", root, "/root", true, nil, append(append([]string{}, kept...),
			"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
			"HOME=/root", "USER=root", "LOGNAME=root", "SHELL=/bin/sh")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := run.SessionEnv(container, test.as, test.home, test.root, test.pass)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("SessionEnv() mismatch (-want +got):\n%s", diff)
			}
		})
	}
}
