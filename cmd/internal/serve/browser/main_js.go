package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"runtime/debug"
	"syscall/js"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/serve/jobs"
	"superres/cmd/internal/upscale"
	"superres/internal/scheduling"
)

// memory is how much one picture may take, in bytes. WebAssembly has addresses of 32 bits, and the program itself, what
// is not collected yet and gaps take some of the 4 GiB.
const memory = 2 << 30

// main is the program of a worker: it waits for calls of superres.run, one at a time, and superres.cancel.
func main() {
	debug.SetGCPercent(400) // within the limit that admit sets
	w := &worker{host: js.Global().Get("host")}
	w.runner = jobs.Runner{Service: upscale.NewService(console.Limits{Memory: memory}, 0, 0), Progress: w.progress,
		File: func(i int) (io.ReaderAt, int64) { return w.files[i], w.files[i].Size },
		Admit: func(l scheduling.Load) error {
			const least = 128 << 20
			debug.SetMemoryLimit(max(l.Memory, least))
			w.host.Call("progress", 0)
			return nil
		}}
	js.Global().Set("superres", js.ValueOf(map[string]any{"run": js.FuncOf(w.run), "cancel": js.FuncOf(w.cancel)}))
	_, _ = w.runner.Service.Request(context.Background(), nil) // opens the usual models in advance
	select {}
}

// worker does the jobs of a worker of the page.
type worker struct {
	host   js.Value // functions of worker.js
	runner jobs.Runner
	files  []*jobs.Blocks // of the job
	end    context.CancelFunc
	told   time.Time // when progress was last told
}

// run begins a job: it takes the call, its parameters as a query, its files with their sizes, and two functions. The
// first gets the result part by part; the second, at the end, the failure as JSON or null, and of a success the name,
// the MIME type and the event.
func (w *worker) run(_ js.Value, args []js.Value) any {
	call, query, files, sizes, write, done := args[0].String(), args[1].String(), args[2], args[3], args[4], args[5]
	w.files = nil
	for i := range files.Length() {
		file := files.Index(i)
		w.files = append(w.files, &jobs.Blocks{Size: int64(sizes.Index(i).Float()),
			Read: func(offset, length int64) ([]byte, error) { return w.read(file, offset, length) }})
	}
	ctx, end := context.WithCancel(context.Background())
	w.end, w.told = end, time.Now()
	go func() {
		defer end()
		result, err := w.do(ctx, call, query, writer{write})
		if err != nil {
			text, _ := json.Marshal(failure{jobs.AsParameters(console.Message(err), raise), console.ExitCode(err)})
			done.Invoke(string(text))
			return
		}
		done.Invoke(nil, result.Name, result.Format.MIMEType(), string(result.Event))
	}()
	return nil
}

// raise returns what the user can do about a limit.
func raise(string) string { return "the program superres, which may take more than a browser" }

// failure is the message to the page about a job that failed.
type failure struct {
	Error string `json:"error"`
	Exit  int    `json:"exit"`
}

func (w *worker) do(ctx context.Context, call, query string, out io.Writer) (result upscale.Result, err error) {
	params, err := url.ParseQuery(query)
	if err != nil {
		return result, err
	}
	return w.runner.Do(ctx, jobs.Job{Call: call, Params: params}, out)
}

// cancel ends the job.
func (w *worker) cancel(js.Value, []js.Value) any {
	if w.end != nil {
		w.end()
	}
	return nil
}

// progressTime is the least time between reports of progress.
const progressTime = 100 * time.Millisecond

// progress tells the page the share that is done, and lets JavaScript go on with what has come, such as cancel.
func (w *worker) progress(share float64) {
	if time.Since(w.told) < progressTime {
		return
	}
	w.host.Call("progress", share)
	turn := make(chan struct{})
	next := js.FuncOf(func(js.Value, []js.Value) any {
		close(turn)
		return nil
	})
	w.host.Call("yield", next)
	<-turn
	next.Release()
	w.told = time.Now()
}

// read returns length bytes of a file from offset on.
func (w *worker) read(file js.Value, offset, length int64) (data []byte, err error) {
	defer func() {
		if recover() != nil { // an exception of JavaScript: the file is gone, or was changed
			err = errors.New("the browser cannot read it any more")
		}
	}()
	data = make([]byte, length)
	if n := js.CopyBytesToGo(data, w.host.Call("read", file, offset, length)); int64(n) != length {
		return nil, errors.New("the browser reads less of it than there was")
	}
	return data, nil
}

// writer hands over what is written to it to a function, in arrays of bytes.
type writer struct{ to js.Value }

func (w writer) Write(p []byte) (int, error) {
	array := js.Global().Get("Uint8Array").New(len(p))
	js.CopyBytesToJS(array, p)
	w.to.Invoke(array)
	return len(p), nil
}
