package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"superres/cmd/internal/console"
	"superres/internal/imagefile"
	"superres/internal/safefile"
	"superres/internal/scheduling"
)

// workers starts and reuses processes of this program that do all work on the bytes of pictures, so that a malicious or
// broken picture harms neither the server nor other pictures. A worker is started when no worker is idle, and serves
// one picture after another. All methods are safe for concurrent use.
type workers struct {
	settings workerSettings
	verbose  bool
	log      func(line string)

	mu     sync.Mutex       // guards the fields below
	idle   []*workerProcess // the most recently used is the last
	busy   map[*workerProcess]bool
	told   bool // a worker has been started; the protections that the system lacks are logged only for the first
	closed bool
	ending sync.WaitGroup // counts the goroutines that start or end workers
}

const (
	// idleTime is how long a worker may be idle before it is ended. The last idle worker is kept.
	idleTime = time.Minute
	// mostGrowth is how many bytes more than at its start a worker may have mapped. A worker with more is not used
	// again, since a memory limit does not take mapped memory back.
	mostGrowth = 512 << 20
)

// newWorkers returns the workers of a server with settings, and starts a first worker in the background. log prints a
// line for the operator. If verbose is true, the protections that the system lacks are logged.
func newWorkers(settings workerSettings, verbose bool, log func(line string)) *workers {
	ws := &workers{settings: settings, verbose: verbose, log: log, busy: map[*workerProcess]bool{}}
	ws.ending.Go(func() {
		if p, _, err := ws.take(false); err == nil { // the first picture reports the error
			ws.put(p)
		}
	})
	return ws
}

// take returns an idle worker, or starts one, in which case isNew is true. If forAVIF is true, the worker can read and
// write AVIF. The caller gives the worker back with put or lose. take fails once close was called.
func (ws *workers) take(forAVIF bool) (p *workerProcess, isNew bool, err error) {
	ws.mu.Lock()
	for i := len(ws.idle) - 1; i >= 0 && p == nil; i-- {
		if ws.idle[i].forAVIF || !forAVIF {
			p = ws.idle[i]
			ws.idle = slices.Delete(ws.idle, i, i+1) // also clears the element past the new end
			ws.busy[p] = true
		}
	}
	closed := ws.closed
	ws.mu.Unlock()
	if closed {
		return nil, false, scheduling.ErrEnding
	}
	if p != nil {
		return p, false, nil
	}
	if p, err = beginWorker(ws.settings, forAVIF); err != nil {
		return nil, true, console.Failf(console.ExitNothing, "what reads pictures cannot be started: %w; try again",
			err)
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.closed {
		go p.end()
		return nil, true, scheduling.ErrEnding
	}
	ws.busy[p] = true
	if len(p.missing) > 0 && ws.verbose && !ws.told {
		ws.log("what reads pictures is confined without " + strings.Join(p.missing, ", "))
	}
	ws.told = true // the same is missing for all later workers
	return p, true, nil
}

// put makes worker p idle, or ends it if more than two per processor are idle, it has grown too much, or ws is closed.
func (ws *workers) put(p *workerProcess) {
	grown := false // where the system does not say how much a worker has mapped, none has grown
	if p.limit != nil {
		size, err := p.limit.Size()
		grown = err == nil && size-p.size > mostGrowth
	}
	ws.mu.Lock()
	defer ws.mu.Unlock()
	delete(ws.busy, p)
	if ws.closed || grown || len(ws.idle) > 2*runtime.GOMAXPROCS(0) {
		ws.ending.Go(func() { p.end() })
		return
	}
	p.since = time.Now()
	ws.idle = append(ws.idle, p)
	time.AfterFunc(idleTime+time.Second, ws.trim)
}

// trim ends workers that have been idle for longer than idleTime, the longest idle first, but keeps one idle worker.
func (ws *workers) trim() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for len(ws.idle) > 1 && time.Since(ws.idle[0].since) > idleTime {
		p := ws.idle[0]
		ws.idle = ws.idle[1:]
		ws.ending.Go(func() { p.end() })
	}
}

// close kills the busy workers, ends the idle ones, and waits until all goroutines that start or end a worker are done.
func (ws *workers) close() {
	ws.mu.Lock()
	ws.closed = true
	for p := range ws.busy {
		p.kill("the server ended")
	}
	for _, p := range ws.idle {
		ws.ending.Go(func() { p.end() })
	}
	ws.idle = nil
	ws.mu.Unlock()
	ws.ending.Wait()
}

// do has a worker do j with files, for the picture pic, and returns the reply. The worker writes the enlarged picture
// to out, which is nil for inspect. If the worker dies, the error says why, but one that died while idle is replaced.
func (ws *workers) do(ctx context.Context, pic *picture, j job, files []*os.File, out io.Writer) (reply, error) {
	j.Sizes = nil
	forAVIF := j.Params.Get("format") == string(imagefile.AVIF)
	for _, f := range files {
		format, _, _ := imagefile.IdentifyAt(f, "")
		forAVIF = forAVIF || format == imagefile.AVIF
		info, err := f.Stat()
		if err != nil {
			return reply{}, err
		}
		j.Sizes = append(j.Sizes, info.Size())
	}
	for {
		p, isNew, err := ws.take(forAVIF)
		if err != nil {
			return reply{}, err
		}
		t := &talk{workerProcess: p, pic: pic, job: j, files: files, out: out}
		done, err, fault := t.do(ctx) // err: of the job; fault: why p cannot be used again
		if fault == nil {
			ws.put(p)
			return done, err
		}
		why, how := ws.lose(p, fault)
		switch {
		case ctx.Err() != nil:
			return reply{}, context.Cause(ctx)
		case err != nil:
			return reply{}, err
		case !t.spoke && !isNew: // the worker died while it was idle: take another
			continue
		}
		name := cmp.Or(safefile.OneLine(j.Params.Get("name")), "a picture")
		ws.log(fmt.Sprintf("the process that read %.200s has ended: %s; others go on", name, how))
		switch why {
		case noMemory:
			return reply{}, console.Failf(console.ExitLimit, "the picture takes more memory than its head tells; "+
				"save it again with another program")
		case outside:
			return reply{}, console.Failf(console.ExitNothing, "what read the picture was ended by another program, "+
				"or for want of memory; try again")
		}
		return reply{}, console.Failf(console.ExitInput, "the program has failed on this picture: %s; please report "+
			"it, with the picture", how)
	}
}

// lose ends worker p, which fault made unusable. If fault does not mean that the worker has ended, lose kills it. why
// is the cause of its end, and how describes the cause for the log.
func (ws *workers) lose(p *workerProcess, fault error) (why death, how string) {
	ws.mu.Lock()
	delete(ws.busy, p)
	ws.mu.Unlock()
	_, closed := errors.AsType[*os.PathError](fault) // the other end of a pipe is closed
	if !errors.Is(fault, io.EOF) && !errors.Is(fault, io.ErrUnexpectedEOF) && !closed {
		p.kill(shortened(fault.Error()))
	}
	return p.end()
}
