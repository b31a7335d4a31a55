// Package heap measures, for conformance suites, how much memory a function uses.
package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// The kinds of memory that Peak can measure.
const (
	// Objects is the memory of objects in use, and of garbage that was not yet found.
	Objects = "/memory/classes/heap/objects:bytes"
	// Live is the memory that the garbage collector finds in use, plus memory allocated while the collector runs.
	Live = "/gc/heap/live:bytes"
)

// Peak returns the largest growth, in bytes, of the given kind of memory while f runs. It measures every 100 µs, so it
// may miss a short peak. The garbage collector runs nearly all the time meanwhile, which is slow.
func Peak(kind string, f func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	read := func() int64 {
		sample := []metrics.Sample{{Name: kind}}
		metrics.Read(sample)
		return int64(sample[0].Value.Uint64())
	}
	runtime.GC()
	runtime.GC() // the second run sweeps the memory that the first one freed
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

// Within runs f up to five times, until Peak of Objects is at most limit bytes, and returns the smallest Peak: on a
// busy machine, garbage waits longer for the collector, and adds to some runs.
func Within(limit int64, f func()) int64 {
	least := Peak(Objects, f)
	for run := 1; run < 5 && least > limit; run++ {
		least = min(least, Peak(Objects, f))
	}
	return least
}
