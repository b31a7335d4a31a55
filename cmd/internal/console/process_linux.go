package console

import "syscall"

// limitData limits the data of the process, such as its heap, to bytes (RLIMIT_DATA), if the system allows that.
func limitData(bytes int64) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_DATA, &limit) != nil {
		return
	}
	limit.Cur = min(uint64(bytes), limit.Max)
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &limit)
}
