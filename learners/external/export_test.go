package external

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// Windows says whether this is Windows.
const Windows = runtime.GOOS == "windows"

// WithCodes and WithoutCodes are learners that are known to leave codes, or none, so that their memory is known better.
type (
	WithCodes    struct{ *Learner }
	WithoutCodes struct{ *Learner }
)

// Memory implements learners.Learner.
func (WithCodes) Memory(m, n, k, s int) float64 { return memoryWithCodes(m, n, k, s) }

// Memory implements learners.Learner.
func (WithoutCodes) Memory(m, n, k, s int) float64 { return memoryWithoutCodes(m, n, k, s) }

// Running returns how many programs a context keeps.
func Running(ctx context.Context) int {
	p, _ := programsOf(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.running)
}

// Gone reports whether a process has ended, or ends within five seconds.
func Gone(pid int) bool {
	for range 500 {
		p, err := os.FindProcess(pid)
		if err != nil || p.Signal(syscall.Signal(0)) != nil || zombie(pid) {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

// zombie reports whether a process has ended, but its parent has not waited for it.
func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(text), ") Z ")
}
