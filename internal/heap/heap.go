// Package heap measures, for conformance suites, the memory that work takes.
package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// The kinds of memory that count.
const (
	// Objects are those in use and those not yet found to be garbage.
	Objects = "/memory/classes/heap/objects:bytes"
	// Live is what the garbage collector finds in use. It runs all the time then, and counts what is allocated
	// while it runs.
	Live = "/gc/heap/live:bytes"
)

// Peak returns the largest growth of the heap while f runs, in bytes. It measures every 100 µs, so that it may
// miss a short peak. For Live it has the collector run all the time, which is slow.
func Peak(what string, f func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	read := func() int64 {
		sample := []metrics.Sample{{Name: what}}
		metrics.Read(sample)
		return int64(sample[0].Value.Uint64())
	}
	runtime.GC()
	runtime.GC() // what the first one freed is swept
	before := read()
	stop, peak := make(chan struct{}), make(chan int64)
	go func() {
		most := before
		for {
			most = max(most, read())
			select {
			case <-stop:
				peak <- most - before
				return
			case <-time.After(100 * time.Microsecond):
			}
		}
	}()
	f()
	close(stop)
	return <-peak
}

// Within returns the growth that Peak measures of Objects, once it is no more than most bytes, else the least of five
// runs of f: on a busy machine garbage waits longer for its collector, and adds to some runs.
func Within(most int64, f func()) int64 {
	least := Peak(Objects, f)
	for run := 1; run < 5 && least > most; run++ {
		least = min(least, Peak(Objects, f))
	}
	return least
}
