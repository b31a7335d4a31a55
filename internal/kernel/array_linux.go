package kernel

import (
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
