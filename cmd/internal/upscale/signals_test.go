//go:build unix

package upscale

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
	"superres/internal/must"
)

// A batch interrupted at any time ends with the exit code of the signal, leaves only whole results and no temporary
// file, and can be resumed; files that existed before are unchanged.
func TestInterrupted(t *testing.T) {
	golden.NotShort(t, "starts the program many times")
	dir := t.TempDir()
	for i := range 40 {
		consoletest.Blobs(t, dir, 20+i%7, 20+i%11, fmt.Sprintf("in/%02d.png", i))
	}
	program.Succeeds(t, dir, "upscale", "in", "-o", "want", "-q")
	want := consoletest.Results(t, filepath.Join(dir, "want"))
	random := rand.New(rand.NewPCG(5, 5))
	codes := map[int]int{}
	for round := range consoletest.Full(1, 40) {
		out := fmt.Sprintf("out%d", round)
		old := filepath.Join(dir, out, "mine.png")
		consoletest.Put(t, old, []byte("of somebody else"))
		for longest := 200 * time.Millisecond; ; longest += longest / 2 {
			cmd := consoletest.Process(dir, "upscale", "in", "-o", out, "--resume", "-q")
			var errs bytes.Buffer
			cmd.Stderr = &errs
			must.Succeed(t, cmd.Start())
			signal := []os.Signal{syscall.SIGINT, syscall.SIGTERM}[random.IntN(2)]
			timer := time.AfterFunc(time.Duration(random.Int64N(int64(longest))),
				func() { _ = cmd.Process.Signal(signal) })
			_ = cmd.Wait() // its code tells
			timer.Stop()
			code := cmd.ProcessState.ExitCode()
			codes[code]++
			got := consoletest.Results(t, filepath.Join(dir, out))
			if got["mine.png"] != "of somebody else" {
				t.Fatal("a file of somebody else was touched")
			}
			delete(got, "mine.png")
			for f, data := range got {
				if data != want[f] {
					t.Errorf("after %v: %s has %d bytes, expected %d", signal, f, len(data), len(want[f]))
				}
			}
			if code == 0 {
				if !maps.Equal(got, want) {
					t.Errorf("at the end: %d of %d results", len(got), len(want))
				}
				break
			}
			if expected := 128 + int(signal.(syscall.Signal)); code != expected && code != -1 || code == expected &&
				!strings.Contains(errs.String(), "superres: interrupted") {
				t.Fatalf("after %v: exit %d, %s", signal, code, errs.String())
			}
			if code != -1 { // -1: killed before it could listen
				for _, f := range consoletest.Tree(t, filepath.Join(dir, out)) {
					if strings.HasSuffix(f, ".tmp") {
						t.Errorf("after %v: %s is left", signal, f)
					}
				}
			}
		}
	}
	t.Logf("exit codes: %v", codes)
	if codes[130]+codes[143] == 0 {
		t.Error("nothing was interrupted")
	}
}

// If a video is interrupted while it waits for frames, a pipe ends with a whole frame, and a file is not made.
func TestVideoInterrupted(t *testing.T) {
	data := stream(t, "W20 H10", 3, moving)
	want := piped(t, data, "-m bicubic")
	for _, output := range []string{"-", "out.y4m"} {
		dir := t.TempDir()
		cmd := consoletest.Process(dir, "upscale", "-", "-o", output, "-m", "bicubic", "--progress", "plain")
		in := must.Get(cmd.StdinPipe())(t)
		out := must.Get(cmd.StdoutPipe())(t)
		var errs strings.Builder
		cmd.Stderr = &errs
		must.Succeed(t, cmd.Start())
		// The second copy of the frame stops in its middle.
		must.Get(io.WriteString(in, data+data[len(data)-306:len(data)-100]))(t)
		got := make([]byte, len(want))
		if output == "-" {
			must.Get(io.ReadFull(out, got))(t)
		} else if err := waitForTemp(dir); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Process.Signal(os.Interrupt)
		rest, _ := io.ReadAll(out)
		_ = cmd.Wait() // its code tells
		if code := cmd.ProcessState.ExitCode(); code != 128+int(syscall.SIGINT) ||
			!strings.Contains(errs.String(), "superres: interrupted") {
			t.Errorf("-o %s: exit %d, %s", output, code, errs.String())
		}
		if output == "-" && (string(got) != want || len(rest) > 0) {
			t.Errorf("%d bytes, and %d behind them", len(got), len(rest))
		}
		if left := consoletest.Tree(t, dir); len(left) > 0 {
			t.Errorf("-o %s: %v is left", output, left)
		}
		in.Close()
	}
}

// waitForTemp waits until a temporary file appears in dir.
func waitForTemp(dir string) error {
	for {
		found, err := filepath.Glob(filepath.Join(dir, ".superres-*.tmp"))
		if err != nil || len(found) > 0 {
			return err
		}
	}
}
