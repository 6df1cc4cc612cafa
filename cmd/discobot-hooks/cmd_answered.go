package main

import (
	"os"

	"github.com/spf13/cobra"

	"discobot-hooks/internal/approval"
)

const (
	answeredName = "answered"

	// listenerFD is where [app.linger] hands the listener over.
	listenerFD = 3
)

const answeredLong = `Tell whoever follows the link of an approval that it was used, for a minute. Not
for people.`

func (a *app) answeredCommand() *cobra.Command {
	return &cobra.Command{
		Use: answeredName + " FILE", Hidden: true, Long: answeredLong, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return approval.ServeAnswered(cmd.Context(), os.NewFile(listenerFD, "listener"), args[0], approval.LingerFor)
		},
	}
}

// linger has another process do that, so that the event's verdict need not
// wait for a minute.
func (a *app) linger(listener *os.File, file string) error {
	cmd := a.background(answeredName, file)
	cmd.Dir = "/" // nobody's workspace is in use for it
	cmd.ExtraFiles = []*os.File{listener}
	return start(cmd)
}
