package serve

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/internal/sandbox"
)

// workerProcess is a worker, as the server sees it. It is used by one goroutine at a time, but for kill.
type workerProcess struct {
	*link
	cmd     *exec.Cmd
	in      io.Closer      // its standard input
	limit   *sandbox.Child // nil: the system has none
	size    int64          // of its memory when it was ready, in bytes
	errs    beginning      // of what it wrote to standard error
	missing []string       // what the system has not got to confine it
	since   time.Time      // when it has become idle

	mu     sync.Mutex // guards killed
	killed string     // why the server has ended it; empty: it has not
}

const (
	// startTime is how long a worker may take until it is ready.
	startTime = time.Minute
	// cancelTime is how long a worker may take to end a job that was cancelled, or itself.
	cancelTime = 2 * time.Second
	// quietTime is how long a worker may say nothing, beside the time to decode a picture.
	quietTime = 5 * time.Minute
)

// passed are the environment variables that workers get.
var passed = []string{"GODEBUG", "GOTRACEBACK", "SYSTEMROOT", "SUPERRES_PANIC"}

// beginWorker begins a worker and waits until it is ready.
func beginWorker(settings workerSettings) (*workerProcess, error) {
	path := "/proc/self/exe" // this program, also when another has its name by now
	if _, err := os.Stat(path); err != nil {
		if path, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	p := &workerProcess{cmd: exec.Command(path)}
	p.cmd.Args = []string{"superres", "worker"} // for those who list processes
	p.cmd.Env = []string{workerVariable + "=1", fmt.Sprintf("GOMAXPROCS=%d", runtime.GOMAXPROCS(0))}
	for _, name := range passed {
		if value, is := os.LookupEnv(name); is {
			p.cmd.Env = append(p.cmd.Env, name+"="+value)
		}
	}
	p.cmd.Stderr = &p.errs
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	aside, err := passAside(p.cmd)
	if err != nil {
		return nil, err
	}
	err = p.cmd.Start()
	if aside != nil {
		_ = aside.Close() // the worker has its own
	}
	if err != nil {
		return nil, err
	}
	p.in, p.link = in, newLink(out, in)
	late := time.AfterFunc(startTime, func() { p.kill("it was not ready in time") })
	defer late.Stop()
	if p.limit, err = sandbox.Adopt(p.cmd.Process); err != nil {
		p.missing = append(p.missing, "a limit of memory ("+err.Error()+")")
	}
	var ready workerReady
	if err = p.sendValue(frameStart, settings); err == nil {
		err = p.receiveValue(frameReady, &ready)
	}
	if err == nil && ready.Version != console.Version {
		err = fmt.Errorf("it is of version %s", shortened(ready.Version))
	}
	if err != nil {
		_, how := p.end()
		return nil, fmt.Errorf("%s (%w)", how, err)
	}
	for _, what := range ready.Missing {
		p.missing = append(p.missing, shortened(what))
	}
	if p.limit != nil {
		p.size, _ = p.limit.Size()
	}
	return p, nil
}

// growth is by how many bytes the worker is larger than when it was ready, where that is known.
func (p *workerProcess) growth() int64 {
	if p.limit == nil {
		return 0
	}
	size, err := p.limit.Size()
	if err != nil {
		return 0
	}
	return size - p.size
}

// kill ends a worker at once; why is for the log.
func (p *workerProcess) kill(why string) {
	p.mu.Lock()
	p.killed = cmp.Or(p.killed, why)
	p.mu.Unlock()
	_ = p.cmd.Process.Kill() // it may have ended
}

// end ends a worker, if it has not ended, and returns how it did. noMemory says that it
// had too little memory.
func (p *workerProcess) end() (noMemory bool, how string) {
	late := time.AfterFunc(cancelTime, func() { p.kill("it did not end by itself") })
	_ = p.in.Close() // its sign to end
	err := p.cmd.Wait()
	late.Stop()
	if p.limit != nil {
		p.limit.Close()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	text := p.errs.String()
	for _, sign := range []string{
		"out of memory", "cannot allocate memory", "failed to create new OS thread", "pthread_create failed",
	} {
		if strings.Contains(text, sign) {
			return true, "out of memory"
		}
	}
	for line := range strings.Lines(text) {
		// Go's runtime itself, unlike a program in Go, looks at no address that is not there, but
		// where it got no memory and did not see that.
		if strings.HasPrefix(line, "SIGSEGV: ") {
			return true, "out of memory, in Go's runtime"
		}
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return false, shortened(line)
		}
	}
	switch {
	case p.killed != "":
		return false, p.killed
	case err == nil:
		return false, "it ended by itself"
	}
	// The system kills what has no memory left.
	return strings.Contains(err.Error(), "signal: killed"), shortened(err.Error())
}

// shortened is a text of a worker in one short line.
func shortened(text string) string {
	const most = 200
	return safefile.OneLine(fmt.Sprintf("%.*s", most, strings.TrimSpace(text)))
}

// beginning keeps the first bytes that are written to it. It is safe for concurrent use.
type beginning struct {
	mu   sync.Mutex
	text []byte
}

func (b *beginning) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	const most = 4 << 10
	b.text = append(b.text, p[:min(len(p), most-len(b.text))]...)
	return len(p), nil
}

func (b *beginning) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.text)
}
