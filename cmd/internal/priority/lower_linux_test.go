package priority

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"superres/internal/must"
)

// child makes a process of the test binary one whose priority is lowered.
const child = "SUPERRES_TEST_LOWERED"

func TestMain(m *testing.M) {
	if os.Getenv(child) == "" {
		os.Exit(m.Run())
	}
	keepThread := func() {
		ready := make(chan bool)
		go func() {
			runtime.LockOSThread()
			close(ready)
			select {}
		}()
		<-ready
	}
	for range 5 {
		keepThread()
	}
	for range 2 { // the second time changes nothing
		if err := Lower(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	for range 5 {
		keepThread() // which inherits
	}
	tasks, err := filepath.Glob("/proc/self/task/*/stat")
	if err != nil {
		fmt.Println(err)
	}
	for _, task := range tasks {
		fmt.Println(niceOf(task))
	}
}

// niceOf returns the nice value of a process or thread, as text, from its file stat: the 19th field, of which the
// second, in parentheses, may hold anything.
func niceOf(stat string) string {
	text, err := os.ReadFile(stat)
	if err != nil {
		return err.Error()
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.Fields(rest)[16]
}

// Lower gives all threads of a process, and those that it makes later, the nice value 10. It raises none that is lower.
func TestLower(t *testing.T) {
	own := 20 - must.Get(unix.Getpriority(unix.PRIO_PROCESS, 0))(t)
	for _, begins := range []int{own, max(own, 15)} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), child+"=1")
		var out strings.Builder
		cmd.Stdout = &out
		runtime.LockOSThread() // the child gets the nice value of the thread that starts it
		must.Succeed(t, unix.Setpriority(unix.PRIO_PROCESS, 0, begins))
		err := cmd.Run()
		// The thread stays locked, and so ends with the test: it may not be allowed to be what it was.
		values := strings.Fields(out.String())
		want := fmt.Sprint(max(begins, niceness))
		if err != nil || len(values) < 10 || slices.ContainsFunc(values, func(v string) bool { return v != want }) {
			t.Errorf("from %d: %v, threads of %q, expected %s", begins, err, values, want)
		}
	}
}
