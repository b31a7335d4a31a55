package external

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
)

// family is a running program with all processes that it starts, directly or not.
type family struct {
	pid  int
	mark []byte // the variable of its environment that its processes inherit
}

// group makes a program, before it starts, the head of a group of processes, so that an interrupt from a terminal
// goes to this process alone, which ends the others. The system kills the program when the thread ends that started
// it, and so whenever this process ends.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// newFamily returns the family of a program that has just started, with its mark.
func newFamily(p *os.Process, mark string) family {
	return family{p.Pid, []byte(markName + "=" + mark + "\x00")}
}

// end kills the program, unless it has ended, and all processes that it has started: those below it in the tree of
// processes, and those that carry its mark, even in a group or a session of their own. All are stopped first, so that
// none starts another meanwhile. A process is not found that has neither its mark nor a parent among them, as one
// that has cleared its environment, forked twice and left the group.
func (f family) end(ended bool) {
	stopped := map[int]bool{}
	const rounds = 100 // a program may start others as fast as they are found
	for range rounds {
		found := f.members(ended)
		before := len(stopped)
		for _, pid := range found {
			if !stopped[pid] {
				_ = syscall.Kill(pid, syscall.SIGSTOP) // it may have ended
				stopped[pid] = true
			}
		}
		if len(stopped) == before {
			break
		}
	}
	_ = syscall.Kill(-f.pid, syscall.SIGKILL) // none may be left
	for pid := range stopped {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// members returns the numbers of the running processes of the family.
func (f family) members(ended bool) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all, list []int
	if parent, runs := parentOf(f.pid); !ended && runs && parent == os.Getpid() { // else another process has the number
		list = append(list, f.pid)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		all = append(all, pid)
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) // cannot be read where the user is another
		if err == nil && bytes.Contains(environ, f.mark) {
			list = append(list, pid) // one that has ended has no environment
		}
	}
	if len(list) == 0 {
		return nil
	}
	children := map[int][]int{}
	for _, pid := range all {
		if parent, runs := parentOf(pid); runs {
			children[parent] = append(children[parent], pid)
		}
	}
	for i := 0; i < len(list); i++ { // which grows
		for _, child := range children[list[i]] {
			if !slices.Contains(list, child) {
				list = append(list, child)
			}
		}
	}
	return list
}

// parentOf returns the number of the parent of a process, and whether the process runs.
func parentOf(pid int) (parent int, runs bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	// The name of the program, which may hold anything, stands in parentheses before the rest.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 2 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return 0, false
	}
	parent, err = strconv.Atoi(string(fields[1]))
	return parent, err == nil
}
