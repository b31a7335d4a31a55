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

// memory is how many bytes one picture may take: half of the 4 GiB that WebAssembly can address, since the program
// itself, garbage not yet collected and gaps take memory, too.
const memory = 2 << 30

// main is the program of a web worker: it waits for calls of superres.run, one at a time, and of superres.cancel.
func main() {
	debug.SetGCPercent(400) // collects garbage rarely, within the limit that Admit sets below
	w := &worker{host: js.Global().Get("host")}
	w.runner = jobs.Runner{Service: upscale.NewService(console.Limits{Memory: memory}, 0, 0), Progress: w.progress,
		File: func(i int) (io.ReaderAt, int64) { return w.files[i], w.files[i].Size },
		Admit: func(l scheduling.Load) error {
			const least = 128 << 20 // with less, the garbage collector would run all the time
			debug.SetMemoryLimit(max(l.Memory, least))
			w.host.Call("progress", 0)
			return nil
		}}
	js.Global().Set("superres", js.ValueOf(map[string]any{"run": js.FuncOf(w.run), "cancel": js.FuncOf(w.cancel)}))
	_, _ = w.runner.Service.Request(context.Background(), nil) // opens the usual models in advance
	select {}
}

// worker runs the jobs that the page gives to this web worker.
type worker struct {
	host   js.Value // object with the functions of worker.js
	runner jobs.Runner
	files  []*jobs.Blocks // files of the present job
	end    context.CancelFunc
	told   time.Time // when progress was last reported
}

// run begins a job and returns at once. args holds the call, its parameters as a query, the files, the sizes of the
// files, and two functions. The first function receives the result part by part. The second is called at the end: with
// the failure as JSON, or with null and the name, MIME type and event of the result.
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

// raise returns the text that replaces a flag such as --max-memory in messages: a page has no such flags.
func raise(string) string { return "the program superres, which may take more than a browser" }

// failure is the message to the page about a job that failed: the error text, and the exit code of superres upscale.
type failure struct {
	Error string `json:"error"`
	Exit  int    `json:"exit"`
}

// do does a call for the picture, with the parameters in query, and writes the result to out.
func (w *worker) do(ctx context.Context, call, query string, out io.Writer) (result upscale.Result, err error) {
	params, err := url.ParseQuery(query)
	if err != nil {
		return result, err
	}
	return w.runner.Do(ctx, jobs.Job{Call: call, Params: params}, out)
}

// cancel ends the context of the present job, if there is one.
func (w *worker) cancel(js.Value, []js.Value) any {
	if w.end != nil {
		w.end()
	}
	return nil
}

// progressTime is the shortest time between two reports of progress.
const progressTime = 100 * time.Millisecond

// progress reports to the page the share done, 0 to 1, at most every progressTime. Then it waits until JavaScript has
// handled the messages that came meanwhile, so that the page can call cancel.
func (w *worker) progress(share float64) {
	if time.Since(w.told) < progressTime {
		return
	}
	w.host.Call("progress", share)
	handled := make(chan struct{})
	callback := js.FuncOf(func(js.Value, []js.Value) any {
		close(handled)
		return nil
	})
	w.host.Call("yield", callback)
	<-handled
	callback.Release()
	w.told = time.Now()
}

// read returns length bytes of file, a JavaScript File, from offset on.
func (w *worker) read(file js.Value, offset, length int64) (data []byte, err error) {
	defer func() {
		if recover() != nil { // JavaScript threw an exception: the file is gone or was changed
			err = errors.New("the browser cannot read it any more")
		}
	}()
	data = make([]byte, length)
	if n := js.CopyBytesToGo(data, w.host.Call("read", file, offset, length)); int64(n) != length {
		return nil, errors.New("the browser reads less of it than there was")
	}
	return data, nil
}

// writer calls the JavaScript function to with each piece of data that is written, as a Uint8Array.
type writer struct{ to js.Value }

func (w writer) Write(p []byte) (int, error) {
	array := js.Global().Get("Uint8Array").New(len(p))
	js.CopyBytesToJS(array, p)
	w.to.Invoke(array)
	return len(p), nil
}
