//go:build linux

package app

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/internal/mutate"
)

const (
	// maxProcessor is the longest processor time of a file. Each picture in the file adds a twentieth of that.
	maxProcessor = 5 * time.Second
	// maxWaiting is the longest time of a process, however busy the machine is.
	maxWaiting = 4 * time.Minute
)

// ways are how mutated files reach the program. Files for serve go to one process until it ends.
var ways = []way{
	{"folder", 77, 100, "nearest", 64},
	{"single", 8, 1, "nearest", 64},
	{"auto", 6, 20, "auto", 64},
	{"serve", 6, 200, "nearest", 64},
	{"large", 3, 1, "nearest", 256}, // files of a megapixel and more
}

type way struct {
	name  string
	share int // how many of 100 files are given in this way
	batch int // how many files one process gets
	model string
	limit int64 // the value of --max-memory, in MiB
}

// TestMutatedFiles feeds the program with damaged files of every format, as many as the variable SUPERRES_MUTATED
// says, and only if it is set:
//
//	SUPERRES_MUTATED=20000 go test -run TestMutatedFiles -timeout 3h -v ./cmd/app
//
// SUPERRES_MUTATED_FROM is the number of the first file, 0 by default; SUPERRES_PROGRAM names another build of the
// program than this one. -short measures neither memory nor time, as is needed with -race. Files with which something
// is wrong are kept in a folder that the test names.
func TestMutatedFiles(t *testing.T) {
	count, err := strconv.Atoi(os.Getenv("SUPERRES_MUTATED"))
	if err != nil || count < 1 {
		t.Skip("takes long: set SUPERRES_MUTATED to a number of files")
	}
	next, _ := strconv.ParseUint(os.Getenv("SUPERRES_MUTATED_FROM"), 10, 64)
	keep := must.Get(os.MkdirTemp("", "superres-mutated-"))(t)
	r := &mutatedRun{t: t, keep: keep}
	m := mutate.New(t)
	for _, w := range ways {
		if w.name == "large" && testing.Short() {
			continue // the race detector takes minutes for one of them
		} else if w.name == "large" {
			m = mutate.NewLarge(t)
		}
		r.tally = tally{}
		for left := count * w.share / 100; left > 0; left -= w.batch {
			var files []mutated
			for range min(left, w.batch) {
				files = append(files, mutated{m.Mutant(next), next})
				next++
			}
			if w.name == "serve" {
				r.serve(w, files)
			} else {
				r.upscale(w, files)
			}
		}
		t.Logf("%s: %d processes, %d pictures done, %d failed, peak %d MiB of %d, slowest %v", w.name,
			r.processes, r.done, r.failed, r.peak>>20, w.limit, r.slowest)
	}
	if !t.Failed() {
		_ = os.Remove(keep) // which is empty
	}
}

// The server, like the command, enlarges every valid file from which the mutated files are made, of every format, still
// or animated. So a failure on a mutated file is not due to the valid one.
func TestSeedsThroughServer(t *testing.T) {
	golden.NotShort(t, "starts the program")
	r := &mutatedRun{t: t, keep: t.TempDir()}
	var files []mutated
	for i, s := range mutate.New(t).Seeds {
		number := uint64(5*i + 1) // not a number that post only inspects
		files = append(files, mutated{mutate.Mutant{Name: s.Name, Data: s.Data}, number})
	}
	r.serve(way{name: "serve", limit: 256}, files)
	const streams = 5 // of frames, which only the command takes
	if r.done < len(files)-streams {
		t.Errorf("%d of %d valid files were enlarged", r.done, len(files))
	}
}

// mutatedRun is a run over mutated files, some of which are kept in the folder keep.
type mutatedRun struct {
	t    *testing.T
	keep string
	tally
}

// tally counts what happened to the files of one way.
type tally struct {
	processes, done, failed int
	peak                    int64         // the greatest memory of a process, in bytes
	slowest                 time.Duration // the longest processor time of a process
}

// mutated is a file with its number in the series.
type mutated struct {
	mutate.Mutant
	number uint64
}

func (f mutated) path() string { return fmt.Sprintf("m%06d-%s", f.number, f.Name) }

// outcome says how a process ended.
type outcome struct {
	out, errs string
	code      int // -1: by a signal
	signal    string
	peak      int64
	processor time.Duration
}

