package priority

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Lower gives the process, for good, the nice value 10, or leaves it where it is higher. It may be called while others
// work. Other programs have it better only if the system schedules them together: with sched_autogroup, which many
// systems have on, only those of the same session (see sched(7)); with cgroups, only those of the same group.
func Lower() error {
	// Note: on Linux each thread has a nice value of its own, and a new thread that of the one that made it. A thread
	// that is not lowered yet may make others meanwhile, so that the list is read until it has nothing new.
	lowered := map[int]bool{}
	for {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		before := len(lowered)
		for _, task := range tasks {
			id, err := strconv.Atoi(task.Name())
			if err != nil || lowered[id] {
				continue
			}
			if err := lowerThread(id); err != nil && !errors.Is(err, unix.ESRCH) { // it may have ended
				return err
			}
			lowered[id] = true
		}
		if len(lowered) == before {
			return nil
		}
	}
}

// lowerThread gives the thread the nice value niceness, unless it has a higher one.
func lowerThread(id int) error {
	inverse, err := unix.Getpriority(unix.PRIO_PROCESS, id)
	if err != nil || 20-inverse >= niceness { // the system call returns 20 less the nice value
		return err
	}
	return unix.Setpriority(unix.PRIO_PROCESS, id, niceness)
}
