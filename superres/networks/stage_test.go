package networks

import (
	"slices"
	"testing"

	"superres/superres/networks/graph/graphtest"
	"superres/superres/stage/stagetest"
)

// An imported network keeps the promises of stage.Network.
func TestStage(t *testing.T) {
	for _, n := range graphtest.All() {
		if !slices.Contains([]string{"RRDB ×1", "Gated", "Brightness ×3"}, n.Name) {
			continue // the others have no other kinds of node
		}
		if testing.Short() && n.Name != "Gated" { // under the race detector
			continue
		}
		t.Run(n.Name, func(t *testing.T) {
			stagetest.RunNetwork(t, stageOf(t, n.Graph))
		})
	}
}
