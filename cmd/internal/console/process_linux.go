package console

import "syscall"

// limitData limits the data of the process, which the heap is part of, to a number of bytes. Where the system does
// not permit that, it has no effect.
func limitData(bytes int64) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_DATA, &limit) != nil {
		return
	}
	limit.Cur = min(uint64(bytes), limit.Max)
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &limit)
}
