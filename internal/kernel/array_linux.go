package kernel

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePages asks the system to use huge pages for v, if v is at least as long as two of them. It ignores errors.
func hugePages(v []float64) {
	const huge = 2 << 20 // bytes of a huge page
	if len(v) < huge/4 { // 8 bytes an entry
		return
	}
	first := uintptr(unsafe.Pointer(&v[0]))
	skip := int(-first % 4096) // bytes before the first whole page of 4 KB, where Madvise must begin
	b := unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), 8*len(v))[skip:]
	_ = unix.Madvise(b[:len(b)/4096*4096], unix.MADV_HUGEPAGE)
}
