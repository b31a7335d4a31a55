package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"syscall"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/serve/jobs"
	"superres/cmd/internal/upscale"
	"superres/internal/avif"
	"superres/internal/parallel"
	"superres/internal/sandbox"
	"superres/internal/scheduling"
)

// workerVariable is the environment variable that makes the program run as a worker of a server.
const workerVariable = "SUPERRES_WORKER"

// readsAVIF is the value of workerVariable for a worker that must prepare its codecs for AVIF before it is confined.
const readsAVIF = "avif"

// IsWorker reports whether this process is to run as a worker of superres serve. If so, main must call Work first.
func IsWorker() bool { return os.Getenv(workerVariable) != "" }

// Work confines this process and does the server's jobs from standard input, until that ends. It returns the exit code.
func Work() int {
	// Only the server ends its workers. A terminal sends these signals to workers, too.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, console.SIGHUP)
	var aside *os.File
	files := 0 // number of files that the server has passed
	if passesAside {
		const first = 3 // the descriptor after the standard streams
		aside, files = os.NewFile(first, "aside"), 1
	}
	// Garbage is collected only once it reaches 100 % of the live memory, as admit sets a limit that the collector
	// respects. A worker takes 7 ms less for 256×256 pixels ×2 than with console.Garbage.
	console.PrepareHeap(100, 0)
	prepare := func() {}
	if os.Getenv(workerVariable) == readsAVIF {
		prepare = func() { _ = avif.Prepare() } // an error is reported with the picture
	}
	missing := sandbox.Enter(files, prepare, avif.CacheFolder())
	w := &worker{link: newLink(os.Stdin, os.Stdout), answers: make(chan frame, 1), jobs: make(chan begun)}
	w.allow = sandbox.Watch(func() {
		fmt.Fprintln(os.Stderr, "fatal error: out of memory")
		os.Exit(console.ExitUsage) // as the Go runtime does when it is out of memory
	})
	var settings workerSettings
	if err := w.receiveValue(frameStart, &settings); err != nil || settings.Version != console.Version {
		fmt.Fprintf(os.Stderr, "fatal error: a worker of version %s for a server of %q (%v)\n",
			console.Version, settings.Version, err)
		return console.ExitUsage
	}
	w.settings = settings
	w.service = upscale.NewService(console.Limits{Memory: settings.Memory, Pixels: settings.Pixels}, settings.Decode,
		settings.Whole)
	w.service.Aside = aside // a temporary file, as a confined worker cannot create one
	// Open the usual models in advance. If that fails, the first picture that needs such a model reports why.
	_, _ = w.service.Request(context.Background(), nil)
	if err := w.sendValue(frameReady, workerReady{console.Version, missing}); err != nil {
		return console.ExitOutput
	}
	go w.listen()
	for j := range w.jobs {
		if err := w.work(j); err != nil {
			return console.ExitOutput // the connection to the server is lost
		}
	}
	return console.ExitOK
}

// worker is the state of a worker process.
type worker struct {
	*link
	settings workerSettings
	service  *upscale.Service
	allow    func(bytes int64) // limits this process's memory on systems where the server cannot
	asking   sync.Mutex        // held from sending a request to receiving the answer
	answers  chan frame        // answers of the server to requests of the worker
	jobs     chan begun        // passes jobs from listen to Work
	told     time.Time         // when progress was last sent; only one goroutine at a time uses it
	shares   []func()          // each ends a task of package parallel; each task stands for another busy worker
}

// begun is a job and its context, which ends if the server cancels the job.
type begun struct {
	job
	ctx context.Context
}

type frame struct {
	kind    byte
	content []byte
}

// listen passes jobs to w.jobs and answers to w.answers, and cancels jobs. It exits when the server closes the pipe.
func (w *worker) listen() {
	cancel := func() {} // cancels the latest job
	for {
		kind, content, err := w.receive()
		if err != nil {
			os.Exit(console.ExitOK) // even if a job is in progress
		}
		switch kind {
		case frameCancel:
			cancel()
		case frameJob:
			var j job
			if err := json.Unmarshal(content, &j); err != nil {
				os.Exit(console.ExitUsage)
			}
			cancel()
			var ctx context.Context
			ctx, cancel = context.WithCancel(context.Background())
			w.jobs <- begun{j, ctx}
		default:
			w.answers <- frame{kind, content}
		}
	}
}

// workerHook is called at the beginning of each job. It does nothing unless tests replace it.
var workerHook = func(*worker, job) {}

// work does job j and sends the result and the reply. It returns an error only if the reply cannot be sent.
func (w *worker) work(j begun) error {
	workerHook(w, j.job) // does nothing, except in tests
	out := bufio.NewWriterSize(resultFrames{w.link}, writtenBytes)
	done, err := w.do(j.ctx, j.job, out)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		done = reply{Failure: &failure{pathless(err), console.ExitCode(err)}}
	}
	w.share(1) // ends the tasks that left processors to other workers
	if err := w.sendValue(frameEnd, done); err != nil {
		return err
	}
	w.tidy()
	return nil
}

