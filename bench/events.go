package main

import (
	"bytes"
	"fmt"
	"strings"
)

// The hooks do nothing; the second one is a script of its own, as most are.
var eventFiles = map[string]string{
	"workspace/noop.sh":                    "#!/bin/sh\nexit 0\n",
	"workspace/.system/hooks/builtin.yaml": "id: builtin\nevent_type: SessionStart\nhandler: {kind: script, command: \"true\"}\n",
	"workspace/.system/hooks/script.yaml":  "id: script\nevent_type: SessionEnd\nhandler: {kind: script, command: ./noop.sh}\n",
	"workspace/none.yaml":                  "hooks: {}\n",
	"workspace/shell.yaml":                 "hooks: {on_error: [{type: shell, command: ./noop.sh}]}\n",
	"workspace/webhook.yaml":               "hooks: {on_error: [{type: webhook, url: \"http://127.0.0.1:9/x\"}]}\n",
	"workspace/spawn.yaml":                 "hooks: {on_error: [{type: spawn, await: false, pipeline: x}]}\n",
	"workspace/scripts/engine.sh":          "#!/bin/sh\nexit 0\n",
}

// eventPairs compares what an orchestrator starts for an event with the bare
// command of the hook, and start-up alone with less.
func (at place) eventPairs() ([]pair, error) {
	for name, content := range eventFiles {
		if err := at.write(name, content); err != nil {
			return nil, err
		}
	}
	emit := func(event string) []string { return []string{"discobot-hooks", "emit", event} }
	version := in("workspace", []string{"discobot-hooks", "version"})
	sh := in("workspace", []string{"sh", "-c", "true"})
	pairs := []pair{
		{name: "emit, hook `true`", a: in("workspace", emit("SessionStart")), than: "sh -c true", b: sh, wanted: "A/B <= 3"},
		{name: "emit, hook `./noop.sh`", a: in("workspace", emit("SessionEnd")), than: "sh -c ./noop.sh", b: in("workspace", []string{"sh", "-c", "./noop.sh"}), wanted: "A/B <= 3"},
		{name: "version", a: version, than: "an empty Go program", b: in("workspace", []string{"empty"})},
		{name: "version", a: version, than: "sh -c true", b: sh},
	}
	nothing := in("workspace", append(emit("on_error"), "--stage", "none.yaml"))
	for _, kind := range []string{"shell", "webhook", "spawn"} {
		pairs = append(pairs, pair{
			name: "emit, " + kind + " that nobody awaits", a: in("workspace", append(emit("on_error"), "--stage", kind+".yaml")),
			than: "emit of nothing", b: nothing, wanted: "A-B <= 30 ms",
		})
	}
	for _, event := range []string{"SessionStart", "SessionEnd"} { // or we would time an emit that runs nothing
		var out bytes.Buffer
		if _, err := at.run("workspace", append(emit(event), "--json"), &out); err != nil {
			return nil, err
		}
		if !strings.Contains(out.String(), `"status": "ok"`) {
			return nil, fmt.Errorf("emit %s: no hook ran: %s", event, &out)
		}
	}
	return pairs, nil
}
