// Package app is the program superres but for its main function: a file for each
// command, and the flags. It is a package so that other programs of this folder can
// run the same commands.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"superres/internal/safefile"
	"superres/learners/plugin"
	"superres/superres"
)

// The exit codes.
const (
	exitOK     = 0
	exitNone   = 1 // nothing usable was made
	exitUsage  = 2
	exitSome   = 3 // some files failed, others are done
	exitInput  = 4
	exitOutput = 5
	exitModel  = 6
	exitLimit  = 7
)

// interrupt is the cause of a context that a signal ended.
type interrupt struct{ syscall.Signal }

func (i interrupt) Error() string { return "interrupted" }

// codedError is an error with its own exit code.
type codedError struct {
	error
	code int
}

func (e codedError) Unwrap() error { return e.error }

// usage makes an error of wrong usage.
func usage(format string, args ...any) error {
	return codedError{fmt.Errorf(format, args...), exitUsage}
}

// Run is the program: args as os.Args, the result the exit code. Messages go to
// stderr, data to stdout. Memory is a few large planes: a program that calls it does
// well to collect garbage early (debug.SetGCPercent(30)), which nearly halves the
// peak and costs little.
func Run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	ctx, stop := untilSignal(ctx)
	defer stop()
	out := &output{Writer: stdout}
	app := newApp(&streams{in: stdin, out: out, err: stderr})
	args, err := reorder(app, args)
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
				err = ctx.Err()
			}
		}
	}
	if err == nil {
		return exitOK
	}
	if i, ok := errors.AsType[interrupt](context.Cause(ctx)); ok {
		fmt.Fprintln(stderr, "superres: interrupted; finished files are whole, nothing is half written")
		return 128 + int(i.Signal)
	}
	fmt.Fprintln(stderr, "superres:", message(err))
	return exitCode(err)
}

// patience is how long the program waits, once interrupted, for work that does not
// look at the interruption.
const patience = 3 * time.Second

// packages matches the names of packages in front of an error or within it.
var packages = regexp.MustCompile(`(^|: )(?:(?:superres|learners|sparse|mnist|patches|matfile|npz|npy|zip): )+`)

// message is the text of an error in one line, with its remedies and without the
// names of the packages it comes from.
func message(err error) string {
	return safefile.OneLine(packages.ReplaceAllString(advised(err), "$1"))
}

// output is standard output; what cannot be written to it has its exit code.
type output struct {
	io.Writer
	err error // the first
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil {
		err = codedError{fmt.Errorf("standard output cannot be written: %w", err), exitOutput}
		o.err = cmp.Or(o.err, err)
	}
	return n, err
}

// exitCode gives the class of an error.
func exitCode(err error) int {
	if e, ok := errors.AsType[codedError](err); ok {
		return e.code
	}
	for _, c := range []struct {
		class error
		code  int
	}{
		{safefile.ErrInput, exitInput},
		{safefile.ErrOutput, exitOutput},
		{safefile.ErrLimit, exitLimit},
		{superres.ErrModel, exitModel},
		{superres.ErrPictures, exitInput},
		{plugin.ErrSettings, exitUsage},
	} {
		if errors.Is(err, c.class) {
			return c.code
		}
	}
	return exitNone
}

