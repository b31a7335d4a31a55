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
	"maps"
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
	"superres/internal/mutate"
)

// The bounds of a run over mutated files.
const (
	// maxProcessor is the longest processor time of a file. Each picture in it adds a twentieth.
	maxProcessor = 5 * time.Second
	// maxWaiting is the longest time of a process, however busy the machine is.
	maxWaiting = 4 * time.Minute
)

// ways are how mutated files reach the program: how many of 100 go so, how many at once, and by which model. Those of
// serve go to one process until it ends.
var ways = []way{
	{"folder", 77, 100, "nearest", 64},
	{"single", 8, 1, "nearest", 64},
	{"auto", 6, 20, "auto", 64},
	{"serve", 6, 200, "nearest", 64},
	{"large", 3, 1, "nearest", 256}, // files of a megapixel and more
}

type way struct {
	name         string
	share, batch int
	model        string
	limit        int64 // what --max-memory says, in MiB
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
	first, _ := strconv.ParseUint(os.Getenv("SUPERRES_MUTATED_FROM"), 10, 64)
	keep, err := os.MkdirTemp("", "superres-mutated-")
	if err != nil {
		t.Fatal(err)
	}
	r := &mutatedRun{t: t, mutator: mutate.New(t), keep: keep, columns: map[string]*tally{}}
	next := first
	for _, w := range ways {
		r.columns[w.name] = &tally{found: map[string]int{}, promises: map[string]*promise{}}
		if w.name == "large" && testing.Short() {
			continue // the race detector takes minutes for one of them
		} else if w.name == "large" {
			r.mutator = mutate.NewLarge(t)
		}
		for left := count * w.share / 100; left > 0; left -= w.batch {
			files := r.files(next, min(left, w.batch))
			next += uint64(len(files))
			r.columns[w.name].files += len(files)
			if w.name == "serve" {
				r.serve(w, files)
			} else {
				r.upscale(w, files)
			}
		}
	}
	t.Log(r.table())
	for _, line := range r.lines {
		t.Error(line)
	}
	if len(r.lines) == 0 {
		_ = os.Remove(keep) // which is empty
	} else {
		t.Logf("the files are in %s", keep)
	}
}

// Every valid file of the mutator, still or animated, of every format, is enlarged by a server as it is by the
// command: none has to answer for a fault of the server.
func TestSeedsThroughServer(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the program")
	}
	r := &mutatedRun{t: t, mutator: mutate.New(t), keep: t.TempDir(), columns: map[string]*tally{
		"serve": {found: map[string]int{}},
	}}
	var files []mutated
	for i, s := range r.mutator.Seeds {
		number := uint64(5*i + 1) // so that none is only looked at
		files = append(files, mutated{mutate.Mutant{Name: s.Name, Data: s.Data}, number, s.Name})
	}
	r.serve(way{limit: 256}, files)
	for _, line := range r.lines {
		t.Error(line)
	}
	const streams = 5 // of frames, which only the command takes
	if c := r.columns["serve"]; c.done < len(files)-streams {
		t.Errorf("%d of %d valid files were enlarged", c.done, len(files))
	}
}

// mutatedRun holds the results of a run over mutated files.
type mutatedRun struct {
	t       *testing.T
	mutator *mutate.Mutator
	keep    string
	columns map[string]*tally // by way
	lines   []string          // a line for each file with which something is wrong
}

// tally counts what happened to the files of one way.
type tally struct {
	files, processes, done, failed int
	peak                           int64         // bytes, the greatest of a process
	slowest                        time.Duration // of a processor
	promises                       map[string]*promise
	found                          map[string]int // how often something was wrong, by what it is
}

// promise compares the peak memory of single files of one kind with the plan.
type promise struct {
	files       int
	least, most float64 // the smallest and the largest peak, as a share of the plan
}