// command returns a process of the program in dir. Without -short it may have 6 GiB of address space, so that a mistake
// does not take the whole machine; the race detector needs more.
func (r *mutatedRun) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	program := cmp.Or(os.Getenv("SUPERRES_PROGRAM"), os.Args[0])
	limit := "6291456"
	if testing.Short() {
		limit = "unlimited"
	}
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", "ulimit -v " + limit + `; exec "$0" "$@"`,
		program}, args...)...)
	cmd.Dir, cmd.Env = dir, append(consoletest.Process(dir).Env, "TMPDIR="+dir)
	return cmd
}

func (r *mutatedRun) run(dir string, args ...string) outcome {
	ctx, cancel := context.WithTimeout(r.t.Context(), maxWaiting)
	defer cancel()
	cmd := r.command(ctx, dir, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		r.t.Fatal(err)
	}
	return outcomeOf(cmd.ProcessState, out.String(), errs.String())
}

// outcomeOf returns the outcome of a process that ended with state and wrote out and errs.
func outcomeOf(state *os.ProcessState, out, errs string) outcome {
	o := outcome{out: out, errs: errs, code: state.ExitCode(), processor: state.UserTime() + state.SystemTime()}
	// Linux also counts the peak memory of the process that started it.
	var own syscall.Rusage
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if ok && syscall.Getrusage(syscall.RUSAGE_SELF, &own) == nil && usage.Maxrss > own.Maxrss {
		o.peak = usage.Maxrss << 10
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		o.signal = status.Signal().String()
	}
	return o
}

// trace matches what Go writes when a program ends by a panic or a fatal error, and frame a function of the readers
// in such a text, with its file and line.
var (
	trace = regexp.MustCompile(`(?m)^(panic: .*|fatal error: .*|runtime: out of memory.*|SIG[A-Z]+: .*|` +
		`WARNING: DATA RACE|goroutine \d+ .*)$`)
	frame = regexp.MustCompile(`superres/internal/[\w/]+\.[^\n]*\n\t[^\n]*/(\w+\.go:\d+)`)
)

// judge returns what is wrong with the outcome of a process whose files were in dir, apart from its time.
func (r *mutatedRun) judge(o outcome, w way, dir string) (wrong []string) {
	text := o.errs + o.out
	for what, found := range map[string]bool{
		"panic": trace.MatchString(o.errs), "panic that was caught": strings.Contains(text, "a fault of superres"),
		"stopped for its memory": strings.Contains(text, "were expected, and was stopped"), "signal": o.signal != "",
		fmt.Sprint("exit ", o.code): !slices.Contains([]int{0, 1, 3, 4, 7, -1}, o.code),
		"memory":                    o.peak > w.limit<<20*12/10 && !testing.Short(),
	} {
		if found {
			wrong = append(wrong, what)
		}
	}
	for _, f := range consoletest.Tree(r.t, dir) {
		if base := filepath.Base(f); strings.HasPrefix(base, ".superres-") && strings.HasSuffix(base, ".tmp") {
			wrong = append(wrong, "leftovers")
		}
	}
	r.peak = max(r.peak, o.peak)
	return wrong
}

// upscale runs the program on a folder with files and, if something goes wrong, on each file alone. It reports whether
// all went well.
func (r *mutatedRun) upscale(w way, files []mutated) bool {
	dir := r.t.TempDir()
	defer os.RemoveAll(dir)
	for _, f := range files {
		consoletest.Put(r.t, filepath.Join(dir, "in", f.path()), f.Data)
	}
	args := []string{"upscale", "-m", w.model, "--max-memory", strconv.FormatInt(w.limit, 10), "--json", "-o",
		"out/", "in/"}
	promised := int64(0)
	if len(files) == 1 {
		promised = r.plan(w, dir, args, files[0])
	}
	o := r.run(dir, args...)
	r.processes++
	r.done += strings.Count(o.out, `"event":"done"`)
	r.failed += strings.Count(o.out, `"event":"fail"`)
	r.slowest = max(r.slowest, o.processor)
	wrong := r.judge(o, w, dir)
	pictures := time.Duration(strings.Count(o.out, `"event":"frame"`) + len(files))
	if o.processor > maxProcessor+pictures*maxProcessor/20 && !testing.Short() {
		wrong = append(wrong, "slow")
	}
	if promised > 0 && o.code == 0 && float64(o.peak) > 1.2*float64(promised) && !testing.Short() {
		wrong = append(wrong, "promise")
	}
	switch {
	case len(wrong) == 0:
		return true
	case len(files) > 1:
		well := true
		for _, f := range files {
			well = r.upscale(w, []mutated{f}) && well
		}
		if !well {
			return false
		}
		wrong = append(wrong, fmt.Sprintf("only %d together", len(files)))
	}
	r.report(w, files[0], wrong, o)
	return false
}

