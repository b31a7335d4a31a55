package graph_test

import (
	"context"
	"testing"

	"superres/internal/must"
	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
)

// BenchmarkEval enlarges 64×64 pixels, and tells how many products a second that takes.
func BenchmarkEval(b *testing.B) {
	for _, n := range []graphtest.Network{
		{Name: "Compact", Graph: graphtest.Compact(64, 16, 4, 1)},
		{Name: "RRDB", Graph: graphtest.RRDB(64, 3, 32, 4, 1)},
		{Name: "SPAN", Graph: graphtest.SPAN(32, 6, 4, 1)},
		{Name: "Separable", Graph: graphtest.Separable(64, 1)},
	} {
		b.Run(n.Name, func(b *testing.B) {
			picture := graphtest.Picture(64, 64, n.Graph.Nodes[0].Op.(graph.Input).Channels, 1)
			for b.Loop() {
				must.Get(n.Graph.Eval(context.Background(), picture))(b)
			}
			products := 64 * 64 * n.Graph.Measure().MACs * float64(b.N)
			b.ReportMetric(products/b.Elapsed().Seconds()/1e9, "GMAC/s")
		})
	}
}
