//go:build unix

package upscale

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// Interrupted while it waits for frames, a pipe ends with a whole one, and a file is not there.
func TestVideoInterrupted(t *testing.T) {
	data := video(t, "W20 H10", 3, moving)
	want := piped(t, data, "-m", "bicubic")
	for _, output := range []string{"-", "out.y4m"} {
		dir := t.TempDir()
		cmd := consoletest.Process(dir, "upscale", "-", "-o", output, "-m", "bicubic", "--progress", "plain")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var errs strings.Builder
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// The second copy stands still in the middle of a frame.
		if _, err := io.WriteString(in, data+data[len(data)-306:len(data)-100]); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(want))
		if output == "-" {
			if _, err := io.ReadFull(out, got); err != nil {
				t.Fatal(err)
			}
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
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
			t.Errorf("-o %s: %v is left", output, left)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".superres*")); len(left) > 0 {
			t.Errorf("-o %s: %v is left", output, left)
		}
		in.Close()
	}
}

// waitForTemp waits until a file is begun.
func waitForTemp(dir string) error {
	for {
		found, err := filepath.Glob(filepath.Join(dir, ".superres-*.tmp"))
		if err != nil || len(found) > 0 {
			return err
		}
	}
}
