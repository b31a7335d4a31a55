// Package console is what all commands have in common.
//
// run.go runs a program of commands, on a command line that reorder.go has put in order, and signals.go ends it.
// Package settings has the options of the commands; command.go completes a command that has some, help.go shows it,
// and options.go has the options that several commands share. limits.go and process.go limit what a command takes of
// the machine, outputs.go refuses outputs before the work, and progress.go shows how far it is. settings.go records
// the command line that made a result, and writing.go writes reports. exit.go turns errors into exit codes and
// messages, remedy.go adds what to do, and panics.go makes an error of a panic. words.go words numbers and lists.
// Package consoletest runs commands in tests.
package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"superres/internal/safefile"
	"superres/learners/external"
)

// Program is a program of commands. Every command is made anew for the streams of a run.
type Program struct {
	// Usage is what the program does, in some words for its manual page.
	Usage string
	// Help is the template that is shown without a command.
	Help string
	// Implied is the name of the command of a line that begins with a picture. Empty is none.
	Implied string
	// Commands make the commands, in the order in which they are shown.
	Commands []func(*Streams) *cli.Command
}

// Run runs the program: args as os.Args, the result the exit code. Messages go to stderr, data to stdout.
func (p Program) Run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer untilSignal(cancel)()
	ctx = context.WithValue(ctx, typedKey{}, args)
	ctx, end := external.Keep(ctx)
	defer end() // also those that work which is not waited for has started
	stdout, stderr, unwatch := watched(stdout, stderr, func() { cancel(Interrupt{syscall.SIGPIPE}) })
	defer unwatch()
	abandoned := false // work that does not look at an interruption goes on until the program ends
	defer func() { safefile.ClearFolders(tempAge, abandoned) }()
	out := newOutput(stdout, stderr)
	app := p.App(&Streams{In: stdin, Out: out, Err: stderr})
	args, err := reorder(app, p.Implied, args)
	if err == nil {
		done := make(chan error, 1)
		go func() { done <- app.RunContext(ctx, args) }()
		select {
		case err = <-done:
			err = cmp.Or(err, out.err) // the library prints help and looks at no error
		case <-ctx.Done():
			select { // a read or write of a pipe cannot be interrupted
			case err = <-done:
			case <-time.After(patience):
				err, abandoned = ctx.Err(), true
			}
		}
	}
	if err == nil {
		return ExitOK
	}
	if i, ok := errors.AsType[Interrupt](context.Cause(ctx)); ok {
		if i.Signal != syscall.SIGPIPE { // then nobody is there to read it
			fmt.Fprintln(stderr, "superres: interrupted; finished files are whole, nothing is half written")
		}
		return i.Code()
	}
	fmt.Fprintln(stderr, "superres:", Message(err))
	return ExitCode(err)
}

// App is the program as the command-line library has it.
func (p Program) App(s *Streams) *cli.App {
	app := &cli.App{
		Name:                  "superres",
		Usage:                 p.Usage,
		Version:               Version,
		HideVersion:           true,
		Writer:                s.Out,
		ErrWriter:             s.Err,
		Reader:                s.In,
		ExitErrHandler:        func(*cli.Context, error) {}, // Run decides
		OnUsageError:          func(_ *cli.Context, err error, _ bool) error { return Fail(ExitUsage, err) },
		CustomAppHelpTemplate: p.Help,
		// A file name may hold a comma.
		DisableSliceFlagSeparator: true,
	}
	for _, make := range p.Commands {
		app.Commands = append(app.Commands, make(s))
	}
	return app
}

// patience is how long the program waits, once interrupted, for work that does not look at the interruption.
const patience = 3 * time.Second

// tempAge is how old a temporary file is at least that is removed though it may be of a program on another machine.
const tempAge = time.Hour
