package console

import "syscall"

// limitData limits the data of the process, which includes its heap, to the given bytes (RLIMIT_DATA). If the system
// does not allow that, it does nothing.
func limitData(bytes int64) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_DATA, &limit) != nil {
		return
	}
	limit.Cur = min(uint64(bytes), limit.Max)
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &limit)
}
