package engine

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// maxValueBytes is what a variable or argument holds: Linux takes none over
// 128 KiB (execve(2), MAX_ARG_STRLEN).
const maxValueBytes = 96 << 10

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
// A value too long for the environment is cut, and is whole in the file that
// NAME_FILE names.
func (v *values) environ(dir folder) ([]string, error) {
	of := map[string]string{
		"SESSION": v.session, "STAGE": v.stage, "NEXT_STAGE": v.nextStage,
		"ITERATION": strconv.Itoa(v.iteration), "MAX_ITERATIONS": strconv.Itoa(v.maxIterations),
		"PROGRESS": dir.path(progressFile), "STATUS": dir.path(statusFile), "CTX": dir.path(contextFile),
		"LAST_DECISION": v.lastDecision, "LAST_HOOK_STATUS": text(v.lastHookStatus),
		"CHANGED_FILES": strings.Join(v.changed, "\n"), "STAGE_OUTPUTS": v.outputs.json(),
		"ERROR": v.err, "TIMESTAMP": time.Now().UTC().Format(time.RFC3339), "CALLBACK_URL": "",
		"HOOK_RESPONSE": text(v.hookResponse), "SPAWN_OUTPUT": text(v.spawnOutput),
		"SESSION_DIR": string(dir),
	}
	env := []string{"STAGE_OUTPUTS_FILE="} // of equal names the last one counts
	for name, value := range of {
		value = strings.ReplaceAll(value, "\x00", "") // no program can be given one
		if len(value) > maxValueBytes {
			whole := "values/" + name
			if err := dir.replace(whole, []byte(value)); err != nil {
				return nil, fmt.Errorf("hand over %s: %w", name, err)
			}
			env = append(env, name+"_FILE="+dir.path(whole))
			value = strings.ToValidUTF8(value[:maxValueBytes], "")
		}
		env = append(env, name+"="+value)
	}
	return env, nil
}

func orEmpty(value any) any {
	if value == nil {
		return ""
	}
	return value
}

// text is a value as a variable has it.
func text(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	}
	return string(encode(value))
}
