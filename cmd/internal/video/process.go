package video

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// process is a run of ffmpeg or ffprobe. No shell is involved: the arguments reach the program as they are.
type process struct {
	*exec.Cmd
	log  log
	kill context.CancelFunc
	end  func() error
}

// newProcess returns a process that is not started yet, which ends when ctx does. line, if it is not nil, is called
// for each line of its messages.
//
// Note: it gets a group of its own, so that an interrupt from a terminal goes to superres alone, which then ends it.
// Otherwise ffmpeg would end a video in order that was interrupted.
func newProcess(ctx context.Context, line func(string), path string, args ...string) *process {
	ctx, kill := context.WithCancel(ctx)
	p := &process{Cmd: exec.CommandContext(ctx, path, args...), kill: kill}
	p.log.line = line
	p.Stderr = &p.log
	setGroup(p.Cmd)
	p.end = sync.OnceValue(func() error {
		defer kill()
		err := p.Wait()
		p.log.flush()
		return err
	})
	return p
}

// stop kills the process if it still runs, and waits until it has ended.
func (p *process) stop() {
	p.kill()
	_ = p.end()
}

// output starts the process and returns what it writes to its standard output.
func (p *process) output() ([]byte, error) {
	var out bytes.Buffer
	p.Stdout = &out
	if err := p.Start(); err != nil {
		return nil, err
	}
	err := p.end()
	return out.Bytes(), err
}

// log splits the messages of ffmpeg into lines and keeps the last errors among them. It belongs to one goroutine until
// the process has ended.
type log struct {
	line   func(string)
	rest   []byte
	errors []string // the last few, each once
	count  int
}

const (
	mostErrors = 3
	mostLine   = 1 << 14 // bytes of a line that are kept
)

// Write implements io.Writer and never fails.
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

// prefix is what ffmpeg, with -loglevel level+…, writes before a message: the part of it that speaks, and the level.
var prefix = regexp.MustCompile(`^(?:\[[^\[\]]* @ 0x[0-9a-fA-F]+\] )*\[(\w+)\] `)

// address is the name of a file at the start of a message, in the form of local.
var address = regexp.MustCompile(`^(file|pipe):[^:]*: `)

// flush takes the line that was read so far.
func (l *log) flush() {
	text := strings.TrimRight(string(l.rest), "\r")
	l.rest = l.rest[:0]
	if l.line != nil {
		l.line(text)
	}
	m := prefix.FindStringSubmatch(text)
	if m == nil || m[1] != "error" && m[1] != "fatal" && m[1] != "panic" {
		return
	}
	text = strings.TrimSpace(address.ReplaceAllString(text[len(m[0]):], ""))
	l.count++
	if text == "" || slices.Contains(l.errors, text) {
		return
	}
	if l.errors = append(l.errors, text); len(l.errors) > mostErrors {
		l.errors = l.errors[1:]
	}
}

// words returns the last errors of ffmpeg, or err, how it ended, if there are none.
func (p *process) words(err error) string {
	if len(p.log.errors) == 0 {
		return fmt.Sprintf("it ended with %v and said nothing", err)
	}
	return strings.Join(p.log.errors, "; ")
}

// reader reads what a process writes to its standard output. When the process fails, the end of the output is an error.
type reader struct {
	io.Reader
	*process
	ended func() // called at the end of the output
}

func (r reader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err == nil || n > 0 {
		return n, nil
	}
	ended := r.end()
	r.ended()
	if ended != nil {
		return 0, fmt.Errorf("ffmpeg says: %s", r.words(ended))
	}
	return 0, io.EOF
}
