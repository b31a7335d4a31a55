package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"

	"superres/cmd/app"
)

// A command of superres runs in a child process, which is this program again, so that a panic or a lack of memory ends
// the child and not the worker.

// childVariable is set in the environment of a child process, which runs a command of superres.
const childVariable = "SUPERRES_BEAM_CHILD"

func isChild() bool { return os.Getenv(childVariable) != "" }

// runChild runs the command of superres in os.Args and returns its exit code. Standard input is a pipe that ends when
// the parent process does; then this process exits, too.
func runChild(stdout io.Writer) int {
	app.LessGarbage()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	return app.Run(context.Background(), strings.NewReader(""), stdout, os.Stderr,
		append([]string{"superres"}, os.Args[1:]...))
}

// outcome says how a command ended.
type outcome struct {
	code   int    // -1 if it was killed or could not be started
	died   bool   // ended by a panic or a signal; false: by an exit code
	reason string // the line of standard error that says why it ended
}

// run runs superres with args in a child process, and calls line with each line of its standard output.
func run(ctx context.Context, args []string, line func([]byte)) outcome {
	self, err := os.Executable()
	if err != nil {
		return outcome{code: -1, reason: err.Error()}
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), childVariable+"=1")
	lines, messages := &lineWriter{line: line}, &extract{}
	cmd.Stdout, cmd.Stderr = lines, messages
	hold, err := cmd.StdinPipe()
	if err != nil {
		return outcome{code: -1, reason: err.Error()}
	}
	defer hold.Close()
	err = cmd.Run()
	if err == nil {
		return outcome{}
	}
	if cmd.ProcessState == nil {
		return outcome{code: -1, reason: err.Error()}
	}
	e := outcome{code: cmd.ProcessState.ExitCode(), reason: messages.reason()}
	// A panic ends a Go program with exit code 2, which superres also uses for wrong usage.
	e.died = e.code < 0 || e.code == 2 && messages.panicked()
	if e.code < 0 {
		e.reason = err.Error()
	}
	return e
}

// lineWriter calls line with each complete line that is written to it.
type lineWriter struct {
	rest []byte
	line func([]byte)
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		end := bytes.IndexByte(w.rest, '\n')
		if end < 0 {
			return len(p), nil
		}
		w.line(w.rest[:end])
		w.rest = w.rest[end+1:]
	}
}

// extract keeps the first and the last keptBytes bytes that are written to it.
type extract struct{ first, end []byte }

const keptBytes = 16 << 10

func (t *extract) Write(p []byte) (int, error) {
	t.first = append(t.first, p[:min(len(p), keptBytes-len(t.first))]...)
	t.end = append(t.end, p...)
	t.end = t.end[max(0, len(t.end)-keptBytes):]
	return len(p), nil
}

// panicked reports whether a line kept begins like the message of a panic or a fatal error of Go.
func (t *extract) panicked() bool {
	for _, start := range []string{"panic: ", "fatal error: "} {
		if bytes.HasPrefix(t.first, []byte(start)) || bytes.Contains(t.end, []byte("\n"+start)) ||
			bytes.Contains(t.first, []byte("\n"+start)) {
			return true
		}
	}
	return false
}

// reason returns the line that says why a program ended: the line of a panic or fatal error, else the last line.
func (t *extract) reason() string {
	list := strings.Split(strings.TrimSpace(string(t.first)+"\n"+string(t.end)), "\n")
	for _, l := range list {
		if strings.HasPrefix(l, "panic: ") || strings.HasPrefix(l, "fatal error: ") {
			return l
		}
	}
	return strings.TrimPrefix(list[len(list)-1], "superres: ")
}
