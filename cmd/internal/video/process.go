package video

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"superres/internal/safefile"
	"superres/internal/sandbox"
)

// process is a run of ffmpeg or ffprobe. No shell is involved: the program gets the arguments unchanged.
type process struct {
	*exec.Cmd
	log    log
	kill   context.CancelFunc
	end    func() error  // waits for the end of the program and returns its error
	ended  chan struct{} // closed when the program has ended
	logged chan struct{} // closed when the program's messages have ended
	ends   []*os.File    // superres's ends of the pipes to and from the program
}

// mostTime and mostOutput limit a run whose output is kept in memory, such as ffprobe's. mostDelay is how long pipes
// may stay open and silent after the program has ended: if it is a script, programs that it started may outlive it.
var (
	mostTime   = 30 * time.Second
	mostOutput = 64 << 20 // bytes
	mostDelay  = 2 * time.Second
)

// errTooMuch is the error for an output of more than mostOutput bytes, errTooLong for a run beyond its time limit, and
// errEarly for a program that ended without an error before it had read all of its input.
var (
	errTooMuch = fmt.Errorf("it wrote more than %d MiB and was stopped", mostOutput>>20)
	errTooLong = errors.New("it did not end in time and was stopped")
	errEarly   = errors.New("it ended before it had all frames")
)

// newProcess returns a process, not yet started, of the program at path. It is killed when ctx ends. If line is not
// nil, line is called with each line of the program's messages.
//
// Note: the program gets a process group of its own, so that an interrupt from a terminal goes to superres alone, which
// then kills the group. Otherwise ffmpeg would finish the file, and the interrupted video would look complete.
func newProcess(ctx context.Context, line func(string), path string, args ...string) *process {
	ctx, kill := context.WithCancel(ctx)
	p := &process{Cmd: exec.CommandContext(ctx, path, args...), kill: kill, ended: make(chan struct{}),
		logged: make(chan struct{})}
	p.log.line = line
	setGroup(p.Cmd)
	p.Cancel = func() error {
		p.close() // first, so that no program that it started can wait for us
		return killGroup(p.Process)
	}
	return p
}

// close closes superres's ends of the pipes.
func (p *process) close() {
	for _, end := range p.ends {
		_ = end.Close()
	}
}

// start starts the process and sets p.end, which waits until the process has ended and its messages are read, and
// returns its error. ours and theirs are the two ends of a pipe to or from the process, or nil. start closes theirs.
//
// Note: the pipes are made here, since Wait of os/exec would close its own, or wait for programs that p has started.
func (p *process) start(ours, theirs *os.File) error {
	said, messages, err := os.Pipe()
	if err == nil {
		p.ends, p.Stderr = []*os.File{said, ours}, messages
		err = p.Start()
	}
	_, _ = messages.Close(), theirs.Close() // closing a nil file does nothing
	if err != nil {
		p.close()
		p.kill()
		return err
	}
	go func() {
		_, _ = io.Copy(&p.log, tail{said, p})
		close(p.logged)
	}()
	result := make(chan error, 1)
	go func() {
		result <- p.Wait()
		for _, end := range p.ends { // wakes readers and writers of the pipe
			_ = end.SetDeadline(time.Now())
		}
		close(p.ended)
	}()
	p.end = sync.OnceValue(func() error {
		err := <-result
		p.kill()                                   // frees the context
		late := time.AfterFunc(mostDelay, p.close) // ends the reading of messages
		<-p.logged
		late.Stop()
		if runtime.GOOS != "windows" { // there the number may be another program's by now
			_ = killGroup(p.Process)
		}
		p.close()
		p.log.flush()
		return err
	})
	return nil
}

// tail reads a pipe from a process. After the process has ended, programs that it started may keep the pipe open; the
// pipe then counts as ended once nothing has come for mostDelay.
type tail struct {
	pipe    *os.File // not embedded: io.Copy would use its WriteTo and not Read
	process *process
}

// Read implements io.Reader. When the process ends, process.start sets a deadline that interrupts Read. Read then tries
// again, with mostDelay as the deadline, and returns io.EOF if nothing comes until then.
func (t tail) Read(b []byte) (int, error) {
	for {
		hasEnded := false
		select {
		case <-t.process.ended:
			hasEnded = true
			_ = t.pipe.SetDeadline(time.Now().Add(mostDelay))
		default:
		}
		n, err := t.pipe.Read(b)
		switch {
		case n > 0 || !errors.Is(err, os.ErrDeadlineExceeded):
			return n, err
		case hasEnded:
			return 0, io.EOF
		}
	}
}