// tidy removes the memory limit and, if the heap is large, gives its unused part back: idle workers must be small.
func (w *worker) tidy() {
	debug.SetMemoryLimit(math.MaxInt64)
	much := uint64(min(64<<20, w.settings.Memory/8))
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Uint64()+sample[1].Value.Uint64() > much {
		debug.FreeOSMemory()
	}
}

// do does job j, writes the enlarged picture to out, and returns the reply. With j.Model, the last file is the model.
func (w *worker) do(ctx context.Context, j job, out io.Writer) (reply, error) {
	if len(j.Sizes) == 0 {
		return reply{}, errors.New("no file")
	}
	if j.Model != "" {
		last := len(j.Sizes) - 1
		size := j.Sizes[last]
		if err := w.service.Provide(j.Params.Get("model"), j.Model, w.file(last, size), size); err != nil {
			return reply{}, err
		}
	}
	r := &jobs.Runner{Service: w.service, Admit: w.admit, Progress: w.progress,
		File: func(i int) (io.ReaderAt, int64) { return w.file(i, j.Sizes[i]), j.Sizes[i] }}
	result, err := r.Do(ctx, j.Job, out)
	return reply{Name: result.Name, Format: result.Format, Answer: result.Event}, err
}

// ask sends v, as JSON in a frame with the letter kind, and returns the answer, which comes even for a cancelled job.
func (w *worker) ask(kind byte, v any) (frame, error) {
	w.asking.Lock()
	defer w.asking.Unlock()
	if err := w.sendValue(kind, v); err != nil {
		return frame{}, err
	}
	return <-w.answers, nil
}

// errRefused ends a job that the server refused. The worker does not learn why; the server tells its client.
var errRefused = errors.New("the server has refused it")

// admit asks the server for load l and sets the granted limits. If the server refuses, it returns errRefused.
func (w *worker) admit(l scheduling.Load) error {
	got, err := w.ask(frameAdmit, l)
	if err != nil {
		return err
	}
	var g grant
	if err := json.Unmarshal(got.content, &g); got.kind != frameGrant || err != nil {
		return errRefused
	}
	// The garbage collector tries to stay within this memory. With less than least it would run all the time.
	const least = 128 << 20
	debug.SetMemoryLimit(max(g.Memory, least))
	w.allow(2 * g.Memory) // an estimate, which may be too low
	w.share(g.Tasks)
	w.told = time.Now() // the first report of progress comes progressTime later
	return nil
}

// progressTime is the shortest time between two reports of progress, and between the grant and the first report. After
// each report the worker waits for an answer, which takes milliseconds when all processors are busy.
const progressTime = 100 * time.Millisecond

// progress reports the share done, 0 to 1, at most every progressTime, and waits until the server lets the job go on.
func (w *worker) progress(share float64) {
	if time.Since(w.told) < progressTime {
		return
	}
	_, _ = w.ask(frameShare, share) // an error occurs again when the result is sent
	w.told = time.Now()
}

// share makes this process leave processors to tasks-1 other busy workers. For each it keeps a task of package
// parallel open, which only counts, and it ends tasks that are too many. tasks below 1 count as 1, above 64 as 64.
func (w *worker) share(tasks int) {
	const most = 64
	for tasks = min(max(tasks, 1), most); len(w.shares) < tasks-1; {
		w.shares = append(w.shares, parallel.Task())
	}
	for len(w.shares) > tasks-1 {
		last := len(w.shares) - 1
		w.shares[last]()
		w.shares = slices.Delete(w.shares, last, last+1)
	}
}

// file returns file number index of the job, which has size bytes. The server holds the file and sends it in blocks.
func (w *worker) file(index int, size int64) io.ReaderAt {
	return &jobs.Blocks{Size: size, Read: func(offset, length int64) ([]byte, error) {
		got, err := w.ask(frameNeed, need{int64(index), offset, length})
		if err == nil && (got.kind != frameData || int64(len(got.content)) != length) {
			err = errors.New("the picture cannot be read from the server")
		}
		return got.content, err
	}}
}

// writtenBytes is how many bytes of the result a frame holds at most.
const writtenBytes = 64 << 10

// resultFrames is a writer that sends the result to the server in frames.
type resultFrames struct{ *link }

// Write implements io.Writer. It sends a frame for each writtenBytes bytes of p.
func (f resultFrames) Write(p []byte) (int, error) {
	for part := range slices.Chunk(p, writtenBytes) {
		if err := f.send(frameBytes, part); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
