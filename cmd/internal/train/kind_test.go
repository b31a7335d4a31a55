package train

import (
	"testing"

	"superres/cmd/internal/console"
)

// Every kind names flags that there are, so that they are refused for the other kinds, and
// one kind alone is not asked for.
func TestKinds(t *testing.T) {
	silent := 0
	command := Command(&console.Streams{})
	for _, k := range kinds {
		if k.ask == "" {
			silent++
		}
		for _, name := range k.flags {
			if console.FlagOf(command, name) == nil {
				t.Errorf("%s: no flag --%s", k.name, name)
			}
		}
	}
	if silent != 1 {
		t.Errorf("%d kinds are learned when none is asked for, expected 1", silent)
	}
}
