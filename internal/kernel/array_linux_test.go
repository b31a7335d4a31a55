package kernel

import (
	"runtime/metrics"
	"testing"
)

// Memory that AdviseHeap has released does not influence when the next garbage collection begins.
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
