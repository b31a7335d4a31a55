package kernel

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePages asks the system to use huge pages for v. An error changes nothing, as this is advice.
func hugePages(v []float64) {
	const huge = 2 << 20
	if len(v) < huge/4 {
		return
	}
	first := uintptr(unsafe.Pointer(&v[0]))
	skip := int(-first % 4096)
	b := unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 8*len(v))[skip:]
	_ = unix.Madvise(b[:len(b)/4096*4096], unix.MADV_HUGEPAGE)
}

// AdviseHeap asks the system to use huge pages for the first n bytes of the heap, by means of an array of that
// size that it releases at once. Call it first in a program: one that fills some planes and ends spends a
// seventh of its time on faults of pages of 4 KB. It does nothing where the address space is limited, and on
// other systems than Linux.
func AdviseHeap(n int) {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) == nil && limit.Cur == unix.RLIM_INFINITY {
		NewArray(n / 8)
		// A collection that the array itself has begun finds it in use, and would have the next one wait until
		// there is a third more than that.
		runtime.GC()
	}
}
