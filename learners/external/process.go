package external

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"superres/internal/safefile"
)

// process is a program that runs. But for end, one goroutine at a time uses it.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser // nil of one that is started for each problem
	said  tail           // the end of its standard error
	lines chan string    // of its standard output; closed with it
	loud  bool           // a line was too long; to be read once lines is closed

	stop  sync.Once
	quit  chan struct{} // closed when nobody reads lines any more
	ended chan struct{} // closed when it and what it started have ended
	err   error         // how it ended; to be read once ended is closed
}

// longestLine is that of an answer, in bytes.
const longestLine = 1 << 16

// drain is how long the output of a program that has ended is waited for: what it has
// started may still hold it.
const drain = time.Second

// start starts a program.
func start(path string, args []string, serves bool) (*process, error) {
	p := &process{cmd: exec.Command(path, args...), quit: make(chan struct{}), ended: make(chan struct{}), lines: make(chan string)}
	group(p.cmd)
	p.cmd.WaitDelay = drain
	p.cmd.Env = oneThread(os.Environ())
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
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go p.read(out)
	go func() {
		if p.err = p.cmd.Wait(); errors.Is(p.err, exec.ErrWaitDelay) {
			p.err = nil // it has ended well, if not all that it started
		}
		endGroup(p.cmd.Process.Pid, true) // what it has left behind
		printed.Close()
		close(p.ended)
	}()
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
	scan := bufio.NewScanner(out)
	scan.Buffer(nil, longestLine)
	for scan.Scan() {
		select {
		case p.lines <- scan.Text():
		case <-p.quit:
			return
		}
	}
	p.loud = errors.Is(scan.Err(), bufio.ErrTooLong)
}

// idle tells whether the program still runs and has said nothing that was not asked for.
func (p *process) idle() bool {
	select {
	case <-p.lines: // or closed
		return false
	case <-p.ended:
		return false
	default:
		return true
	}
}

// end ends the program and what it has started, and returns when they have ended.
// Concurrent use is safe.
func (p *process) end() {
	p.stop.Do(func() {
		close(p.quit)
		select {
		case <-p.ended: // its number may be another's by now
		default:
			endGroup(p.cmd.Process.Pid, false)
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
	Folder string `json:"folder"`
	Error  string `json:"error"`
}

// serve gives the problem in a folder to a program that serves many, one of those that
// wait or a new one.
func (p Program) serve(ctx context.Context, programs *programs, folder string) (reply, error) {
	proc, err := programs.take(p)
	if err != nil {
		return reply{}, err
	}
	r := reply{p, folder, programs, proc}
	err = p.ask(ctx, proc, folder)
	switch {
	case err == nil:
		return r, nil
	case ctx.Err() != nil:
		programs.end(proc)
		return r, ctx.Err()
	}
	return r, r.failed("%v", err)
}

// ask has a problem solved.
func (p Program) ask(ctx context.Context, proc *process, folder string) error {
	proc.said.reset()
	line, err := json.Marshal(request{folder})
	if err != nil {
		return err
	}
	limit := time.NewTimer(p.limit())
	defer limit.Stop()
	_, _ = proc.in.Write(append(plainASCII(line), '\n')) // to one that has ended is told below
	select {
	case line, open := <-proc.lines:
		return answered(proc, line, open, folder)
	case <-limit.C:
		return fmt.Errorf("no answer in %v, the limit for a problem", p.limit())
	case <-ctx.Done():
		return ctx.Err()
	}
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

// answered judges a line of a program, or the end of its lines.
func answered(proc *process, line string, open bool, folder string) error {
	if !open {
		if proc.loud {
			return errors.New("printed a line that is no answer; print to standard error")
		}
		<-proc.ended
		return fmt.Errorf("ended without an answer (%s); a program for one problem is named with exec1", ending(proc.err))
	}
	var a answer
	if err := json.Unmarshal([]byte(line), &a); err != nil || a.Folder != folder {
		return fmt.Errorf("printed %s where the answer was expected; print to standard error", shown(line))
	}
	if a.Error != "" {
		return errors.New(shown(a.Error))
	}
	return nil
}

// runOnce starts a program for the problem in a folder.
func (p Program) runOnce(ctx context.Context, programs *programs, folder string) (reply, error) {
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
	r := reply{p, folder, programs, proc}
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
