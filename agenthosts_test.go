package discobothooks_test

import "discobot-hooks/internal/loopback"

// errand is what a subagent is asked to do.
const errand = "Go and look at the notes."

// An agent is a real coding agent, and what it takes to run it against a model
// on loopback. In its texts {URL} is the model's address, {DIR} the project,
// {FILE} a text file in it.
type agent struct {
	name    string // as `connect` calls it
	program string
	args    []string // that come before what the user asks
	again   []string // the same, to go on with the last session
	env     []string
	home    map[string]string // the user's settings, by path
	tool    string            // one to look around with
	input   map[string]any    // for the tool
	shows   string            // of what the tool says
	task    loopback.Reply    // has a subagent do errand
	aside   loopback.Reply    // starts a command whose end wakes the agent; zero where none does
	report  loopback.Reply    // a subagent's last words; zero where any text will do
	escapes bool              // it brings the model our message as XML
}

func agents() []agent {
	return []agent{claude(), codex(), gemini(), qwen(), copilot()}
}

func claude() agent {
	return agent{
		name: "claude-code", program: "claude", args: []string{"--allowedTools", "Bash", "-p"}, again: []string{"--allowedTools", "Bash", "-c", "-p"},
		env: []string{
			"ANTHROPIC_BASE_URL={URL}", "ANTHROPIC_API_KEY=dummy",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
		},
		tool: "Read", input: map[string]any{"file_path": "{FILE}"}, shows: "bad notes",
		task:  loopback.Reply{Tool: "Agent", Input: map[string]any{"description": "look", "prompt": errand, "subagent_type": "claude"}},
		aside: loopback.Reply{Tool: "Bash", Input: map[string]any{"command": "sleep 1", "description": "wait", "run_in_background": true}},
	}
}

// codex trusts a hook only once its user has looked at it, which is not to be
// had without a terminal: hence the flag.
func codex() agent {
	return agent{
		name: "codex", program: "codex", args: []string{"exec", "--dangerously-bypass-hook-trust"},
		again: []string{"exec", "--dangerously-bypass-hook-trust", "resume", "--last"},
		env:   []string{"MODEL_KEY=dummy"},
		home: map[string]string{".codex/config.toml": `model_provider = "loopback"
model = "mock"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.loopback]
name = "loopback"
base_url = "{URL}/v1"
wire_api = "responses"
env_key = "MODEL_KEY"
[projects."{DIR}"]
trust_level = "trusted"
`},
		tool: "exec_command", input: map[string]any{"cmd": "cat {FILE}"}, shows: "bad notes", escapes: true,
		task: loopback.Reply{Tool: "multi_agent_v1.spawn_agent", Input: map[string]any{"message": errand}},
	}
}

func gemini() agent {
	return agent{
		name: "gemini-cli", program: "gemini", args: []string{"-m", "gemini-2.5-flash", "-p"},
		again: []string{"-m", "gemini-2.5-flash", "--resume", "latest", "-p"},
		env:   []string{"GEMINI_API_KEY=dummy", "GOOGLE_GEMINI_BASE_URL={URL}", "GEMINI_CLI_TRUST_WORKSPACE=true"},
		home: map[string]string{".gemini/settings.json": `{
			"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
			"privacy": {"usageStatisticsEnabled": false}, "general": {"enableAutoUpdate": false}}`},
		tool: "read_file", input: map[string]any{"file_path": "{FILE}"}, shows: "bad notes",
		task: loopback.Reply{Tool: "invoke_agent", Input: map[string]any{"agent_name": "codebase_investigator", "prompt": errand}},
		report: loopback.Reply{Tool: "complete_task", Input: map[string]any{"report": map[string]any{
			"SummaryOfFindings": "Notes.", "ExplorationTrace": []string{}, "RelevantLocations": []any{},
		}}},
	}
}

func qwen() agent {
	return agent{
		name: "qwen-code", program: "qwen", args: []string{"--yolo", "-p"}, again: []string{"--yolo", "-c", "-p"},
		env: []string{"OPENAI_API_KEY=dummy", "OPENAI_BASE_URL={URL}/v1", "OPENAI_MODEL=mock"},
		home: map[string]string{".qwen/settings.json": `{
			"security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": false}},
			"privacy": {"usageStatisticsEnabled": false}, "general": {"enableAutoUpdate": false}}`},
		tool: "glob", input: map[string]any{"pattern": "*.txt"}, shows: "notes.txt",
		task: loopback.Reply{Tool: "agent", Input: map[string]any{"description": "look", "prompt": errand, "subagent_type": "general-purpose"}},
	}
}

func copilot() agent {
	return agent{
		name: "copilot-cli", program: "copilot", args: []string{"-p"}, again: []string{"--continue", "-p"},
		env: []string{
			"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL={URL}/v1", "COPILOT_PROVIDER_API_KEY=dummy",
			"COPILOT_MODEL=mock", "COPILOT_ALLOW_ALL=true", "COPILOT_AUTO_UPDATE=false",
		},
		tool: "view", input: map[string]any{"path": "{FILE}"}, shows: "bad notes",
		task:  loopback.Reply{Tool: "task", Input: map[string]any{"name": "look", "description": "look", "prompt": errand, "agent_type": "general-purpose"}},
		aside: loopback.Reply{Tool: "bash", Input: map[string]any{"command": "sleep 1", "description": "wait", "mode": "async"}},
	}
}
