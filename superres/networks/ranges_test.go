package networks

import (
	"path/filepath"
	"slices"
	"testing"

	"superres/internal/golden"
	"superres/internal/must"
	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
)

// The ranges of published networks, and of the same with each of the nine pairs, are found. They are not told by
// networks of random weights, which agree with a picture as little by their own ranges as by others.
func TestRangesOfPublishedNetworks(t *testing.T) {
	folder := golden.Data(t, "networks")
	var files []string
	for _, pattern := range []string{"*.onnx", "*.param"} {
		files = append(files, must.Get(filepath.Glob(filepath.Join(folder, pattern)))(t)...)
	}
	spans := []graph.Span{graph.Unit, graph.Bytes, graph.Signed}
	for _, path := range slices.Sorted(slices.Values(files)) {
		s := must.Get(Open(path, 1<<30))(t)
		for _, in := range spans {
			for _, out := range spans {
				want := graph.Ranges{In: in, Out: out}
				ranged := &Source{Format: s.Format, Graph: graphtest.Ranged(s.Graph, want)}
				if _, got, err := withRanges(t.Context(), ranged); err != nil || got != want {
					t.Errorf("%s with %v: %v, %v", filepath.Base(path), want, got, err)
				}
			}
		}
	}
}
