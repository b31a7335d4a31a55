package kernel

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePages asks for huge pages. It is advice: an error changes nothing.
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

// AdviseHeap asks for huge pages for what the first n bytes of the heap will hold, by an
// array of that size that is given up at once. Call it before anything else: a program
// that fills some planes and ends spends a seventh of its time on pages of 4 KB. It does
// nothing where addresses are limited, or where there is nothing to be asked for.
func AdviseHeap(n int) {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) == nil && limit.Cur == unix.RLIM_INFINITY {
		NewArray(n / 8)
		// A collection that the array itself has begun finds it in use, and would have the next one
		// wait until there is a third more than that.
		runtime.GC()
	}
}