// compare records the peak memory of a file beside that of its plan, both in bytes, and returns their ratio.
func (c *tally) compare(name string, peak, promised int64) (share float64) {
	p := c.promises[name]
	share = float64(peak) / float64(promised)
	if p == nil {
		p = &promise{least: share}
		c.promises[name] = p
	}
	p.files, p.least, p.most = p.files+1, min(p.least, share), max(p.most, share)
	return share
}

// mutated is a file with its number in the series.
type mutated struct {
	mutate.Mutant
	number uint64
	path   string // below a folder
}

func (r *mutatedRun) files(first uint64, n int) (list []mutated) {
	for i := range uint64(n) {
		m := r.mutator.Mutant(first + i)
		list = append(list, mutated{m, first + i, fmt.Sprintf("m%06d-%s", first+i, m.Name)})
	}
	return list
}

// outcome says how a process ended.
type outcome struct {
	out, errs string
	code      int // -1: by a signal
	signal    string
	peak      int64
	processor time.Duration
}

// command is a process of the program, which may have 6 GiB of addresses, so that a mistake does not take the whole
// machine. The race detector needs more of them.
func (r *mutatedRun) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	program := cmp.Or(os.Getenv("SUPERRES_PROGRAM"), os.Args[0])
	own := consoletest.Process(dir, args...)
	limit := "6291456"
	if testing.Short() {
		limit = "unlimited"
	}
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", "ulimit -v " + limit + `; exec "$0" "$@"`,
		program}, args...)...)
	cmd.Dir, cmd.Env = dir, append(own.Env, "TMPDIR="+dir)
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

