package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

// Interrupt is the cause of a context that a signal ended.
type Interrupt struct{ syscall.Signal }

func (i Interrupt) Error() string { return "interrupted" }

// Code returns the exit code of a program that the signal ended: 128 plus the number of the signal.
func (i Interrupt) Code() int { return 128 + int(i.Signal) }

// SIGHUP and SIGPIPE are missing from package syscall for js, and have these numbers on all other systems.
const (
	SIGHUP  = syscall.Signal(1)
	SIGPIPE = syscall.Signal(13)
)

// interruptKey is the key of the context value that OnInterrupt sets, an *atomic.Pointer[string].
type interruptKey struct{}

// OnInterrupt sets the text that the program prints if a signal ends the command of ctx: how the user can go on. A
// later call replaces the text. It is safe for concurrent use.
func OnInterrupt(ctx context.Context, format string, args ...any) {
	if to, ok := ctx.Value(interruptKey{}).(*atomic.Pointer[string]); ok {
		text := fmt.Sprintf(format, args...)
		to.Store(&text)
	}
}

// repeatTime is how long after the first signal further signals are ignored as repetitions: timeout(1) signals the
// program and then its process group, and a closing terminal may send both SIGHUP and SIGTERM.
const repeatTime = 200 * time.Millisecond

// isIgnored reports whether the program was started with s ignored: never on js, where package signal would panic.
func isIgnored(s os.Signal) bool { return runtime.GOOS != "js" && signal.Ignored(s) }

// untilSignal starts a goroutine that calls cancel with an Interrupt at the first SIGINT, SIGTERM or SIGHUP. A later
// signal, except a repetition (see repeatTime), kills the program as usual. stop ends the goroutine.
func untilSignal(cancel context.CancelCauseFunc) (stop func()) {
	signals, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	if !isIgnored(SIGHUP) { // nohup(1) starts programs with SIGHUP ignored
		signal.Notify(signals, SIGHUP)
	}
	go func() {
		select {
		case s := <-signals:
			cancel(Interrupt{s.(syscall.Signal)})
			time.Sleep(repeatTime) // ignores repetitions, even while the program exits
		case <-over:
		}
		signal.Stop(signals)
	}()
	return func() { close(over) }
}

// watched returns stdout and stderr wrapped so that a write to a pipe without a reader calls gone. Otherwise SIGPIPE
// would kill the program, and leave temporary files and child processes behind. If SIGPIPE is ignored, the streams are
// returned unchanged, and such a write is an error like any other. stop ends the watch for SIGPIPE.
func watched(stdout, stderr io.Writer, gone func()) (out, errs io.Writer, stop func()) {
	if isIgnored(SIGPIPE) {
		return stdout, stderr, func() {}
	}
	// Note: SIGPIPE may also come from a pipe to a child process or from the network; so pipe.Write calls gone instead.
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, SIGPIPE)
	watch := func(w io.Writer) io.Writer {
		if IsTerminal(w) { // a progress bar asks the *os.File for its width
			return w
		}
		return pipe{w, gone}
	}
	return watch(stdout), watch(stderr), func() { signal.Stop(unread) }
}

// pipe is a standard stream that calls gone when a write fails because the stream has no reader any more.
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
