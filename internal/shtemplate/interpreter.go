package shtemplate

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// An interpreter runs text that it is given.
type interpreter struct {
	code  string // the option letters whose argument is a program
	takes string // the option letters with another argument
	first bool   // without such an option the first operand is the program
	from  int    // all operands from this one on are; 0: none
	stdin bool   // without program or file it reads one from standard input
	late  bool   // options may come after operands
}

// never is more operands than anyone gives: none is a program, nor a file.
const never = 1 << 20

func interpreterOf(name string) (interpreter, bool) {
	switch strings.TrimRight(name, "0123456789.") {
	case "sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "fish", "csh", "tcsh":
		return interpreter{code: "c", takes: "oO", stdin: true}, true
	case "su", "runuser":
		return interpreter{code: "c", takes: "gGsw", stdin: true, late: true}, true
	case "script", "flock":
		return interpreter{code: "c", takes: "wEIOBTmo", late: true}, true
	case "env":
		return interpreter{code: "S", takes: "uC"}, true
	case "python", "pypy":
		return interpreter{code: "c", takes: "mWX", stdin: true}, true
	case "node", "bun", "deno":
		return interpreter{code: "ep", takes: "r", stdin: true}, true
	case "perl", "ruby":
		return interpreter{code: "eE", takes: "I", stdin: true}, true
	case "lua", "Rscript", "osascript":
		return interpreter{code: "e", takes: "l", stdin: true}, true
	case "php":
		return interpreter{code: "rBRE", takes: "cdz", stdin: true}, true
	case "psql", "mysql", "mariadb":
		return interpreter{code: "ce", takes: "dhUuP", stdin: true, late: true, from: never}, true
	case "sqlite":
		return interpreter{from: 2, stdin: true}, true
	case "sed":
		return interpreter{code: "e", takes: "fl", first: true}, true
	case "awk", "gawk", "mawk", "nawk":
		return interpreter{code: "e", takes: "vFf", first: true}, true
	case "jq":
		return interpreter{takes: "fL", first: true}, true
	case "ssh":
		return interpreter{takes: "BbcDEeFIiJLlmOopQRSWw", from: 2, stdin: true}, true
	case "watch":
		return interpreter{takes: "n", from: 1}, true
	case "make", "gmake", "parallel", "tmux", "screen":
		return interpreter{from: 1}, true
	case "at", "batch", "crontab", "ed", "ex", "m":
		return interpreter{stdin: true, from: never}, true
	}
	return interpreter{}, false
}

// wrappers run the command that their own arguments name, after options;
// runners do so somewhere.
const (
	wrappers = " exec env sudo doas nohup nice time xargs setsid stdbuf ionice strace ltrace setpriv busybox "
	runners  = wrappers + " timeout find chroot unshare nsenter flock script runuser chrt taskset systemd-run parallel docker podman kubectl ssh "
)

func wraps(name string) bool    { return name != "" && strings.Contains(wrappers, " "+name+" ") }
func isRunner(name string) bool { return name != "" && strings.Contains(runners, " "+name+" ") }

func isStdin(text string) bool {
	return text == "-" || text == "/dev/stdin" || strings.HasPrefix(text, "/dev/fd/") || strings.HasPrefix(text, "/proc/self/fd/")
}

// fedTo says who reads a command's standard input as a program. Parts of it
// that have an input of their own are left out.
func fedTo(cmd syntax.Command) (who string) {
	if cmd == nil {
		return ""
	}
	syntax.Walk(cmd, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.BinaryCmd:
			if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
				who = fedTo(n.X.Cmd)
				return false
			}
		case *syntax.Stmt:
			for _, r := range n.Redirs {
				if r.N == nil && (r.Op == syntax.RdrIn || r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc) {
					return false
				}
			}
		case *syntax.CallExpr:
			if who == "" {
				who = fedToCall(n)
			}
		}
		return who == ""
	})
	return who
}

func fedToCall(call *syntax.CallExpr) string {
	name, args := program(call)
	if len(call.Args) > maxArguments {
		return "is given to a command with too many arguments to look at, and which may parse it"
	}
	if name == "" {
		return "is given to a command whose name only the shell knows, and which may parse it"
	}
	if who := fedToProgram(name, args, false); who != "" || !isRunner(name) {
		return who
	}
	for i, word := range args {
		text, _ := static(word)
		base := path.Base(text)
		if who := fedToProgram(base, args[i+1:], name == "xargs"); who != "" {
			return who
		}
		if _, ok := interpreterOf(base); ok && name == "xargs" && replaces(args) {
			return "is parsed again, as a program, by " + base
		}
	}
	return ""
}

// fedToProgram is for a program and its arguments, to which xargs adds some.
func fedToProgram(name string, args []*syntax.Word, more bool) string {
	in, _ := interpreterOf(name)
	_, stdin := in.roles(args)
	if more {
		stdin = in.runs(append(args[:len(args):len(args)], &syntax.Word{}), len(args))
	}
	for i, arg := range args {
		text, _ := static(arg)
		switch name {
		case ".", "source":
			stdin = stdin || i == 0 && isStdin(text)
		case "make", "gmake", "sed", "awk", "gawk", "mawk", "nawk":
			option := ""
			if i > 0 {
				option, _ = static(args[i-1])
			}
			named := isStdin(text) && (option == "-f" || option == "--file" || option == "--makefile")
			stdin = stdin || named || text == "-f-" || text == "--file=-" || text == "--makefile=-"
		}
	}
	if stdin {
		return "is parsed again, as a program, by " + name
	}
	return ""
}

// replaces tells of xargs with -I, which puts its input into any argument.
func replaces(args []*syntax.Word) bool {
	for _, arg := range args {
		text, _ := static(arg)
		if strings.HasPrefix(text, "-I") || strings.HasPrefix(text, "-i") || strings.HasPrefix(text, "--replace") {
			return true
		}
	}
	return false
}