// outcomeOf returns how a process ended that wrote out and errs.
func outcomeOf(state *os.ProcessState, out, errs string) outcome {
	o := outcome{out: out, errs: errs, code: state.ExitCode(), processor: state.UserTime() + state.SystemTime()}
	// Linux counts the peak of the process that started it as one of its own.
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

// trace matches what Go writes when a program ends by a panic or a fatal error.
var trace = regexp.MustCompile(`(?m)^(panic: .*|fatal error: .*|runtime: out of memory.*|SIG[A-Z]+: .*|` +
	`WARNING: DATA RACE|goroutine \d+ .*)$`)

// frame matches a function of the readers in a trace, with its file and line.
var frame = regexp.MustCompile(`superres/internal/[\w/]+\.[^\n]*\n\t[^\n]*/(\w+\.go:\d+)`)

// faults lists what is wrong with how a process ended, apart from its time and memory.
func (o outcome) faults() (list []string) {
	if m := trace.FindString(o.errs); m != "" {
		list = append(list, "panic")
	} else if o.code == 2 {
		list = append(list, "exit 2")
	}
	if strings.Contains(o.errs+o.out, "a fault of superres") { // which failed its picture alone
		list = append(list, "panic that was caught")
	}
	if strings.Contains(o.errs+o.out, "were expected, and was stopped") {
		list = append(list, "stopped for its memory")
	}
	if o.signal != "" {
		list = append(list, "signal")
	}
	if code := o.code; code != 0 && code != 1 && code != 2 && code != 3 && code != 4 && code != 7 && code != -1 {
		list = append(list, fmt.Sprintf("exit %d", code))
	}
	return list
}

// leftovers lists the temporary files in a folder.
func leftovers(t *testing.T, dir string) (list []string) {
	for _, f := range consoletest.Tree(t, dir) {
		if base := filepath.Base(f); strings.HasPrefix(base, ".superres-") && strings.HasSuffix(base, ".tmp") {
			list = append(list, f)
		}
	}
	return list
}

// upscale runs the program over a folder of files, and over each of them alone where something is wrong with them
// together.
func (r *mutatedRun) upscale(w way, files []mutated) {
	dir := r.t.TempDir()
	defer os.RemoveAll(dir)
	for _, f := range files {
		consoletest.Put(r.t, filepath.Join(dir, "in", f.path), f.Data)
	}
	args := []string{"upscale", "-m", w.model, "--max-memory", strconv.FormatInt(w.limit, 10), "--json", "-o",
		"out/", "in/"}
	promised := int64(0)
	if len(files) == 1 {
		promised = r.plan(w, dir, args, files[0])
	}
	o := r.run(dir, args...)
	c := r.columns[w.name]
	c.processes++
	c.done += strings.Count(o.out, `"event":"done"`)
	c.failed += strings.Count(o.out, `"event":"fail"`)
	wrong := o.faults()
	if left := leftovers(r.t, dir); len(left) > 0 {
		wrong = append(wrong, "leftovers")
	}
	pictures := time.Duration(strings.Count(o.out, `"event":"frame"`) + len(files))
	if o.processor > maxProcessor+pictures*maxProcessor/20 && !testing.Short() {
		wrong = append(wrong, "slow")
	}
	if !testing.Short() {
		c.peak, c.slowest = max(c.peak, o.peak), max(c.slowest, o.processor)
		if o.peak > w.limit<<20*12/10 {
			wrong = append(wrong, "memory")
		}
		if promised > 0 && o.code == 0 {
			if c.compare(files[0].Name, o.peak, promised) > 1.2 {
				wrong = append(wrong, "promise")
			}
		}
	}
	if len(wrong) == 0 {
		return
	}
	if len(files) == 1 {
		r.report(w.name, files[0], wrong, o)
		return
	}
	found := len(r.lines)
	for _, f := range files {
		r.upscale(w, []mutated{f})
	}
	if len(r.lines) == found { // only together
		r.report(w.name, files[0], append(wrong, fmt.Sprintf("only %d together", len(files))), o)
	}
}

// plan returns the memory, in bytes, that the program plans for a file, or 0 where it refuses the file.
func (r *mutatedRun) plan(w way, dir string, args []string, f mutated) int64 {
	o := r.run(dir, append(slices.Clone(args), "--dry-run")...)
	if wrong := o.faults(); len(wrong) > 0 {
		r.report(w.name, f, append(wrong, "in a dry run"), o)
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

// report records what is wrong with a file, and keeps the file.
func (r *mutatedRun) report(way string, f mutated, wrong []string, o outcome) {
	for _, w := range wrong {
		r.columns[way].found[w]++
	}
	path := filepath.Join(r.keep, fmt.Sprintf("%s-%s", strings.ReplaceAll(strings.Join(wrong, "+"), " ", "_"), f.path))
	if err := os.WriteFile(path, f.Data, 0o666); err != nil {
		r.t.Error(err)
	}
	if o.errs != "" {
		if err := os.WriteFile(path+".stderr", []byte(o.errs[:min(len(o.errs), 1<<16)]), 0o666); err != nil {
			r.t.Error(err)
		}
	}
	why := cmp.Or(trace.FindString(o.errs), fmt.Sprintf("%.200s", strings.TrimSpace(o.errs)))
	if m := frame.FindStringSubmatch(o.errs); m != nil {
		why += " at " + m[1]
	}
	r.lines = append(r.lines,
		fmt.Sprintf("%s | %s | %d %s, %d bytes, %s | exit %d %s, %d MiB, %.1f s of a processor | %s | %s",
			way, strings.Join(wrong, ", "), f.number, f.Name, len(f.Data), f.Changes, o.code, o.signal, o.peak>>20,
			o.processor.Seconds(), why, path))
}

// serve sends files to a server, which must answer each. A server that is gone is started again.
func (r *mutatedRun) serve(w way, files []mutated) {
	for len(files) > 0 {
		files = files[r.session(w, files):]
	}
}

// session sends files to a new server until it is gone, and returns how many were sent.
func (r *mutatedRun) session(w way, files []mutated) (sent int) {
	dir := r.t.TempDir()
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(r.t.Context(), maxWaiting)
	defer cancel()
	cmd := r.command(ctx, dir, "serve", "--listen", "127.0.0.1:0", "--max-memory", strconv.FormatInt(w.limit, 10))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		r.t.Fatalf("no address (%v): %s", err, errs.String())
	}
	url := strings.TrimSpace(line)
	c := r.columns["serve"]
	c.processes++
	var last mutated
	gone, statuses := false, map[int]int{}
	client := &http.Client{Timeout: time.Minute}
	defer client.CloseIdleConnections()
	for _, last = range files {
		sent++
		began := time.Now()
		status, text, err := post(client, url, last)
		statuses[status]++
		switch {
		case err != nil:
			gone = true
		case status == http.StatusOK:
			c.done++
		case status == http.StatusRequestEntityTooLarge || status == http.StatusUnprocessableEntity:
			c.failed++
		default:
			r.report("serve", last, []string{fmt.Sprintf("status %d", status)}, outcome{errs: text})
		}
		if took := time.Since(began); took > 4*maxProcessor {
			r.report("serve", last, []string{"slow"}, outcome{processor: took})
		}
		if gone {
			break
		}
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	_ = cmd.Wait() // its state has the result
	o := outcomeOf(cmd.ProcessState, "", errs.String())
	if o.code == 130 {
		o.code = 0 // by our signal
	}
	wrong := o.faults()
	if gone {
		wrong = append(wrong, "server gone")
	}
	if !testing.Short() {
		c.peak = max(c.peak, o.peak)
		if o.peak > w.limit<<20*12/10 {
			wrong = append(wrong, "memory")
		}
	}
	if left := leftovers(r.t, dir); len(left) > 0 {
		wrong = append(wrong, "leftovers")
	}
	if len(wrong) > 0 {
		r.report("serve", last, wrong, o)
	}
	return sent
}

// post sends a file to be enlarged, and every fifth to be inspected. It returns the status of the answer, and its
// text where it is an error.
func post(client *http.Client, url string, f mutated) (status int, text string, err error) {
	call := "v1/upscale"
	if f.number%5 == 0 {
		call = "v1/inspect"
	}
	for range 100 { // while it is busy
		got, err := client.Post(url+call+"?model=nearest&name="+f.Name, "application/octet-stream",
			bytes.NewReader(f.Data))
		if err != nil {
			return 0, "", err
		}
		body, err := io.ReadAll(got.Body)
		got.Body.Close()
		if status = got.StatusCode; status != http.StatusOK {
			text = string(body)
		}
		if err != nil || status != http.StatusTooManyRequests {
			return status, text, err
		}
		time.Sleep(100 * time.Millisecond)
	}
	return status, text, nil
}

// table shows what was found, a line a way, and how the promised memory compares.
func (r *mutatedRun) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-8s %7s %7s %9s %7s %7s %9s %9s  wrong\n", "way", "limit", "files", "processes", "done",
		"failed", "peak MiB", "slowest s")
	for _, w := range ways {
		c := r.columns[w.name]
		var wrong []string
		for _, what := range slices.Sorted(maps.Keys(c.found)) {
			wrong = append(wrong, fmt.Sprintf("%s %d", what, c.found[what]))
		}
		fmt.Fprintf(&b, "%-8s %7d %7d %9d %7d %7d %9d %9.1f  %s\n", w.name, w.limit, c.files, c.processes, c.done,
			c.failed, c.peak>>20,
			c.slowest.Seconds(), cmp.Or(strings.Join(wrong, ", "), "nothing"))
	}
	large := r.columns["large"].promises
	fmt.Fprintf(&b, "\n%-22s %6s  peak of what was promised\n", "large files", "done")
	for _, name := range slices.Sorted(maps.Keys(large)) {
		p := large[name]
		fmt.Fprintf(&b, "%-22s %6d  %.2f to %.2f\n", name, p.files, p.least, p.most)
	}
	return b.String()
}
