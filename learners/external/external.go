// Package external makes learners and coders of programs in any language: of
// "exec:COMMAND", which is started once and serves many problems, and of
// "exec1:COMMAND", which is started for each.
//
// A problem is a folder. In it are problem.json, which says what is asked for, and the
// matrices Y.npy and D0.npy (of a coder D.npy); the program puts D.npy there, and X.npy
// and trace.csv where it has them (a coder X.npy). testdata/external/README.md in the
// repository is the protocol for who writes such a program, with examples.
//
// A program gets the variables of the environment that such programs need, which
// testdata/external/README.md lists, and no others, such as the token of a service. All that
// it starts ends with it, as far as the system lets that be found: see family_*.go.
//
// Nothing that a program says is believed: sizes and numbers are checked, atoms are
// brought to length 1 and their signs fixed, and errors are computed here. What goes
// wrong with a program is an error of the class [ErrProgram] that ends with the last
// lines of its standard error; the program is then ended, with all that it started, and
// started anew for the next problem.
//
// Read it in this order: learner.go and coder.go, the plug-ins; problem.go, what is
// written for a program, and answer.go, what is read; command.go, what a spec says;
// keep.go, the programs that wait for problems; process.go, one of them, and tail.go, the
// end of what it printed; environment.go, which variables it gets, and family_*.go, how it is
// ended, with all that it has started, on each system.
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

// ErrProgram is wrapped by errors of programs: they did not start, crashed, gave no
// answer in time or one that cannot be used.
var ErrProgram = errors.New("external program failed")

type programError string

func (e programError) Error() string        { return string(e) }
func (e programError) Is(target error) bool { return target == ErrProgram }

// Program is a program outside, and how it is to be run. Concurrent use is safe: several
// of it are started then.
type Program struct {
	// Command is the program and its arguments, between blanks; what holds blanks or commas
	// stands between quotes, of either kind.
	Command string
	// Limit is how long it may take for a problem. The default, 0, is 10 minutes.
	Limit time.Duration
	// Once tells that it is started for each problem, with its folder in place of {} in
	// its arguments or else as the last of them.
	Once bool
}

// declare binds what a spec says of a program.
func (p *Program) declare(fs *flag.FlagSet) {
	fs.StringVar(&p.Command, argument, "", "the program and its arguments, which come first; quote what has blanks or commas in it")
	p.Limit = usualLimit
	fs.Var(limit{&p.Limit}, "limit", "time for a problem, such as 90s or 2h")
}

// limit is a flag.Value for the time that a program has, more than 0.
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
	if l.Duration == nil { // as package flag makes one
		return ""
	}
	return l.Duration.String()
}

const (
	argument   = "command"
	usualLimit = 10 * time.Minute
)

func (p Program) limit() time.Duration {
	if p.Limit == 0 {
		return usualLimit
	}
	return p.Limit
}

// failed makes the error of a program.
func (p Program) failed(format string, args ...any) error {
	return programError(fmt.Sprintf("external: %s: %s", p.Command, fmt.Sprintf(format, args...)))
}

// solve has a problem solved: what is asked for, and matrices by their files. The reply is
// good until done is called, which it must be, also after an error.
func (p Program) solve(ctx context.Context, s statement, matrices map[string]*mat.Dense) (r reply, done func(), err error) {
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
	if p.Once {
		r, err = p.runOnce(ctx, programs, folder, s)
	} else {
		r, err = p.serve(ctx, programs, folder, s)
	}
	return r, done, err
}

func init() {
	for name, once := range map[string]bool{"exec": false, "exec1": true} {
		how := "started once for many problems"
		if once {
			how = "started for each problem"
		}
		learners.Register(learners.Info{
			Name: name, Summary: "a program of your own in any language, " + how, Reference: "testdata/external/README.md: the protocol, with examples", Argument: argument,
			New: func(fs *flag.FlagSet) learners.Learner {
				l := &Learner{Program{Once: once}}
				l.declare(fs)
				return l
			},
		})
		sparse.Register(sparse.Info{
			Name: name, Summary: "a program of your own in any language, " + how, Reference: "testdata/external/README.md: the protocol, with examples", Argument: argument,
			New: func(fs *flag.FlagSet) sparse.Coder {
				c := &Coder{Program: Program{Once: once}}
				c.declare(fs)
				fs.IntVar(&c.Sparsity, "sparsity", 0, "non-zeros a signal at most; 0: no limit")
				fs.Float64Var(&c.Tolerance, "tolerance", 0, "residual norm at which a signal may end")
				return c
			},
		})
	}
}

var (
	_ plugin.Program = (*Learner)(nil)
	_ plugin.Program = (*Coder)(nil)
)
