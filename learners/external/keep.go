package external

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"superres/internal/safefile"
)

// programs are those that run, and the folder of their problems. Concurrent use is safe.
type programs struct {
	mu      sync.Mutex
	closed  bool
	running []*process
	waiting map[string][]*process // by command
	folder  string                // empty until there is a problem
}

type keepKey struct{}

// Keep returns a context in which programs that serve many problems are kept running
// from one to the next, and what ends them: it must be called in the end. It ends those
// too that are still at work, and removes all folders of problems. Without Keep, a program
// is started and ended for each call of Learn or Code.
func Keep(ctx context.Context) (context.Context, func()) {
	p := &programs{}
	return context.WithValue(ctx, keepKey{}, p), p.close
}

// programsOf are those that the context keeps, or new ones, which done ends.
func programsOf(ctx context.Context) (p *programs, done func()) {
	if p, ok := ctx.Value(keepKey{}).(*programs); ok {
		return p, func() {}
	}
	p = &programs{}
	return p, p.close
}

var errClosed = errors.New("external: the program is ending")

// take returns a program that serves many problems: one that waits, which may have ended,
// or a new one.
func (p *programs) take(what Program) (*process, error) {
	p.mu.Lock()
	list := p.waiting[what.Command]
	if len(list) == 0 {
		p.mu.Unlock()
		return p.start(what, "")
	}
	defer p.mu.Unlock()
	proc := list[len(list)-1]
	p.waiting[what.Command] = list[:len(list)-1]
	return proc, nil
}

// giveBack lets a program wait for the next problem.
func (p *programs) giveBack(what Program, proc *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == nil {
		p.waiting = map[string][]*process{}
	}
	p.waiting[what.Command] = append(p.waiting[what.Command], proc)
}

// start starts a program; one for a single problem gets its folder.
func (p *programs) start(what Program, folder string) (*process, error) {
	path, args, err := what.line()
	if err != nil {
		return nil, err
	}
	if what.Once {
		args = withFolder(args, folder)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	proc, err := start(path, args, !what.Once)
	if err != nil {
		return nil, what.failed("cannot be started (%v); name what runs it, %s:python3 mine.py", err, what.name())
	}
	p.running = append(p.running, proc)
	return proc, nil
}

// withFolder puts the folder of a problem among the arguments.
func withFolder(args []string, folder string) []string {
	const place = "{}"
	if !slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, place) }) {
		return append(slices.Clone(args), folder)
	}
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = strings.ReplaceAll(a, place, folder)
	}
	return out
}

// end ends a program.
func (p *programs) end(proc *process) {
	proc.end()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = slices.DeleteFunc(p.running, func(other *process) bool { return other == proc })
}

// problem makes the folder of a problem. remove takes it away with all that is in it.
func (p *programs) problem() (folder string, remove func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return "", nil, errClosed
	}
	if p.folder == "" {
		if p.folder, err = safefile.TempFolder(); err != nil {
			return "", nil, err
		}
	}
	folder, err = os.MkdirTemp(p.folder, "problem-")
	if err != nil {
		return "", nil, safefile.Unwritable(p.folder, err)
	}
	return folder, func() { _ = os.RemoveAll(folder) }, nil // close tries it again
}

// grace is how long programs that wait have to end by themselves.
const grace = time.Second

// close ends all programs: those that wait by the end of their standard input, those that
// are at work and those that stay at once.
func (p *programs) close() {
	p.mu.Lock()
	p.closed = true
	running, waiting := slices.Clone(p.running), slices.Concat(slices.Collect(maps.Values(p.waiting))...)
	p.mu.Unlock()
	for _, proc := range waiting {
		proc.hangUp()
	}
	over := time.After(grace)
	for _, proc := range waiting {
		select {
		case <-proc.ended:
		case <-over:
			over = time.After(0)
		}
	}
	var all sync.WaitGroup
	for _, proc := range running {
		all.Go(func() { p.end(proc) })
	}
	all.Wait()
	if p.folder != "" {
		_ = os.RemoveAll(p.folder)
	}
}