// untilSignal returns a context that ends, with an interrupt as its cause, at the
// first SIGINT or SIGTERM. A second one kills the program as usual.
func untilSignal(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(interrupt{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// streams are the program's standard streams.
type streams struct {
	in       io.Reader
	out, err io.Writer
	merging  bool // superres merge runs the command, to make its report
}

func newApp(s *streams) *cli.App {
	return &cli.App{
		Name:                  "superres",
		Usage:                 "enlarge pictures with learned dictionaries",
		Version:               version,
		HideVersion:           true,
		Writer:                s.out,
		ErrWriter:             s.err,
		Reader:                s.in,
		ExitErrHandler:        func(*cli.Context, error) {}, // run decides
		OnUsageError:          func(_ *cli.Context, err error, _ bool) error { return codedError{err, exitUsage} },
		CustomAppHelpTemplate: appHelp,
		// A file name may hold a comma.
		DisableSliceFlagSeparator: true,
		Commands: []*cli.Command{
			upscaleCommand(s), evalCommand(s), diffCommand(s), trainCommand(s), learnCommand(s), recoverCommand(s), compareCommand(s), mergeCommand(s), mnistCommand(s),
			dictCommand(s), modelsCommand(s), learnersCommand(s), codersCommand(s), benchCommand(s), completionCommand(s), manCommand(s), versionCommand(s),
		},
	}
}

// appHelp is shown by superres alone.
const appHelp = `superres enlarges pictures with learned dictionaries.

EXAMPLES
   superres upscale photo.jpg                       writes photo_2x.jpg
   superres upscale -s 3 -o large/ photos/          a whole folder
   superres eval -m bicubic -m photo -s 2 set5/     reduce, enlarge and score

COMMANDS
{{range .VisibleCommands}}   {{printf "%-10s" .Name}} {{.Usage}}
{{end}}
superres COMMAND --help tells the rest.
`

// commandHelp shows a command; its Description holds the examples.
const commandHelp = `{{.HelpName}}: {{.Usage}}

EXAMPLES
{{.Description}}

USAGE
   {{.HelpName}} {{.ArgsUsage}}

FLAGS
{{range .VisibleFlags}}   {{.}}
{{end}}`

// groupHelp shows a command that is only a name for others.
const groupHelp = `{{.HelpName}}: {{.Usage}}

EXAMPLES
{{.Description}}

COMMANDS
{{range .VisibleCommands}}   {{printf "%-10s" .Name}} {{.Usage}}
{{end}}
{{.HelpName}} COMMAND --help tells the rest.
`

// group completes a command that is only a name for others.
func group(c *cli.Command) *cli.Command {
	c.CustomHelpTemplate = groupHelp
	c.HideHelpCommand = true
	for _, sub := range c.Subcommands {
		sub.HelpName = "superres " + c.Name + " " + sub.Name
	}
	return c
}

// command completes a command: all have the same help and usage errors.
func command(c *cli.Command) *cli.Command {
	c.CustomHelpTemplate = commandHelp
	c.HideHelpCommand = true // "help" may be a file
	action := c.Action
	c.Action = func(ctx *cli.Context) error {
		if c.ArgsUsage == "" && ctx.NArg() > 0 {
			return usage("%s takes no argument, got %q", ctx.Command.Name, ctx.Args().First())
		}
		if ctx.IsSet("output") && ctx.String("output") == "" { // a variable of a script that is not set
			return usage("-o names nothing; leave it out or give a name")
		}
		return action(ctx)
	}
	c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return usage("%s", flagComplaint(c, err)) }
	return c
}

// oneOf refuses a value of a flag that is not one of the words that it takes.
func oneOf(flag, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	return usage("--%s: %s", flag, plugin.Unknown("value", value, words))
}

// badValue matches the library's words about a value that a flag cannot have.
var badValue = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-([^ :]+): (.*)$`)

// flagComplaint words an error about the flags of a command.
func flagComplaint(c *cli.Command, err error) string {
	m := badValue.FindStringSubmatch(err.Error())
	if m == nil {
		return err.Error()
	}
	dashes, want := "--", "another value"
	if len(m[2]) == 1 {
		dashes = "-"
	}
	for _, f := range c.Flags {
		if !slices.Contains(f.Names(), m[2]) {
			continue
		}
		switch f.(type) {
		case *cli.BoolFlag:
			want = "true or false"
		case *cli.IntFlag, *cli.Int64Flag:
			want = "a whole number"
		case *cli.Uint64Flag:
			want = "a whole number, 0 or more"
		case *cli.Float64Flag:
			want = "a number"
		case *cli.DurationFlag:
			want = "a time such as 30s or 2m"
		}
	}
	if strings.Contains(m[3], "out of range") {
		want += " of a usual size"
	}
	return fmt.Sprintf("%s%s %s: expected %s", dashes, m[2], m[1], want)
}
