package agenthost

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestOpenCodePluginCarriesItsTimeout(t *testing.T) {
	t.Parallel()
	plain := openCodePlugin(0, false)
	if !bytes.Equal(plain, openCodeJS) || !bytes.Equal(plain, openCodePlugin(2*time.Minute, true)) {
		t.Error("openCodePlugin() of two minutes is not the file as it is")
	}
	long := string(openCodePlugin(5*time.Minute, false))
	for _, want := range []string{`["eval-turn", "--agent", "opencode", "--timeout", "5m0s"]`, "evalTurnMS = 310000\n"} {
		if !strings.Contains(long, want) {
			t.Errorf("openCodePlugin(5m) lacks %s", want)
		}
	}
}

const openCodeBlocks = `echo '{"decision":"block","reason":"fix it"}'`

// What the plugin does where all does not go well, which no test makes a real OpenCode do.
func TestOpenCodePlugin(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, program, steps string
		turns                []string // the user's message of each evaluation
		prompts              int
		log                  string // the only line's part
	}{
		{"two idle events of one stop are one evaluation", openCodeBlocks,
			`const e = await h.load(); h.turn(); await Promise.all([e(h.status("idle")), e(h.idle())]); await e(h.idle())`,
			[]string{"msg_1"}, 1, ""},
		{"the second idle event comes after the answer", "",
			`const e = await h.load(); h.turn(); await e(h.status("idle")); await e(h.idle())`,
			[]string{"msg_1"}, 0, ""},
		{"a version without the status event", openCodeBlocks,
			`const e = await h.load(); h.turn(); await e(h.idle())`,
			[]string{"msg_1"}, 1, ""},
		{"the user's copy and the project's are one hook", openCodeBlocks,
			`const [a, b] = [await h.load(), await h.load()]; h.turn(); await Promise.all([a(h.idle()), b(h.idle())])`,
			[]string{"msg_1"}, 1, ""},
		{"a re-prompt belongs to the turn of the user, also after a restart", openCodeBlocks,
			`const e = await h.load(); h.turn(); await e(h.idle()); h.message("assistant", { finish: "stop" })
			 delete globalThis[Symbol.for("discobot-hooks")]; await (await h.load())(h.idle())`,
			[]string{"msg_1", "msg_1"}, 2, ""},
		{"a compaction in between is no message of the user's", "",
			`const e = await h.load(); h.turn(); h.message("user", {}, [{ type: "compaction" }]); h.message("assistant", { summary: true, finish: "stop" })
			 h.message("user", {}, [{ type: "text", synthetic: true, text: "Continue" }]); h.message("assistant", { finish: "stop" }); await e(h.idle())`,
			[]string{"msg_1"}, 0, ""},
		{"a turn of many messages", "",
			`const e = await h.load(); h.turn({ finish: "tool-calls" }); for (let i = 0; i < 200; i++) h.message("assistant", { finish: "stop" }); await e(h.idle())`,
			[]string{"msg_1"}, 0, ""},
		{"no stop of the model's own", openCodeBlocks,
			`const e = await h.load(); await e(h.idle())
			 for (const info of [{ finish: "stop", error: { name: "MessageAbortedError" } }, { error: { name: "APIError" } }, {}, { finish: "stop", summary: true }]) { h.turn(info); await e(h.idle()) }
			 h.message("user"); await e(h.idle())`,
			nil, 0, ""},
		{"a subagent's session", openCodeBlocks,
			`h.sessions.ses_1.parentID = "ses_0"; const e = await h.load(); h.turn(); await e(h.idle())`,
			nil, 0, ""},
		{"a subagent that still works", openCodeBlocks,
			`const e = await h.load(); h.turn(); await e({ event: { type: "session.created", properties: { info: { id: "ses_2", parentID: "ses_1" } } } })
			 await e(h.status("busy", "ses_2")); await e(h.idle()); await e(h.status("idle", "ses_2")); h.turn(); await e(h.idle())`,
			[]string{"msg_3"}, 1, ""},
		{"the user has typed again meanwhile", "cat wait >/dev/null; " + openCodeBlocks,
			`const e = await h.load(); h.turn(); const first = e(h.idle()); await h.started(1); await e(h.status("busy")); h.message("user")
			 await go(); await first; h.message("assistant", { finish: "stop" }); await Promise.all([e(h.status("idle")), go()])`,
			[]string{"msg_1", "msg_3"}, 1, ""},
		{"another turn has ended meanwhile", "cat wait >/dev/null; " + openCodeBlocks,
			`const e = await h.load(); h.turn(); const first = e(h.idle()); await h.started(1); await e(h.status("busy")); h.turn(); await e(h.idle()); await e(h.idle())
			 await go(); await h.started(2); await go(); await first`,
			[]string{"msg_1", "msg_3"}, 1, ""},
		{"a crash", "echo broken >&2; exit 3",
			`const e = await h.load(); h.turn(); await e(h.idle()); h.turn(); await e(h.idle())`,
			[]string{"msg_1", "msg_3"}, 0, "discobot-hooks eval-turn --agent opencode: ended with 3: broken"},
		{"no JSON", "echo hello",
			`const e = await h.load(); h.turn(); await e(h.idle()); h.turn(); await e(h.idle())`,
			[]string{"msg_1", "msg_3"}, 0, "session.idle: discobot-hooks answered what is no JSON: hello"},
		{"OpenCode refuses the prompt", openCodeBlocks,
			`const e = await h.load(); h.client.session.promptAsync = async () => { throw new Error("no such session") }; h.turn(); await e(h.idle())`,
			[]string{"msg_1"}, 0, "session.idle: no such session"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := openCodeHost(t, openCodeJS, test.program, test.steps)
			if diff := cmp.Diff(test.turns, got.Turns); diff != "" {
				t.Errorf("evaluations mismatch (-want +got):\n%s", diff)
			}
			if len(got.Prompts) != test.prompts {
				t.Errorf("prompts = %+v, want %d", got.Prompts, test.prompts)
			}
			if log := strings.Join(got.Logs, "\n"); log != test.log {
				t.Errorf("log = %q, want %q, once", log, test.log)
			}
		})
	}
}