// stream starts the process and returns its standard output, which must be read before end is called.
func (p *process) stream() (io.Reader, error) {
	ours, theirs, err := os.Pipe()
	if err == nil {
		p.Stdout = theirs
		err = p.start(ours, theirs)
	}
	return tail{ours, p}, err
}

// feed starts the process and returns its standard input, which must be closed before end is called. Later writes fail.
func (p *process) feed() (io.WriteCloser, error) {
	theirs, ours, err := os.Pipe()
	if err == nil {
		p.Stdin = theirs
		err = p.start(ours, theirs)
	}
	return ours, err
}

// stop kills the process if it still runs, and waits until it has ended.
func (p *process) stop() {
	p.kill()
	_ = p.end()
}

// output starts the process, waits until it ends, and returns its standard output. The error is errTooMuch or
// errTooLong if it exceeds a limit and was killed, else the error with which it ended.
func (p *process) output() ([]byte, error) {
	out, err := p.stream()
	if err != nil {
		return nil, err
	}
	late := time.AfterFunc(mostTime, p.kill)
	data, _ := io.ReadAll(io.LimitReader(out, int64(mostOutput)+1))
	if len(data) > mostOutput {
		p.stop()
		return nil, errTooMuch
	}
	if err = p.end(); !late.Stop() {
		err = errTooLong
	}
	return data, err
}

// Run runs command, a program and its arguments, in the folder dir, and kills it after the time limit. The program gets
// few environment variables, and dir for temporary files. If the system can limit memory, the program gets memory
// bytes. An error contains the program's last message.
func Run(ctx context.Context, dir string, limit time.Duration, memory int64, command []string) error {
	p := newProcess(ctx, nil, command[0], command[1:]...)
	p.Dir, p.Env = dir, []string{"TMPDIR=" + dir, "LC_ALL=C"}
	for _, name := range []string{"PATH", "HOME", "SYSTEMROOT", "LD_LIBRARY_PATH"} {
		if value, is := os.LookupEnv(name); is {
			p.Env = append(p.Env, name+"="+value)
		}
	}
	if err := p.start(nil, nil); err != nil {
		return err
	}
	if child, err := sandbox.Adopt(p.Process); err == nil {
		_ = child.Allow(memory)
		defer child.Close()
	}
	late := time.AfterFunc(limit, p.kill)
	err := p.end()
	switch {
	case !late.Stop():
		return errTooLong
	case err != nil && p.log.last != "":
		return fmt.Errorf("%s (%w)", p.log.last, err)
	}
	return err
}

// explain returns a text that says why ffmpeg failed, given err, the error with which it ended, or nil: err itself if
// it is about a limit, else the last errors that ffmpeg printed, else err and the last message of ffmpeg.
func (p *process) explain(err error) string {
	switch {
	case errors.Is(err, errTooMuch) || errors.Is(err, errTooLong):
		return err.Error()
	case len(p.log.errors) > 0:
		return strings.Join(p.log.errors, "; ")
	case err == nil:
		err = errors.New("it ended without an error")
	case !errors.Is(err, errEarly):
		err = fmt.Errorf("it ended with %w", err)
	}
	if p.log.last != "" {
		return fmt.Sprintf("%v and said: %s", err, p.log.last)
	}
	return err.Error() + " and said nothing"
}

// log splits the messages of ffmpeg into lines and keeps the last errors. Only one goroutine may use it at a time.
type log struct {
	line   func(string) // is called with each line; may be nil
	rest   []byte       // the beginning of a line that is not complete yet
	last   string       // the last line without a level, such as a message of a shell
	errors []string     // the last few different errors
	count  int          // number of errors
	full   bool         // an error said that the disk is full
	cut    bool         // an error said that the input ends too early
	hidden string       // name of a temporary file, which is left out of errors
}

const (
	mostErrors = 3       // errors that are kept
	mostWords  = 200     // bytes of a line without a level that are kept
	mostLine   = 1 << 14 // bytes of a line that are kept
)

