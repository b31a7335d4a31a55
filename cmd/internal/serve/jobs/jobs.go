// Package jobs does the calls of superres serve on pictures: for its workers, and for the page in a browser that needs
// no server.
package jobs

import (
	"context"
	"io"
	"net/url"
	"regexp"

	"superres/cmd/internal/decoders"
	"superres/cmd/internal/upscale"
	"superres/internal/scheduling"
)

// Job is a call.
type Job struct {
	// Call is upscale or inspect.
	Call string
	// Params are its parameters.
	Params url.Values
	// Made is how another program has made the picture, of the file that follows it.
	Made decoders.Way
}

// Runner does jobs, one at a time.
type Runner struct {
	Service *upscale.Service
	// File returns a file of the job by its index, and its size in bytes.
	File func(index int) (io.ReaderAt, int64)
	// Admit is called with what a picture takes, before it takes much, and may refuse it by an error.
	Admit func(scheduling.Load) error
	// Progress is called with the share that is done, 0 to 1.
	Progress func(share float64)
}

// Do does j and writes the result of upscale to out. The Event of what it returns is the answer to the call. Errors are
// those of the command, of Admit, or the cause of the end of ctx.
func (r *Runner) Do(ctx context.Context, j Job, out io.Writer) (upscale.Result, error) {
	request, err := r.Service.Request(ctx, j.Params)
	if err != nil {
		return upscale.Result{}, err
	}
	if j.Made.Kind != "" {
		original, size := r.File(1)
		request.SetOriginal(j.Made, original, size)
	}
	file, size := r.File(0)
	if j.Call == "inspect" {
		return request.Inspect(ctx, file, size, r.Admit)
	}
	return request.Upscale(ctx, file, size, out, r.Admit, r.Progress)
}

// limit matches the flags for limits.
var limit = regexp.MustCompile(`--(max-memory|max-pixels|timeout)\b`)

// AsParameters returns the text of an error of a job with flags that are parameters of a call named without dashes, and
// flags for limits replaced by what raise returns for them.
func AsParameters(text string, raise func(flag string) string) string {
	return limit.ReplaceAllStringFunc(upscale.Parameters().Undashed(text), raise)
}
