package safefile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// machine returns a text that is different on every machine, and in every container of a machine.
func machine() string {
	host, _ := os.Hostname()
	id, _ := os.ReadFile("/etc/machine-id")
	pids, _ := os.Readlink("/proc/self/ns/pid")
	return host + "\n" + string(id) + "\n" + pids
}

// bootOf returns a text that changes whenever the machine starts, or "" where the system has no such text.
func bootOf() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return string(id)
}

// processStart returns when a process began, in ticks since the machine started, or 0 where that is
// not told, and whether the process runs: one that has ended and that nobody waited for does not.
func processStart(pid int) (start uint64, runs bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		if _, mounted := os.Stat("/proc/self/stat"); mounted == nil && errors.Is(err, fs.ErrNotExist) {
			// The folder may be hidden from this user, and the process be there.
			return 0, errors.Is(syscall.Kill(pid, 0), syscall.EPERM)
		}
		return 0, !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	}
	// The name of the program, which may hold anything, stands in parentheses before the rest.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const state, began = 0, 19
	if len(fields) <= began {
		return 0, true
	}
	start, _ = strconv.ParseUint(string(fields[began]), 10, 64)
	return start, fields[state][0] != 'Z' && fields[state][0] != 'X'
}