// A re-prompt without them would go from a plan that may not write to the agent that may.
func TestOpenCodeRepromptKeepsAgentAndModel(t *testing.T) {
	t.Parallel()
	got := openCodeHost(t, openCodeJS, openCodeBlocks, `const e = await h.load(); h.turn(); await e(h.idle())`)
	if len(got.Prompts) != 1 {
		t.Fatalf("prompts = %+v, want one", got.Prompts)
	}
	prompt := got.Prompts[0]
	if diff := cmp.Diff(map[string]string{"providerID": "p", "modelID": "m"}, prompt.Model); diff != "" || prompt.Agent != "plan" || prompt.Variant != "high" {
		t.Errorf("prompt = %+v", prompt)
	}
	if prompt.Parts[0].Text != "fix it" || prompt.Parts[0].Metadata["discobot-hooks"] != true {
		t.Errorf("prompt's part = %+v", prompt.Parts[0])
	}
}

func TestOpenCodeShowsNotes(t *testing.T) {
	t.Parallel()
	got := openCodeHost(t, openCodeJS, `echo '{"systemMessage":"no more re-prompts"}'`, `const e = await h.load(); h.turn(); await e(h.idle())`)
	if diff := cmp.Diff([]string{"no more re-prompts"}, got.Toasts); diff != "" {
		t.Errorf("toasts mismatch (-want +got):\n%s", diff)
	}
}

func TestOpenCodeSessionStartsOnce(t *testing.T) {
	t.Parallel()
	got := openCodeHost(t, openCodeJS, "", `const [a, b] = [await h.load(), await h.load()]
		const created = (info) => ({ event: { type: "session.created", properties: { info } } })
		await Promise.all([a(created({ id: "ses_1" })), b(created({ id: "ses_1" })), a(created({ id: "ses_2", parentID: "ses_1" }))])`)
	if len(got.Calls) != 1 || !strings.HasPrefix(got.Calls[0], `session --agent opencode {"session_id":"ses_1","cwd":"/`) || !strings.HasSuffix(got.Calls[0], `,"source":"startup"}`) {
		t.Errorf("calls = %q, want one", got.Calls)
	}
}

// The program is found by each user's own PATH, so it may be missing in a project that has the plugin.
func TestOpenCodeSaysOnceThatTheProgramIsMissing(t *testing.T) {
	t.Parallel()
	got := openCodeHost(t, openCodeJS, "missing", `const e = await h.load(); h.turn(); await e(h.idle()); h.turn(); await e(h.idle())`)
	if diff := cmp.Diff([]string{"discobot-hooks eval-turn --agent opencode: not found in PATH"}, got.Logs); diff != "" {
		t.Errorf("log mismatch (-want +got):\n%s", diff)
	}
}

// A child of a hook's may keep our output open for ever.
func TestOpenCodeDoesNotWaitForAnInheritedPipe(t *testing.T) {
	t.Parallel()
	start := time.Now()
	got := openCodeHost(t, openCodeJS, `sleep 60 & `+openCodeBlocks, `const e = await h.load(); h.turn(); await e(h.idle())`)
	if len(got.Prompts) != 1 || time.Since(start) > 30*time.Second {
		t.Errorf("prompts = %+v after %v, want one at once", got.Prompts, time.Since(start))
	}
}

func TestOpenCodeEndsTheGroupOfAHangingEvaluation(t *testing.T) {
	t.Parallel()
	plugin := bytes.Replace(openCodeJS, []byte(openCodeLimit), []byte("const evalTurnMS = 500"), 1)
	got := openCodeHost(t, plugin, `trap '' TERM; sleep 60 & echo $! >pid; wait`, `const e = await h.load(); h.turn(); await e(h.idle())
		h.seen.toasts.push(fs.readFileSync("pid", "utf8").trim())`)
	if diff := cmp.Diff([]string{"discobot-hooks eval-turn --agent opencode: ended after 0.5 s"}, got.Logs); diff != "" {
		t.Errorf("log mismatch (-want +got):\n%s", diff)
	}
	gone(t, got.Toasts[0])
}

// `opencode run` exits as soon as the model has stopped; the terminal interface
// runs plugins in a thread, which only hears that it is disposed of.
func TestOpenCodeTakesTheEvaluationWithIt(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]string{
		"exit":    `setImmediate(() => process.exit(0))`,
		"dispose": `await hooks.dispose(); await evaluation`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := openCodeHost(t, openCodeJS, `sleep 60 & echo $! >pid; echo x >ready; wait`, `const hooks = await h.hooks(); h.turn()
				const evaluation = hooks.event(h.idle())
				while (!fs.existsSync("ready")) await new Promise((resolve) => setTimeout(resolve, 10))
				h.seen.toasts.push(fs.readFileSync("pid", "utf8").trim()); `+leave)
			gone(t, got.Toasts[0])
		})
	}
}
