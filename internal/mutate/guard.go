package mutate

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"testing"
	"time"
)

// Files returns the number of mutants that a test is to make: that of the environment's
// SUPERRES_MUTATED, for long runs, or else the given one.
func Files(usual uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv("SUPERRES_MUTATED"), 10, 64); err == nil && n > 0 {
		return n
	}
	return usual
}

// MostTime is how long a reader may take for one mutant: far more than any needs, so that only
// what does not end is found by it.
const MostTime = 10 * time.Second

// Guard runs a reader on one file. It fails the test, with what as the description of the file,
// if the reader panics, takes longer than MostTime, or allocates more than most bytes in all,
// with what it frees again. Other goroutines must not allocate meanwhile. It returns how many
// bytes were allocated.
func Guard(t testing.TB, what string, most int64, read func()) (allocated int64) {
	t.Helper()
	began, before := time.Now(), allocations()
	defer func() {
		t.Helper()
		if p := recover(); p != nil {
			t.Errorf("%s: a panic: %v\n%s", what, p, debug.Stack())
			return
		}
		if took := time.Since(began); took > MostTime {
			t.Errorf("%s: took %v, expected at most %v", what, took, MostTime)
		}
		if allocated = int64(allocations() - before); allocated > most {
			t.Errorf("%s: allocated %d bytes, expected at most %d", what, allocated, most)
		}
	}()
	read()
	return 0
}

// allocations is how many bytes this process has allocated so far.
func allocations() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
