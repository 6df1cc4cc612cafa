package engine

import (
	"discobot-hooks/internal/variables"
	"strconv"
	"strings"
	"time"
)

// values are the design's variables at one moment.
type values struct {
	session, stage, nextStage string
	stageFile, pipelineFile   string
	iteration, maxIterations  int
	lastDecision, err         string
	changed                   []string
	outputs                   outputs

	// What hooks leave for those that come after them.
	lastHookStatus, hookResponse, spawnOutput any
}

// carry takes over what a point's hooks left.
func (v *values) carry(result map[string]any) {
	for name, to := range map[string]*any{
		"last_hook_status": &v.lastHookStatus, "hook_response": &v.hookResponse, "spawn_output": &v.spawnOutput,
	} {
		if value, ok := result[name]; ok {
			*to = value
		}
	}
}

// data are the values as a hook point gets them, and context.json.
func (v *values) data(dir folder) map[string]any {
	changed := make([]any, len(v.changed))
	for i, path := range v.changed {
		changed[i] = path
	}
	return map[string]any{
		"session": v.session, "stage": v.stage, "next_stage": v.nextStage,
		"iteration": v.iteration, "max_iterations": v.maxIterations,
		"progress": dir.path(progressFile), "status": dir.path(statusFile), "ctx": dir.path(contextFile),
		"last_decision": v.lastDecision, "changed_files": changed, "stage_outputs": v.outputs.json(), "error": v.err,
		"last_hook_status": orEmpty(v.lastHookStatus), "hook_response": orEmpty(v.hookResponse), "spawn_output": orEmpty(v.spawnOutput),
		"session_dir": string(dir), "stage_file": v.stageFile, "pipeline_file": v.pipelineFile,
	}
}

// environ are the variables as a command gets them. All are there, empty ones
// too: what the caller's environment has under these names is something else.
func (v *values) environ(dir folder) ([]string, error) {
	env, err := variables.Environ([]variables.Variable{
		{Name: "SESSION", Value: v.session}, {Name: "STAGE", Value: v.stage}, {Name: "NEXT_STAGE", Value: v.nextStage},
		{Name: "ITERATION", Value: strconv.Itoa(v.iteration)}, {Name: "MAX_ITERATIONS", Value: strconv.Itoa(v.maxIterations)},
		{Name: "PROGRESS", Value: dir.path(progressFile)}, {Name: "STATUS", Value: dir.path(statusFile)}, {Name: "CTX", Value: dir.path(contextFile)},
		{Name: "LAST_DECISION", Value: v.lastDecision}, {Name: "LAST_HOOK_STATUS", Value: variables.Text(v.lastHookStatus)},
		{Name: "CHANGED_FILES", Value: strings.Join(v.changed, "\n")}, {Name: "STAGE_OUTPUTS", Value: v.outputs.json()},
		{Name: "ERROR", Value: v.err}, {Name: "TIMESTAMP", Value: time.Now().UTC().Format(time.RFC3339)}, {Name: "CALLBACK_URL"},
		{Name: "HOOK_RESPONSE", Value: variables.Text(v.hookResponse)}, {Name: "SPAWN_OUTPUT", Value: variables.Text(v.spawnOutput)},
		{Name: "SESSION_DIR", Value: string(dir)},
	}, func(long variables.Variable) (string, error) {
		whole := "values/" + long.Name
		return dir.path(whole), dir.replace(whole, []byte(long.Value))
	})
	return append([]string{"STAGE_OUTPUTS_FILE="}, env...), err // of equal names the last one counts
}

func orEmpty(value any) any {
	if value == nil {
		return ""
	}
	return value
}
