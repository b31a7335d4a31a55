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

// A command of superres runs in a process of its own, which is this program again:
// whatever it does, a panic or memory that runs out, ends that process and not the
// worker.

// childVariable tells a process that it is one.
const childVariable = "SUPERRES_BEAM_CHILD"

func isChild() bool { return os.Getenv(childVariable) != "" }

// child is the process of a command. Standard input is a pipe from its parent: its end
// is the parent's, and then nobody wants what it does.
func child(stdout io.Writer) int {
	app.LessGarbage()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	return app.Run(context.Background(), strings.NewReader(""), stdout, os.Stderr, append([]string{"superres"}, os.Args[1:]...))
}

// ended tells how a command ended.
type ended struct {
	code   int // -1: it was killed, or could not be started
	died   bool
	reason string // its last line on standard error
}

// run runs a command of superres and passes its standard output on, line by line.
func run(ctx context.Context, args []string, line func([]byte)) ended {
	self, err := os.Executable()
	if err != nil {
		return ended{code: -1, reason: err.Error()}
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), childVariable+"=1")
	lines, messages := &lineWriter{line: line}, &tail{}
	cmd.Stdout, cmd.Stderr = lines, messages
	hold, err := cmd.StdinPipe()
	if err != nil {
		return ended{code: -1, reason: err.Error()}
	}
	defer hold.Close()
	err = cmd.Run()
	if err == nil {
		return ended{}
	}
	if cmd.ProcessState == nil {
		return ended{code: -1, reason: err.Error()}
	}
	e := ended{code: cmd.ProcessState.ExitCode(), reason: messages.last()}
	// A panic ends a Go program with the code of wrong usage.
	e.died = e.code < 0 || e.code == 2 && messages.panicked()
	if e.code < 0 {
		e.reason = err.Error()
	}
	return e
}

// lineWriter passes whole lines on.
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

// tail keeps the beginning and the end of what is written.
type tail struct{ first, end []byte }

const kept = 16 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.first = append(t.first, p[:min(len(p), kept-len(t.first))]...)
	t.end = append(t.end, p...)
	t.end = t.end[max(0, len(t.end)-kept):]
	return len(p), nil
}

func (t *tail) panicked() bool {
	for _, start := range []string{"panic: ", "fatal error: "} {
		if bytes.HasPrefix(t.first, []byte(start)) || bytes.Contains(t.end, []byte("\n"+start)) || bytes.Contains(t.first, []byte("\n"+start)) {
			return true
		}
	}
	return false
}

// last is the line that tells why: the panic, or the last one.
func (t *tail) last() string {
	list := strings.Split(strings.TrimSpace(string(t.first)+"\n"+string(t.end)), "\n")
	for _, l := range list {
		if strings.HasPrefix(l, "panic: ") || strings.HasPrefix(l, "fatal error: ") {
			return l
		}
	}
	return strings.TrimPrefix(list[len(list)-1], "superres: ")
}
