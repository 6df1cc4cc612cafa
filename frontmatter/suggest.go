package frontmatter

import (
	"maps"
	"slices"

	"discobot-hooks/internal/wording"
)

// otherNames are what people call our keys elsewhere.
var otherNames = map[string]string{
	"exclude": "ignore", "glob": "pattern", "files": "pattern", "event": "type", "user": "run_as", "env": "pass_env",
}

// didYouMean ends a message about an unknown key.
func didYouMean(key string) string {
	return wording.DidYouMean(key, slices.Sorted(maps.Keys(keys)), otherNames)
}
