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
	"path/filepath"
	"strings"
	"sync"
	"time"

	"superres/internal/safefile"
)

// process is a running program. Only one goroutine at a time may use it, but end may be called concurrently.
type process struct {
	cmd    *exec.Cmd
	family family
	mu     sync.Mutex     // guards the use of family once the program has started
	in     io.WriteCloser // its standard input
	stderr tail           // the end of its standard error
	lines  chan string    // the lines of its standard output; closed at the end of the output

	answered bool // it has answered before, so that a line that it prints may belong to an earlier problem

	stop  sync.Once
	quit  chan struct{} // closed when lines will no longer be read
	ended chan struct{} // closed when the program and the processes that it started have ended
	err   error         // the error of cmd.Wait; valid once ended is closed
}

// maxLine is the length of the longest line of an answer, in bytes. The rest of a longer line is dropped.
const maxLine = 1 << 16

// drain is how long child processes of a program that has ended may hold its output open before reading stops.
const drain = time.Second

// start starts the program at path with args, in a process group of its own, and has it use one thread: see oneThread.
func start(path string, args []string) (*process, error) {
	p := &process{cmd: exec.Command(path, args...), quit: make(chan struct{}), ended: make(chan struct{}),
		lines: make(chan string)}
	group(p.cmd)
	p.cmd.WaitDelay = drain // for child processes that hold the output open when the program has ended
	p.cmd.Env = oneThread(os.Environ())
	p.cmd.Stderr = &p.stderr
	out, printed := io.Pipe()
	p.cmd.Stdout = printed
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.family = newFamily(p.cmd.Process)
	go func() {
		if p.err = p.cmd.Wait(); errors.Is(p.err, exec.ErrWaitDelay) {
			p.err = nil // the program itself has ended normally, only its child processes hold its output
		}
		p.mu.Lock() // a call of end may be running
		defer p.mu.Unlock()
		p.family.end(true) // ends the child processes that it left behind
		printed.Close()    // read then ends
		close(p.ended)
	}()
	go p.read(out)
	return p, nil
}

// threadVariables are the environment variables that set the number of threads of libraries for linear algebra.
var threadVariables = []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"}

// oneThread adds each of threadVariables with the value 1 to environment, unless it is set already: trials already run
// on all processors at once, and the last bits of a product may depend on the number of threads.
func oneThread(environment []string) []string {
	for _, name := range threadVariables {
		if _, set := os.LookupEnv(name); !set {
			environment = append(environment, name+"=1")
		}
	}
	return environment
}

// read sends the lines of the standard output, cut to maxLine bytes, to p.lines, until the output ends or quit closes.
func (p *process) read(out *io.PipeReader) {
	defer close(p.lines)
	defer out.Close() // then the program cannot print any more
	in := bufio.NewReaderSize(out, maxLine)
	for {
		line, cut, err := in.ReadLine()
		if err != nil {
			return
		}
		select {
		case p.lines <- string(line):
		case <-p.quit:
			return
		}
		for cut && err == nil {
			_, cut, err = in.ReadLine()
		}
	}
}

// end kills the program and its child processes, and returns when they have ended. It is safe for concurrent use.
func (p *process) end() {
	p.stop.Do(func() {
		close(p.quit)
		p.mu.Lock()
		defer p.mu.Unlock()
		select {
		case <-p.ended: // do not kill: another process may have the same number by now
		default:
			p.family.end(false)
		}
	})
	<-p.ended
}

// closeInput closes the standard input of the program, which tells it that there are no more problems.
func (p *process) closeInput() {
	_ = p.in.Close() // an error means that the program has ended
}

// request is a line on the standard input of a program, and answer is a line on its standard output. A program may
// print the line of the request as its answer.
type request struct {
	Folder string `json:"folder"`
}

type answer struct {
	Folder string  `json:"folder"`
	Error  *string `json:"error"` // nil if the problem was solved
}

// errEnded says that a program has ended instead of answering.
var errEnded = errors.New("ended without an answer")

// serve gives the problem in folder to a waiting process, or to a new process. A waiting process may have ended, or end
// when it gets the problem. Then the next waiting process gets the problem, and finally a new process, so that the
// result does not depend on which process was taken.
func (p Program) serve(ctx context.Context, programs *programs, folder string, problem statement) (reply, error) {
	for {
		proc, err := programs.take(p)
		if err != nil {
			return reply{}, err
		}
		r := reply{p, problem, folder, programs, proc}
		answered := proc.answered
		err = r.request(ctx)
		switch {
		case err == nil:
			return r, nil
		case ctx.Err() != nil:
			programs.end(proc)
			return r, ctx.Err()
		case answered && errors.Is(err, errEnded): // a process that had waited: try the next
			programs.end(proc)
		default:
			return r, r.fail("%v", err)
		}
	}
}

// request gives the problem to the program and waits for the answer. A line that is no answer is an error if the
// program has never answered before. Otherwise the line may be a late line for an earlier problem, and is skipped.
func (r reply) request(ctx context.Context) error {
	if r.proc.answered { // keep the errors of a program that fails at its start
		r.proc.stderr.reset()
	}
	line, err := json.Marshal(request{r.folder})
	if err != nil {
		return err
	}
	limit := time.NewTimer(r.limit())
	defer limit.Stop()
	_, _ = r.proc.in.Write(append(safefile.PlainASCII(line), '\n')) // if the program has ended, the loop below notices
	skipped := ""
	for {
		select {
		case line, ok := <-r.proc.lines:
			if !ok {
				return r.proc.endedEarly()
			}
			var a answer
			err := json.Unmarshal([]byte(line), &a)
			switch {
			case err != nil || a.Folder != r.folder:
				if !r.proc.answered {
					return fmt.Errorf("printed %s where the answer was expected; print to standard error", quoted(line))
				}
				skipped = "; it printed " + quoted(line) + ", which is no answer"
			case a.Error == nil:
				r.proc.answered = true
				return nil
			case *a.Error == "":
				return errors.New("gave the problem up and did not say why")
			default:
				return errors.New(quoted(*a.Error))
			}
		case <-limit.C:
			return fmt.Errorf("no answer in %g s, the limit for a problem%s%s", r.limit().Seconds(), skipped,
				r.flushAdvice())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// flushAdvice returns advice for a program that has printed no answer but written its result file, else "".
func (r reply) flushAdvice() string {
	name := r.problem.result()
	if _, err := os.Lstat(filepath.Join(r.folder, name)); err != nil {
		return ""
	}
	return "; " + name + " is there: was the answer flushed, with a line end?"
}

// endedEarly waits until the program has ended, and returns an error that says how it ended.
func (p *process) endedEarly() error {
	<-p.ended
	return fmt.Errorf("%w (%s)", errEnded, ending(p.err))
}

// ending says in words how a program ended; err is the result of Wait of its exec.Cmd.
func ending(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return safefile.OneLine(err.Error())
}

// quoted returns the first 200 characters of a text that a program printed, on one line and in quotes.
func quoted(text string) string {
	text = safefile.OneLine(strings.ToValidUTF8(text, "?"))
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:200]) + "..."
	}
	return `"` + text + `"`
}
