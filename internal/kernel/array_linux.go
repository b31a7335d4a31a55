package kernel

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePages asks the system to use huge pages for v. Errors are ignored, because this only affects speed.
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

// AdviseHeap asks the system to use huge pages for the first n bytes of the heap, by allocating an array of n bytes,
// which it releases at once. Call it first in a program: a program that fills several planes and ends spends a seventh
// of its time on page faults with pages of 4 KB. It does nothing if the address space is limited.
func AdviseHeap(n int) {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) == nil && limit.Cur == unix.RLIM_INFINITY {
		NewArray(n / 8)
		// A collection that started during the allocation would count the array as still in use, and would delay the
		// next collection until the heap is a third larger than the array.
		runtime.GC()
	}
}
