package console

import "syscall"

// limitData has the system refuse the process more than so many bytes of data, its heap among
// them. Where it is not let it has no effect.
func limitData(bytes int64) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_DATA, &limit) != nil {
		return
	}
	limit.Cur = min(uint64(bytes), limit.Max)
	_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &limit)
}