// Write cuts lines to mostLine bytes, has flush handle each complete one, and keeps the rest in l.rest. It never fails.
func (l *log) Write(p []byte) (int, error) {
	n := len(p)
	for {
		line, rest, whole := bytes.Cut(p, []byte("\n"))
		l.rest = append(l.rest, line[:min(len(line), mostLine-len(l.rest))]...)
		if !whole {
			return n, nil
		}
		l.flush()
		p = rest
	}
}

// prefix matches what ffmpeg, with -loglevel level+…, puts before a message: the component that speaks, and the level.
var prefix = regexp.MustCompile(`^(?:\[[^\[\]]* @ 0x[0-9a-fA-F]+\] )*\[(\w+)\] `)

// address matches the name of a file at the start of a message, in the form that local returns.
var address = regexp.MustCompile(`^(file|pipe):[^:]*: `)

// diskFull matches messages of ffmpeg about a full disk or a quota; their words come from the system.
var diskFull = regexp.MustCompile(`(?i)no space left on device|not enough space|disk quota exceeded`)

// endsEarly matches messages of ffmpeg's demuxers about a file that is shorter than its header says.
var endsEarly = regexp.MustCompile(`partial file|ended prematurely|[Pp]acket too short|[Tt]runcat`)

// flush handles l.rest as a complete line: it calls l.line, and keeps a line without a level such as "[error] " in
// l.last. It counts an error, and keeps its text, without level and file names, among the last mostErrors such texts.
func (l *log) flush() {
	text := strings.TrimRight(string(l.rest), "\r")
	l.rest = l.rest[:0]
	if l.line != nil {
		l.line(text)
	}
	m := prefix.FindStringSubmatch(text)
	if m == nil && strings.TrimSpace(text) != "" {
		l.last = safefile.OneLine(strings.TrimSpace(text[:min(len(text), mostWords)]))
	}
	if m == nil || m[1] != "error" && m[1] != "fatal" && m[1] != "panic" {
		return
	}
	text = text[len(m[0]):]
	if l.hidden != "" {
		text = strings.ReplaceAll(text, " of "+l.hidden, "")
		text = strings.ReplaceAll(strings.ReplaceAll(text, " "+l.hidden, ""), l.hidden+": ", "")
	}
	text = strings.TrimSpace(address.ReplaceAllString(text, ""))
	l.count++
	l.full = l.full || diskFull.MatchString(text)
	l.cut = l.cut || endsEarly.MatchString(text)
	if text == "" || slices.Contains(l.errors, text) {
		return
	}
	if l.errors = append(l.errors, text); len(l.errors) > mostErrors {
		l.errors = l.errors[1:]
	}
}

// reader reads the standard output of a process. If the process failed, an error takes the place of io.EOF.
type reader struct {
	io.Reader
	*process
}

// Read implements io.Reader. At the end of the output it waits for the process, and returns its error.
func (r reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err == nil || n > 0 {
		return n, nil
	}
	if err := r.end(); err != nil {
		return 0, fmt.Errorf("ffmpeg failed: %s", r.explain(err))
	}
	return 0, io.EOF
}

// longWait is how long ffmpeg may take to give or to accept a frame before superres prints a note.
var longWait = time.Minute

// waiting reads the frames of a clip from ffmpeg. If a frame takes longer than longWait, it prints one note a clip.
type waiting struct {
	io.Reader
	*clip
}

func (w waiting) Read(p []byte) (int, error) {
	defer w.watch("has given no frame for %v; waiting for it")()
	return w.Reader.Read(p)
}

// taking writes the frames of a clip to ffmpeg. If ffmpeg accepts no frame for longWait, it prints one note a clip.
type taking struct {
	io.Writer
	*clip
}

func (w taking) Write(p []byte) (int, error) {
	defer w.watch("has taken no frame for %v; waiting for it")()
	return w.Writer.Write(p)
}

// watch prints text, a message about ffmpeg, unless done is called within longWait. A clip gets one message at most.
func (c *clip) watch(text string) (done func()) {
	t := time.AfterFunc(longWait, func() {
		c.once.Do(func() { c.tools.Note(c.In + ": ffmpeg " + fmt.Sprintf(text, longWait)) })
	})
	return func() { t.Stop() }
}
