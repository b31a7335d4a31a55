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
	"superres/internal/avif"
	"superres/internal/safefile"
	"superres/internal/sandbox"
)

// workerProcess is a worker as the server sees it. While a goroutine uses it, others may only call kill.
type workerProcess struct {
	*link
	cmd     *exec.Cmd
	in      io.Closer      // standard input of the worker
	limit   *sandbox.Child // limits the worker's memory; nil: the system cannot
	size    int64          // bytes that the worker had mapped when it was ready
	errs    beginning      // first bytes that the worker wrote to standard error
	missing []string       // means of confinement that the system lacks
	since   time.Time      // when it last became idle
	forAVIF bool           // the worker's codecs for AVIF are ready; false: it has none

	mu     sync.Mutex // guards killed
	killed string     // why the server killed the worker; empty: the server has not killed it
}

const (
	// startTime is how long a worker may take to get ready.
	startTime = time.Minute
	// cancelTime is how long a worker may take to end a cancelled job, or to exit.
	cancelTime = 2 * time.Second
	// quietTime is how long a worker may send nothing, in addition to the time allowed to decode a picture.
	quietTime = 5 * time.Minute
)

// passesAside says that the server passes each worker a temporary file without a name, since a confined worker cannot
// create a file. On Windows a worker can create files, and no file can be passed to it.
const passesAside = runtime.GOOS != "windows"

// passed lists the environment variables that workers inherit: for Go, the system, panics and the cache of codecs.
var passed = []string{"GODEBUG", "GOTRACEBACK", "SYSTEMROOT", "SUPERRES_PANIC", "HOME", "XDG_CACHE_HOME",
	"LocalAppData"}

// beginWorker starts a worker with settings, which can use AVIF if forAVIF is true, and returns it when it is ready.
func beginWorker(settings workerSettings, forAVIF bool) (*workerProcess, error) {
	kind := "1"
	if forAVIF {
		_ = avif.Prepare() // fills the cache, which a confined process cannot
		kind = readsAVIF
	}
	path := "/proc/self/exe" // this very program, even if its file has been replaced
	if _, err := os.Stat(path); err != nil {
		if path, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	p := &workerProcess{cmd: exec.Command(path), forAVIF: forAVIF}
	p.cmd.Args = []string{"superres", "worker"} // the name in lists of processes
	p.cmd.Env = []string{workerVariable + "=" + kind, fmt.Sprintf("GOMAXPROCS=%d", runtime.GOMAXPROCS(0))}
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
	if passesAside {
		aside, err := safefile.Scratch("")
		if err != nil {
			return nil, err
		}
		defer aside.Close() // the worker keeps its own descriptor
		p.cmd.ExtraFiles = []*os.File{aside}
	}
	if err := p.cmd.Start(); err != nil {
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

// kill kills the worker. The first call also stores why, the reason for the log, in p.killed.
func (p *workerProcess) kill(why string) {
	p.mu.Lock()
	p.killed = cmp.Or(p.killed, why)
	p.mu.Unlock()
	_ = p.cmd.Process.Kill() // an error means that the process has ended already
}

// death is the cause of a worker's end.
type death int

const (
	atFault  death = iota // a fault in the worker, or the server ended it
	noMemory              // it ran out of the memory allowed to it
	outside               // another process or, short of memory, the system killed it
)

// end makes the worker exit, if it still runs. why is the cause of its end, and how describes the cause for the log:
// what the worker wrote to standard error decides, else why the server killed it, else how the process ended. Of a
// worker that had nothing to do when end was called, both mean nothing.
func (p *workerProcess) end() (why death, how string) {
	late := time.AfterFunc(cancelTime, func() { p.kill("it did not end by itself") })
	_ = p.in.Close() // tells the worker to exit
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
			return noMemory, "out of memory"
		}
	}
	for line := range strings.Lines(text) {
		// A fault in the Go runtime itself, not in Go code: it failed to get memory and did not notice.
		if strings.HasPrefix(line, "SIGSEGV: ") {
			return noMemory, "out of memory, in Go's runtime"
		}
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return atFault, shortened(line)
		}
	}
	switch {
	case p.killed != "":
		return atFault, p.killed
	case err == nil:
		return atFault, "it ended by itself"
	case strings.Contains(err.Error(), "signal: killed"):
		why = outside // a worker that reaches its memory limit gets no signal
	}
	return why, shortened(err.Error())
}

// shortened returns text, which came from a worker, as one line of at most 200 bytes.
func shortened(text string) string {
	const most = 200
	return safefile.OneLine(fmt.Sprintf("%.*s", most, strings.TrimSpace(text)))
}

// beginning is a writer that keeps the first 4 KiB written to it. It is safe for concurrent use.
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
