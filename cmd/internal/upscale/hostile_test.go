//go:build linux

package upscale

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
	"superres/internal/imagefile/imagetest"
)

// The most time and memory that a hostile file may cost.
const (
	mostMemory = 512 << 20
	mostTime   = 5 * time.Second
)

// measured runs the program in dir and also returns its memory and time.
func measured(t *testing.T, dir string, args ...string) (stderr string, code int, memory int64, took time.Duration) {
	t.Helper()
	cmd := consoletest.Process(dir, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	if err := cmd.Run(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			t.Fatal(err)
		}
	}
	if out.Len() > 0 {
		t.Errorf("%v: %d bytes on standard output", args, out.Len())
	}
	return errs.String(), cmd.ProcessState.ExitCode(), cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10,
		time.Since(began)
}

// Hostile files get one line and the right exit code, soon and in little memory, and leave nothing.
func TestHostileFiles(t *testing.T) {
	golden.NotShort(t, "starts the program many times")
	type file struct {
		name string
		data []byte
		args []string
		code int
		want string
	}
	var files []file
	for i, h := range imagetest.Hostile(t) {
		if i%consoletest.Full(3, 1) > 0 {
			continue
		}
		// A high memory limit, so that they are not refused for the size that they claim.
		args := []string{"--max-memory", "100000", "-m", "nearest"}
		files = append(files, file{h.Name, h.Data, args,
			map[bool]int{false: console.ExitInput, true: console.ExitLimit}[h.Limit], h.Want})
	}
	carriers := 0
	for name, data := range imagetest.Bombs(t, 3000, 3000) {
		if strings.HasPrefix(name, "bomb") {
			files = append(files, file{name, data, []string{"--max-memory", "64"}, console.ExitLimit,
				"output 6000×6000 needs "})
		} else {
			files = append(files, file{name, data, nil, console.ExitOK, ""})
			carriers++
		}
	}
	files = append(files, file{"many-scans.jpg", imagetest.ManyScans(3000, 3000, 201), nil, console.ExitLimit, ""})
	dir := t.TempDir()
	var largest int64
	var slowest time.Duration
	var group sync.WaitGroup
	var mu sync.Mutex
	slots := make(chan bool, 2)
	for _, f := range files {
		consoletest.Put(t, filepath.Join(dir, f.name), f.data)
		group.Go(func() {
			slots <- true
			defer func() { <-slots }()
			stderr, code, memory, took := measured(t, dir,
				append([]string{"upscale", f.name, "-o", "out-" + f.name + ".png"}, f.args...)...)
			mu.Lock()
			defer mu.Unlock()
			largest, slowest = max(largest, memory), max(slowest, took)
			if code != f.code || !strings.Contains(stderr, f.want) || memory > mostMemory || took > mostTime {
				t.Errorf("%s: exit %d with %d MiB in %v: %s", f.name, code, memory>>20, took, stderr)
			}
			if f.code != 0 && (strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "superres: ")) {
				t.Errorf("%s: %q", f.name, stderr)
			}
		})
	}
	group.Wait()
	t.Logf("%d files: at most %d MiB and %v each", len(files), largest>>20, slowest)
	if got := consoletest.Tree(t, dir); len(got) != len(files)+carriers {
		t.Errorf("%d files, expected %d: %v", len(got), len(files)+carriers, got)
	}
	// All of them in one call.
	args := []string{"upscale", "-o", "out", "-q", "--max-memory", "64", "--name", "{stem}{ext}-{scale}", "--exclude",
		"out-*"}
	for _, f := range files {
		args = append(args, f.name)
	}
	stderr, code, memory, _ := measured(t, dir, args...)
	if n := strings.Count(stderr, "\n"); code != console.ExitSome || memory > mostMemory || n != len(files)-carriers+1 {
		t.Errorf("together: exit %d with %d MiB, %d lines: %s", code, memory>>20, n, stderr)
	}
	if got := consoletest.Results(t, filepath.Join(dir, "out")); len(got) != carriers {
		t.Errorf("together: %d results", len(got))
	}
}
