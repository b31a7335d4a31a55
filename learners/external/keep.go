package external

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"superres/internal/safefile"
)

// programs holds the running programs, and the folder for their problems. It is safe for concurrent use.
type programs struct {
	mu      sync.Mutex
	closed  bool
	running []*process
	waiting map[string][]*process // the processes that wait for a problem, by command
	folder  string                // empty until the first problem
	remove  func()                // removes folder
}

type keepKey struct{}

// Keep returns a context in which programs that serve many problems keep running from one call of Learn or Code to the
// next. The caller must call the returned function, which ends all of these programs, even busy ones, and removes all
// folders of problems. Without Keep, each call starts and ends its own program.
func Keep(ctx context.Context) (context.Context, func()) {
	p := &programs{}
	return context.WithValue(ctx, keepKey{}, p), p.close
}

// programsOf returns the programs that ctx keeps (see Keep), or else a new set, which done ends.
func programsOf(ctx context.Context) (p *programs, done func()) {
	if p, ok := ctx.Value(keepKey{}).(*programs); ok {
		return p, func() {}
	}
	p = &programs{}
	return p, p.close
}

var errClosed = errors.New("external: the program is ending")

// take returns a process of program for the next problem: a waiting one, which may have ended, or else a new one.
func (p *programs) take(program Program) (*process, error) {
	p.mu.Lock()
	list := p.waiting[program.Command]
	if len(list) == 0 {
		p.mu.Unlock()
		return p.start(program)
	}
	defer p.mu.Unlock()
	proc := list[len(list)-1]
	p.waiting[program.Command] = list[:len(list)-1]
	return proc, nil
}

// giveBack adds proc to the processes that wait for the next problem.
func (p *programs) giveBack(program Program, proc *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == nil {
		p.waiting = map[string][]*process{}
	}
	p.waiting[program.Command] = append(p.waiting[program.Command], proc)
}

// start starts a process of program.
func (p *programs) start(program Program) (*process, error) {
	path, args, err := program.resolve()
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	proc, err := start(path, args)
	if err != nil {
		return nil, program.fail("cannot be started (%v); name what runs it, exec:python3 mine.py", err)
	}
	p.running = append(p.running, proc)
	return proc, nil
}

// end ends a process, and forgets it.
func (p *programs) end(proc *process) {
	proc.end()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = slices.DeleteFunc(p.running, func(other *process) bool { return other == proc })
}

// problem creates a folder for a problem. remove deletes the folder with all its files.
func (p *programs) problem() (folder string, remove func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return "", nil, errClosed
	}
	if p.folder == "" {
		if p.folder, p.remove, err = safefile.TempFolder(); err != nil {
			return "", nil, err
		}
	}
	folder, err = os.MkdirTemp(p.folder, "problem-")
	if err != nil {
		return "", nil, safefile.Unwritable(p.folder, err)
	}
	return folder, func() { _ = os.RemoveAll(folder) }, nil // close tries again if this fails
}

// grace is the time that waiting programs get to end by themselves.
const grace = time.Second

// close ends all programs, and removes the folder of problems. Waiting programs first get the end of their standard
// input; busy programs, and those that do not end within the time grace, are killed.
func (p *programs) close() {
	p.mu.Lock()
	p.closed = true
	running, waiting := slices.Clone(p.running), slices.Concat(slices.Collect(maps.Values(p.waiting))...)
	p.mu.Unlock()
	for _, proc := range waiting {
		proc.closeInput()
	}
	over := time.After(grace)
	for _, proc := range waiting {
		select {
		case <-proc.ended:
		case <-over:
			over = time.After(0) // the time is over for the other programs too
		}
	}
	var all sync.WaitGroup
	for _, proc := range running {
		all.Go(func() { p.end(proc) })
	}
	all.Wait()
	if p.folder != "" { // there was a problem
		p.remove()
	}
}
