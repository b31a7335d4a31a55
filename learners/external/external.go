// Package external runs programs in any language as learners and coders. The program of a spec "exec:COMMAND" is
// started once and serves many problems.
//
// A problem is a folder with problem.json, which states the task, and the matrices Y.npy and, for a learner, D0.npy
// or, for a coder, D.npy. A learner writes D.npy to the folder and may write X.npy and trace.csv; a coder writes
// X.npy. testdata/external/README.md in the repository is the protocol for authors of such programs, with examples.
//
// A program is ended with all processes that it has started, if the system lets them be found: see family_*.go.
//
// No result of a program is trusted: sizes and numbers are checked, atoms are scaled to length 1, their signs fixed,
// and errors computed here. A failure of a program is an error that wraps [ErrProgram] and ends with the last lines
// that the program wrote to standard error. The program and all processes that it has started are then ended, and the
// program is started again for the next problem.
//
// Read it in this order: learner.go and coder.go, the plug-ins; problem.go, which writes problems, and answer.go, which
// reads answers; command.go, which reads commands; keep.go, the programs that wait for problems; process.go, one
// program, and tail.go, the end of its output; and family_*.go, which end a program and its processes on each system.
package external

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"superres/learners"
	"superres/learners/plugin"
	"superres/learners/sparse"

	"gonum.org/v1/gonum/mat"
)

// ErrProgram is wrapped by all errors of programs: a program did not start, crashed, or gave no usable answer in time.
var ErrProgram = errors.New("external program failed")

type programError string

func (e programError) Error() string        { return string(e) }
func (e programError) Is(target error) bool { return target == ErrProgram }

// Program is an external program, and how to run it. Concurrent calls are safe: each starts a process of its own.
type Program struct {
	// Command is the program and its arguments, separated by blanks. An argument that contains blanks or commas stands
	// between single or double quotes.
	Command string
	// Limit is the time limit for a problem. The default, 0, is 10 minutes.
	Limit time.Duration
}

// declare binds the parameters of a spec to the fields of the program.
func (p *Program) declare(fs *flag.FlagSet) {
	fs.StringVar(&p.Command, argument, "", "the program and its arguments, which come first; quote what has "+
		"blanks or commas in it")
	p.Limit = defaultLimit
	fs.Var(limit{&p.Limit}, "limit", "time for a problem, such as 90s or 2h")
}

// limit is a flag.Value for a time limit, which must be more than 0.
type limit struct{ *time.Duration }

// Set parses a time with its unit.
func (l limit) Set(text string) error {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return errors.New("expected a time with its unit, such as 5s, 90s, 1m or 2h")
	case d <= 0:
		return errors.New("expected more than 0, such as 90s or 2h")
	}
	*l.Duration = d
	return nil
}

// String shows the time.
func (l limit) String() string {
	if l.Duration == nil { // package flag calls String of a zero value
		return ""
	}
	return l.Duration.String()
}

const (
	argument     = "command"
	defaultLimit = 10 * time.Minute
)

// limit returns the time limit for a problem.
func (p Program) limit() time.Duration {
	if p.Limit == 0 {
		return defaultLimit
	}
	return p.Limit
}

// fail returns an error that wraps ErrProgram, with the text of fmt.Sprintf.
func (p Program) fail(format string, args ...any) error {
	return programError(fmt.Sprintf("external: %s: %s", p.Command, fmt.Sprintf(format, args...)))
}

// solve gives a problem to the program: the statement s, and matrices by their file names. The caller must call done,
// even after an error; done removes the files of the reply and, unless ctx is from Keep, ends the program.
func (p Program) solve(ctx context.Context, s statement, matrices map[string]*mat.Dense) (r reply, done func(),
	err error) {
	programs, end := programsOf(ctx)
	folder, remove, err := programs.problem()
	if err != nil {
		return r, end, err
	}
	done = func() { remove(); end() }
	s.Seconds = p.limit().Seconds()
	if err := pose(folder, s, matrices); err != nil {
		return r, done, err
	}
	r, err = p.serve(ctx, programs, folder, s)
	return r, done, err
}

func init() {
	const name, summary = "exec", "a program of your own in any language, started once for many problems"
	const reference = "testdata/external/README.md: the protocol, with examples"
	learners.Register(learners.Info{
		Name: name, Summary: summary, Reference: reference, Argument: argument,
		New: func(fs *flag.FlagSet) learners.Learner {
			l := &Learner{}
			l.declare(fs)
			return l
		},
	})
	sparse.Register(sparse.Info{
		Name: name, Summary: summary, Reference: reference, Argument: argument,
		New: func(fs *flag.FlagSet) sparse.Coder {
			c := &Coder{}
			c.declare(fs)
			fs.IntVar(&c.Sparsity, "sparsity", 0, "non-zeros a signal at most; 0: no limit")
			fs.Float64Var(&c.Tolerance, "tolerance", 0, "residual norm at which a signal may end; 0: none given")
			return c
		},
	})
}

var (
	_ plugin.Program = (*Learner)(nil)
	_ plugin.Program = (*Coder)(nil)
)
