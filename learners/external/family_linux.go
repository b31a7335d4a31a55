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

// family is a program that has started, and all that it starts in turn.
type family struct {
	pid  int
	mark []byte // the variable of its environment, which what it starts inherits
}

// group puts a program, before it starts, into a group of processes of its own: what a terminal
// interrupts then is this program alone, which ends the others. When the thread that starts it
// ends, as with this process however that ends, the system kills it.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// newFamily returns the family of a program that has just started, with its mark.
func newFamily(p *os.Process, mark string) family {
	return family{p.Pid, []byte(markName + "=" + mark + "\x00")}
}

// end kills the program, unless it has ended itself, and all that it has started, also what made
// a group or a session of its own or has lost its parent: what is below it in the tree of
// processes, and what carries its mark. All are stopped first, so that none starts another
// meanwhile. What has neither its mark nor a parent among them stays, as that of a program
// that clears the environment, forks twice and leaves the group.
func (f family) end(ended bool) {
	stopped := map[int]bool{}
	const most = 100 // rounds: a program may start others as fast as they are found
	for range most {
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

// members returns the numbers of the processes of the family that run.
func (f family) members(ended bool) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var all, list []int
	if parent, runs := parentOf(f.pid); !ended && runs && parent == os.Getpid() { // else the number is another's
		list = append(list, f.pid)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		all = append(all, pid)
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid)) // of other users it cannot be read
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
