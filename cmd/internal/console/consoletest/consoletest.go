// Package consoletest runs commands in tests as a shell would, in the process of the test or in a separate process, and
// writes and reads the files that commands work on.
package consoletest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/learners/external/externaltest"
)

// Program is a program under test.
type Program struct{ console.Program }

// Of returns a program with the given commands.
func Of(commands ...func(*console.Streams) *cli.Command) Program {
	return Program{console.Program{Commands: commands}}
}

// Call runs the program in the folder dir, with the text stdin as input, and returns its outputs and its exit code.
func (p Program) Call(t *testing.T, dir, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	t.Chdir(dir)
	var out, errs bytes.Buffer
	code = p.Run(context.Background(), strings.NewReader(stdin), &out, &errs, append([]string{"superres"}, args...))
	return out.String(), errs.String(), code
}

// Succeeds runs the program as Call does, and ends the test unless its exit code is 0.
func (p Program) Succeeds(t *testing.T, dir string, args ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, code := p.Call(t, dir, "", args...)
	if code != 0 {
		t.Fatalf("%v: exit %d, %s%s", args, code, stdout, stderr)
	}
	return stdout, stderr
}

// Ends runs the program as Call does, and fails the test unless the exit code is code and the outputs contain want.
func (p Program) Ends(t *testing.T, dir string, code int, want string, args ...string) {
	t.Helper()
	stdout, stderr, got := p.Call(t, dir, "", args...)
	if got != code || !strings.Contains(stdout+stderr, want) {
		t.Errorf("%v: exit %d, expected %d with %q\n%s%s", args, got, code, want, stdout, stderr)
	}
}

// Into runs the program in the current folder with w as standard output, and returns its standard error and exit code.
func (p Program) Into(w io.Writer, args ...string) (stderr string, code int) {
	var errs bytes.Buffer
	code = p.Run(context.Background(), strings.NewReader(""), w, &errs, append([]string{"superres"}, args...))
	return errs.String(), code
}

// Broken is a standard output on which every write fails.
type Broken struct{}

func (Broken) Write([]byte) (int, error) { return 0, errors.New("pipe is closed") }

// AtOnce is a sign that makes Stopped interrupt the program before it begins.
const AtOnce = ""

// Interrupted runs the program as Stopped does, and checks that it says so and that the files below dir stay the same.
func (p Program) Interrupted(t *testing.T, dir, sign string, args ...string) {
	t.Helper()
	before := Tree(t, dir)
	text, code := p.Stopped(sign, args...)
	if got := Tree(t, dir); code != 130 || !strings.Contains(text, "interrupted") || !slices.Equal(got, before) {
		t.Errorf("%v: exit %d, %s, files %v", args, code, text, got)
	}
}

// Stopped runs the program in the current folder and interrupts it as soon as it writes the text sign to standard
// output or error. It returns what the program wrote to both, and its exit code.
func (p Program) Stopped(sign string, args ...string) (text string, code int) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	out := &signal{sign: sign, seen: func() { cancel(console.Interrupt{Signal: 2}) }}
	if sign == AtOnce {
		out.seen()
	}
	code = p.Run(ctx, strings.NewReader(""), out, out, append([]string{"superres"}, args...))
	return out.text.String(), code
}

// signal is a writer that calls seen once the text sign has been written to it.
type signal struct {
	sign string
	seen func()

	mu   sync.Mutex // guards text
	text bytes.Buffer
}

// Write implements io.Writer. It keeps p, and calls s.seen if what was written contains s.sign.
func (s *signal) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	if strings.Contains(s.text.String(), s.sign) {
		s.seen()
	}
	return len(p), nil
}

// Environment variables that make a test binary run the program, and write its peak memory to a file.
const (
	programVariable = "SUPERRES_TEST_AS_PROGRAM"
	peakVariable    = "SUPERRES_TEST_PEAK"
)

// Main is called by TestMain. It runs the program if Process started this test binary, an external learner if a spec
// with externaltest.Command started it, and otherwise the tests. Then it ends the process.
func (p Program) Main(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == externaltest.Name {
		os.Exit(externaltest.Serve(os.Stdin, os.Stdout, os.Stderr, os.Args[2:]))
	}
	if os.Getenv(programVariable) == "" {
		os.Exit(inEmptyFolders(m))
	}
	console.PrepareHeap(console.Garbage, console.Ballast) // as app.Main does
	code := p.Run(console.OwnProcess(context.Background()), os.Stdin, os.Stdout, os.Stderr, os.Args)
	notePeak()
	os.Exit(code)
}

// inEmptyFolders runs the tests and returns the exit code. Meanwhile panics are fatal (see console.PanicsAreFatal), and
// the user's models and cache lie in new folders.
func inEmptyFolders(m *testing.M) int {
	dir, err := os.MkdirTemp("", "superres-test-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	for name, value := range map[string]string{
		"SUPERRES_PANIC": "fatal", "SUPERRES_MODELS": filepath.Join(dir, "models"), "XDG_CACHE_HOME": dir,
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	return m.Run()
}

// Process returns a command that runs the program in a process, in the folder dir. TestMain must call Main.
func Process(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), programVariable+"=1")
	return cmd
}

// NotePeak returns an environment variable that makes a Process write its status to the file at path, for Peak.
func NotePeak(path string) string { return peakVariable + "=" + path }

// notePeak writes the status of this process, with its peak memory, to the file that NotePeak named, if there is one.
func notePeak() {
	path := os.Getenv(peakVariable)
	if path == "" {
		return
	}
	status, err := os.ReadFile("/proc/self/status")
	if err == nil {
		err = os.WriteFile(path, status, 0o666)
	}
	if err != nil {
		panic(err)
	}
}
