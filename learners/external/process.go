package external

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"superres/internal/safefile"
)

// process is a program that runs. But for end, one goroutine at a time uses it.
type process struct {
	cmd    *exec.Cmd
	family family
	mu     sync.Mutex     // guards the use of family once it has started
	in     io.WriteCloser // nil of one that is started for each problem
	said   tail           // the end of its standard error
	lines  chan string    // of its standard output; closed with it

	answered bool // a problem: what it prints from then on may belong to that one

	stop  sync.Once
	quit  chan struct{} // closed when nobody reads lines any more
	ended chan struct{} // closed when it and what it started have ended
	err   error         // how it ended; to be read once ended is closed
}

// longestLine is that of an answer, in bytes. The rest of a longer line is passed over.
const longestLine = 1 << 16

// drain is how long the output of a program that has ended is waited for: what it has
// started may still hold it.
const drain = time.Second

// start starts a program.
func start(path string, args []string, serves bool) (*process, error) {
	p := &process{cmd: exec.Command(path, args...), quit: make(chan struct{}), ended: make(chan struct{}), lines: make(chan string)}
	group(p.cmd)
	p.cmd.WaitDelay = drain
	mark := fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())
	p.cmd.Env = environment(mark)
	p.cmd.Stderr = &p.said
	out, printed := io.Pipe()
	if serves {
		p.cmd.Stdout = printed
		var err error
		if p.in, err = p.cmd.StdinPipe(); err != nil {
			return nil, err
		}
	} else {
		p.cmd.Stdout = &p.said // whatever it prints is said
	}
	started := make(chan error)
	go func() {
		// The system may end the program with the thread that started it: this one lasts as long.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := p.cmd.Start(); err != nil {
			started <- err
			return
		}
		p.family = newFamily(p.cmd.Process, mark)
		started <- nil
		if p.err = p.cmd.Wait(); errors.Is(p.err, exec.ErrWaitDelay) {
			p.err = nil // it has ended well, if not all that it started
		}
		p.mu.Lock() // after the end that a caller asks for
		defer p.mu.Unlock()
		p.family.end(true) // what it has left behind
		printed.Close()
		close(p.ended)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	go p.read(out)
	return p, nil
}

// threads are the variables by which libraries of linear algebra know how many threads
// they may use.
var threads = []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"}

// oneThread adds to an environment that programs use one thread, unless it says how many:
// trials run beside one another already, a processor each, and with threads the last bits of
// a product depend on their number.
func oneThread(environment []string) []string {
	for _, name := range threads {
		if _, set := os.LookupEnv(name); !set {
			environment = append(environment, name+"=1")
		}
	}
	return environment
}

// read passes the lines of the standard output on.
func (p *process) read(out *io.PipeReader) {
	defer close(p.lines)
	defer out.Close() // what is printed later fails
	in := bufio.NewReaderSize(out, longestLine)
	for {
		line, more, err := in.ReadLine()
		if err != nil {
			return
		}
		select {
		case p.lines <- string(line):
		case <-p.quit:
			return
		}
		for more && err == nil {
			_, more, err = in.ReadLine()
		}
	}
}

// end ends the program and what it has started, and returns when they have ended.
// Concurrent use is safe.
func (p *process) end() {
	p.stop.Do(func() {
		close(p.quit)
		p.mu.Lock()
		defer p.mu.Unlock()
		select {
		case <-p.ended: // its number may be another's by now
		default:
			p.family.end(false)
		}
	})
	<-p.ended
}

// hangUp tells a program that there are no more problems.
func (p *process) hangUp() {
	if p.in != nil {
		_ = p.in.Close() // it may have ended
	}
}

// request is a line on the standard input of a program, and answer one on its output: a
// program may answer with the line that it was given.
type request struct {
	Folder string `json:"folder"`
}

type answer struct {
	Folder string  `json:"folder"`
	Error  *string `json:"error"` // nil of a problem that is solved
}

// errEnded is why there is no answer of a program that has ended.
var errEnded = errors.New("ended without an answer")