// plan returns the memory, in bytes, that the program plans for a file, or 0 where it refuses the file.
func (r *mutatedRun) plan(w way, dir string, args []string, f mutated) int64 {
	o := r.run(dir, append(slices.Clone(args), "--dry-run")...)
	if wrong := r.judge(o, w, dir); len(wrong) > 0 {
		r.report(w, f, append(wrong, "in a dry run"), o)
	}
	for line := range strings.Lines(o.out) {
		var event struct {
			Event  string
			Memory int64
		}
		if json.Unmarshal([]byte(line), &event) == nil && event.Event == "plan" {
			return event.Memory
		}
	}
	return 0
}

// report fails the test for what is wrong with a file, and keeps the file.
func (r *mutatedRun) report(w way, f mutated, wrong []string, o outcome) {
	path := filepath.Join(r.keep, f.path())
	consoletest.Put(r.t, path, f.Data)
	why := cmp.Or(trace.FindString(o.errs), fmt.Sprintf("%.200s", strings.TrimSpace(o.errs)))
	if m := frame.FindStringSubmatch(o.errs); m != nil {
		why += " at " + m[1]
	}
	r.t.Errorf("%s | %s | %s, %d bytes, %s | exit %d %s, %d MiB, %.1f s of a processor | %s", w.name,
		strings.Join(wrong, ", "), path, len(f.Data), f.Changes, o.code, o.signal, o.peak>>20,
		o.processor.Seconds(), why)
}

// serve sends files to a server, which must answer each. A server that is gone is started again.
func (r *mutatedRun) serve(w way, files []mutated) {
	for len(files) > 0 {
		files = files[r.session(w, files):]
	}
}

// session sends files to a new server until the server ends, and returns how many were sent.
func (r *mutatedRun) session(w way, files []mutated) (sent int) {
	dir := r.t.TempDir()
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(r.t.Context(), maxWaiting)
	defer cancel()
	cmd := r.command(ctx, dir, "serve", "--listen", "127.0.0.1:0", "--max-memory", strconv.FormatInt(w.limit, 10))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err = errors.Join(err, cmd.Start()); err != nil {
		r.t.Fatal(err)
	}
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		r.t.Fatalf("no address (%v): %s", err, errs.String())
	}
	r.processes++
	client := &http.Client{Timeout: time.Minute}
	defer client.CloseIdleConnections()
	gone := false
	for ; sent < len(files) && !gone; sent++ {
		began := time.Now()
		status, text, err := post(client, strings.TrimSpace(url), files[sent])
		gone = err != nil
		switch {
		case gone:
		case status == http.StatusOK:
			r.done++
		case status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity:
			r.failed++
		default:
			r.report(w, files[sent], []string{fmt.Sprintf("status %d", status)}, outcome{errs: text})
		}
		if took := time.Since(began); took > 4*maxProcessor {
			r.report(w, files[sent], []string{"slow"}, outcome{processor: took})
		}
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	_ = cmd.Wait() // cmd.ProcessState has the result
	o := outcomeOf(cmd.ProcessState, "", errs.String())
	if o.code == 130 {
		o.code = 0 // ended by our own signal
	}
	wrong := r.judge(o, w, dir)
	if gone {
		wrong = append(wrong, "server gone")
	}
	if len(wrong) > 0 {
		r.report(w, files[sent-1], wrong, o)
	}
	return sent
}

// post sends a file to be enlarged, and every fifth to be inspected. It returns the status of the answer, and its text.
func post(client *http.Client, url string, f mutated) (status int, text string, err error) {
	call := "v1/upscale"
	if f.number%5 == 0 {
		call = "v1/inspect"
	}
	got, err := client.Post(url+call+"?model=nearest&name="+f.Name, "application/octet-stream", bytes.NewReader(f.Data))
	if err != nil {
		return 0, "", err
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	return got.StatusCode, string(body), err
}
