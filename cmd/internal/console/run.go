// Package console contains what all commands have in common.
//
// run.go runs the program, on a command line that reorder.go has put in order, and signals.go ends it. meant.go guesses
// what users meant by flags of other programs. Package settings has the type of an option; command.go gives commands
// what they share, help.go prints their help, and options.go has the options that several commands share. limits.go and
// process.go limit memory, outputs.go checks outputs before the work, and progress.go shows progress. settings.go
// records the command line that made a result, and writing.go writes reports. exit.go turns errors into exit codes and
// messages, remedy.go adds advice to messages, and panics.go turns panics into errors. words.go formats numbers and
// lists. Package consoletest runs commands in tests.
package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v2"

	"superres/internal/safefile"
	"superres/learners/external"
)

// Program is a program with commands. Each call of Run creates the commands again, for its streams.
type Program struct {
	// Usage says in a few words what the program does, for the manual page.
	Usage string
	// Help is the template of the help that is shown when no command is given.
	Help string
	// Implied names the command that runs if the command line begins with an input or a flag; empty: no command.
	Implied string
	// Commands hold a function for each command that creates it, in the order in which the help shows them.
	Commands []func(*Streams) *cli.Command
}

// Run runs the command line args, as in os.Args, and returns the exit code. Messages go to stderr, data to stdout.
func (p Program) Run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer untilSignal(cancel)()
	ctx = context.WithValue(ctx, typedKey{}, args)
	advice := new(atomic.Pointer[string]) // OnInterrupt sets it
	ctx = context.WithValue(ctx, interruptKey{}, advice)
	ctx, end := external.Keep(ctx)
	defer end() // ends external programs, even if the command is still running
	stdout, stderr, unwatch := watched(stdout, stderr, func() { cancel(Interrupt{SIGPIPE}) })
	defer unwatch()
	abandoned := false // true if the command ignored the interruption and is still running
	defer func() { safefile.ClearFolders(tempAge, abandoned) }()
	out := &output{Writer: stdout}
	app := p.App(&Streams{In: stdin, Out: out, Err: stderr})
	args, err := reorder(app, p.Implied, args)
	if err == nil {
		done := make(chan error, 1)
		go func() { done <- app.RunContext(ctx, args) }()
		select {
		case err = <-done:
			err = cmp.Or(err, out.err) // the library ignores errors of printing help
		case <-ctx.Done():
			select { // do not wait forever: reads and writes of pipes cannot be interrupted
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
		if i.Signal != SIGPIPE { // with SIGPIPE nobody would read the message
			fmt.Fprintln(stderr, "superres: interrupted; finished files are whole, nothing is half written")
			if text := advice.Load(); text != nil {
				fmt.Fprintln(stderr, "superres:", safefile.OneLine(*text))
			}
		}
		return i.Code()
	}
	fmt.Fprintln(stderr, "superres:", Message(err))
	return ExitCode(err)
}

// App returns the program as an application of the command-line library, with commands for the streams s.
func (p Program) App(s *Streams) *cli.App {
	app := &cli.App{Name: "superres", Usage: p.Usage, Version: Version, HideVersion: true,
		HideHelpCommand: true, // reorder turns it into --help
		Writer:          s.Out, ErrWriter: s.Err, Reader: s.In,
		ExitErrHandler:        func(*cli.Context, error) {}, // Run handles errors
		OnUsageError:          func(_ *cli.Context, err error, _ bool) error { return Fail(ExitUsage, err) },
		CustomAppHelpTemplate: p.Help, DisableSliceFlagSeparator: true, // a file name may contain a comma
	}
	for _, make := range p.Commands {
		app.Commands = append(app.Commands, make(s))
	}
	return app
}

// patience is how long the program waits, after an interruption, for the command to end.
const patience = 3 * time.Second

// tempAge is the age from which temporary files are removed even if a program on another machine may have created them.
const tempAge = time.Hour
