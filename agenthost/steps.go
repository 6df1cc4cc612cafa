package agenthost

// Steps are what a person has to do, or should know, once [Host.Connect] has
// written the configuration.
func (h Host) Steps(o Options) []string {
	switch h.Name {
	case ClaudeCode:
		if o.User {
			return nil
		}
		return []string{"start Claude Code in " + o.Workspace + " itself: it does not read these settings when started in a directory below"}
	case Codex:
		steps := []string{"open /hooks in Codex and trust both hooks: it skips one that is new or has changed"}
		if !o.User {
			steps = append(steps, "trust the project when Codex asks: it skips the hooks of any other")
		}
		return steps
	case GeminiCLI:
		if o.User {
			return nil
		}
		return []string{
			"Gemini CLI warns once of a project's hooks that are new or have changed; ours are named discobot-hooks",
			"start Gemini CLI in " + o.Workspace + " itself: it does not read these settings when started in a directory below",
		}
	case QwenCode:
		if o.User {
			return nil
		}
		return []string{"start Qwen Code in " + o.Workspace + " itself: it does not read these settings when started in a directory below"}
	case CopilotCLI:
		return []string{"Copilot CLI runs the hooks of .claude/settings.json too: where both agents are connected it calls eval-turn twice, which counts once"}
	case Cursor:
		return []string{"Cursor runs the hooks of .claude/settings.json too, where its third-party hooks are on: eval-turn counts both calls once"}
	case Goose:
		if o.User {
			return nil
		}
		return []string{"start goose in " + o.Workspace + " itself: it does not look for plugins above the directory it is started in"}
	case OpenCode:
		return []string{"restart OpenCode: it reads plugins when it starts"}
	}
	return nil
}
