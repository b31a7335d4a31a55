package console

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Interrupt is the cause of a context that a signal ended.
type Interrupt struct{ syscall.Signal }

// Error is the word for it in an event.
func (i Interrupt) Error() string { return "interrupted" }

// Code is the exit code of a program that the signal ended.
func (i Interrupt) Code() int { return 128 + int(i.Signal) }

// twice is how long after the first signal others are the same wish: timeout sends one to the program and one to its
// group, a closing terminal may send SIGHUP and SIGTERM.
const twice = 200 * time.Millisecond

// untilSignal ends a context, with an interrupt as its cause, at the first SIGINT, SIGTERM or SIGHUP. A later one
// kills the program as usual. What it returns ends that.
func untilSignal(cancel context.CancelCauseFunc) (stop func()) {
	signals, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		select {
		case s := <-signals:
			cancel(Interrupt{s.(syscall.Signal)})
			time.Sleep(twice) // also where the program is about to end with its code
		case <-over:
		}
		signal.Stop(signals)
	}()
	return func() { close(over) }
}

// watched are the standard streams for data and messages, where gone is called once nobody reads one of them any
// more. The system would kill the program with SIGPIPE then, and what it has started and its temporary files would
// stay. Where that signal is ignored, a write that fails is an error like any other. stop ends the watch.
func watched(stdout, stderr io.Writer, gone func()) (out, errs io.Writer, stop func()) {
	if signal.Ignored(syscall.SIGPIPE) {
		return stdout, stderr, func() {}
	}
	// Note: a pipe to a program outside, or the network, may send it too, and is not meant.
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGPIPE)
	watch := func(w io.Writer) io.Writer {
		if IsTerminal(w) { // a progress bar wants its width
			return w
		}
		return pipe{w, gone}
	}
	return watch(stdout), watch(stderr), func() { signal.Stop(unread) }
}

// pipe is a standard stream that tells when nobody reads it any more.
type pipe struct {
	io.Writer
	gone func()
}

func (p pipe) Write(b []byte) (int, error) {
	n, err := p.Writer.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		p.gone()
	}
	return n, err
}