// serve gives the problem in a folder to a program that serves many, one of those that
// wait or a new one. One that has answered may have ended since, or end now: then the
// problem is given to another, a new one at last, so that it does not matter which of them
// got it.
func (p Program) serve(ctx context.Context, programs *programs, folder string, asked statement) (reply, error) {
	for {
		proc, err := programs.take(p)
		if err != nil {
			return reply{}, err
		}
		r := reply{p, asked, folder, programs, proc}
		old := proc.answered
		err = r.ask(ctx)
		switch {
		case err == nil:
			return r, nil
		case ctx.Err() != nil:
			programs.end(proc)
			return r, ctx.Err()
		case old && errors.Is(err, errEnded):
			programs.end(proc)
		default:
			return r, r.failed("%v", err)
		}
	}
}

// ask gives the program its problem and waits for the answer. A line that is none is a
// fault of a program that has not answered yet. Of one that has it may belong to the
// problem before, after whose answer it was printed, and nobody can tell: it is passed over.
func (r reply) ask(ctx context.Context) error {
	r.proc.said.reset()
	line, err := json.Marshal(request{r.folder})
	if err != nil {
		return err
	}
	limit := time.NewTimer(r.limit())
	defer limit.Stop()
	_, _ = r.proc.in.Write(append(plainASCII(line), '\n')) // to one that has ended is told below
	passed := ""
	for {
		select {
		case line, open := <-r.proc.lines:
			if !open {
				return r.proc.endedEarly()
			}
			var a answer
			err := json.Unmarshal([]byte(line), &a)
			switch {
			case err != nil || a.Folder != r.folder:
				if !r.proc.answered {
					return fmt.Errorf("printed %s where the answer was expected; print to standard error", shown(line))
				}
				passed = "; it printed " + shown(line) + ", which is no answer"
			case a.Error == nil:
				r.proc.answered = true
				return nil
			case *a.Error == "":
				return errors.New("gave the problem up and did not say why")
			default:
				return errors.New(shown(*a.Error))
			}
		case <-limit.C:
			return fmt.Errorf("no answer in %v, the limit for a problem%s%s", r.limit(), passed, r.unsaid())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// unsaid is a remedy where the result is there and the answer is not.
func (r reply) unsaid() string {
	name := r.asked.result()
	if _, err := os.Lstat(filepath.Join(r.folder, name)); err != nil {
		return ""
	}
	return "; " + name + " is there: was the answer flushed, with a line end?"
}

// endedEarly tells how a program ended that owes an answer.
func (p *process) endedEarly() error {
	<-p.ended
	if p.err != nil {
		return fmt.Errorf("%w (%s)", errEnded, ending(p.err))
	}
	return fmt.Errorf("%w (%s); a program for one problem is named with exec1", errEnded, ending(p.err))
}

// plainASCII is JSON with all other characters escaped: some languages read what comes in by
// an alphabet of the system.
func plainASCII(text []byte) []byte {
	var out []byte
	for _, r := range string(text) {
		switch {
		case r < utf8.RuneSelf:
			out = append(out, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// runOnce starts a program for the problem in a folder.
func (p Program) runOnce(ctx context.Context, programs *programs, folder string, asked statement) (reply, error) {
	proc, err := programs.start(p, folder)
	if err != nil {
		return reply{}, err
	}
	limit := time.NewTimer(p.limit())
	defer limit.Stop()
	select {
	case <-proc.ended:
		if proc.err != nil {
			err = fmt.Errorf("failed (%s)", ending(proc.err))
		}
	case <-limit.C:
		err = fmt.Errorf("has not ended in %v, the limit for a problem", p.limit())
	case <-ctx.Done():
	}
	programs.end(proc)
	r := reply{p, asked, folder, programs, proc}
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case err != nil:
		return r, r.failed("%v", err)
	}
	return r, nil
}

// ending words how a program ended.
func ending(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return safefile.OneLine(err.Error())
}

// shown is the beginning of what a program printed, in quotes.
func shown(text string) string {
	text = safefile.OneLine(strings.ToValidUTF8(text, "?"))
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:200]) + "..."
	}
	return `"` + text + `"`
}
