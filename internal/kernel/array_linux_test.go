package kernel

import (
	"runtime/metrics"
	"testing"
)

// What AdviseHeap has given up does not count any more when the collector decides when to begin.
func TestAdviseHeapLeavesNothing(t *testing.T) {
	const array = 128 << 20
	goal := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	for range 20 {
		AdviseHeap(array)
		if metrics.Read(goal); goal[0].Value.Uint64() > array/2 {
			t.Fatalf("the collector waits for %d MiB", goal[0].Value.Uint64()>>20)
		}
	}
}
