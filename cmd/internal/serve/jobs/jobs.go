// Package jobs does the calls of superres serve that concern a picture. The workers of the server use it, and so does
// the page that needs no server (see package browser).
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

// Job is a call of the interface for one picture.
type Job struct {
	// Call is "upscale" or "inspect".
	Call string
	// Params are the parameters of the call.
	Params url.Values
	// Made says how another program made the picture from file 1. The zero value: none did.
	Made decoders.Way
}

// Runner does jobs, one at a time.
type Runner struct {
	Service *upscale.Service
	// File returns a file of the job and its size in bytes. File 0 is the picture, file 1 what it was made from.
	File func(index int) (io.ReaderAt, int64)
	// Admit is called with the load of a picture before much memory is taken. An error refuses the picture.
	Admit func(scheduling.Load) error
	// Progress is called with the share of the work that is done, 0 to 1.
	Progress func(share float64)
}

// Do does j on the picture, file 0, and, if j.Call is "upscale", writes the enlarged picture to out. File 1 is used
// only if another program made file 0 from it, as j.Made says. The Event of the returned result is the answer to the
// call. An error is one that superres upscale reports, an error of Admit, or the cause of the end of ctx.
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

// limit matches the flags that set limits.
var limit = regexp.MustCompile(`--(max-memory|max-pixels|timeout)\b`)

// AsParameters returns text, the error of a job, without the dashes of flags that are parameters of a call, and with
// raise(flag) in place of each flag that sets a limit.
func AsParameters(text string, raise func(flag string) string) string {
	return limit.ReplaceAllStringFunc(upscale.Parameters().Undashed(text), raise)
}
