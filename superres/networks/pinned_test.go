package networks

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"testing"

	"superres/internal/must"
	"superres/superres/networks/graph/graphtest"
)

// Importing gives the same integers on all machines, and as long as ImportVersion is the same.
func TestImportIsPinned(t *testing.T) {
	if testing.Short() {
		t.Skip("imports networks, which takes long under the race detector")
	}
	for name, want := range map[string]string{"Compact ×2": "2d44137f4f0311bd", "Gated": "36072e2f64e34b42"} {
		for _, n := range graphtest.All() {
			if n.Name != name {
				continue
			}
			s, _, err := Import(t.Context(), &Source{Graph: n.Graph}, Options{LeastPSNR: -1})
			must.Succeed(t, err)
			sum := sha256.New()
			for _, list := range []any{s.spec.weights, s.spec.bias, s.spec.floats, s.spec.indexes} {
				must.Succeed(t, binary.Write(sum, binary.LittleEndian, list))
			}
			if got := fmt.Sprintf("%x", sum.Sum(nil)[:8]); got != want {
				t.Errorf("%s is imported as %s, expected %s; raise ImportVersion when that changes", name, got, want)
			}
		}
	}
}
