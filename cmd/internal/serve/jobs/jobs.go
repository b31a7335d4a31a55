// Package jobs does the calls of superres serve on pictures: for its workers, and for the page in a browser that needs
// no server.
package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"image"
	"io"
	"net/url"
	"regexp"

	"superres/cmd/internal/console"
	"superres/cmd/internal/decoders"
	"superres/cmd/internal/scoring"
	"superres/cmd/internal/upscale"
	"superres/internal/imagefile"
	"superres/internal/scheduling"
	"superres/superres/score"
)

// Job is a call.
type Job struct {
	// Call is upscale, inspect or score.
	Call string
	// Params are the parameters of upscale and inspect.
	Params url.Values
	// Scale is, for score, the width of the border to leave out, in pixels.
	Scale int
	// Made is how another program has made the picture, of the file that follows it.
	Made decoders.Way
}

// Parts are the names of the files of score, in their order. The other calls have one file.
var Parts = [...]string{"truth", "picture"}

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
	if j.Call == "score" {
		return r.score(ctx, j.Scale)
	}
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

// scores is the answer to a call of v1/score.
type scores struct {
	Protocol score.Protocol `json:"protocol"`
	Scale    int            `json:"scale"` // width of the border that is left out, in pixels
	scoring.Scored
}

// scoreBytes is the memory that scoring takes for each pixel, in bytes, both pictures included.
const scoreBytes = 112

// score returns the scores of a picture against the true one.
func (r *Runner) score(ctx context.Context, border int) (result upscale.Result, err error) {
	pixels := int64(0)
	for i := range Parts {
		size, err := r.sizeOf(ctx, i)
		if err != nil {
			return result, err
		}
		pixels = max(pixels, int64(size.X)*int64(size.Y))
	}
	need := pixels * scoreBytes
	err = console.EnoughMemory(r.Service.Limits.Memory, "scoring", float64(need), ", or smaller pictures")
	if err != nil {
		return result, err
	}
	if err := r.Admit(scheduling.Load{Memory: need, Pixels: pixels}); err != nil {
		return result, err
	}
	var images [len(Parts)]image.Image
	for i := range Parts {
		pic, err := r.open(ctx, i, nil)
		if err != nil {
			return result, err
		}
		images[i] = pic.Image
	}
	answer := scores{Protocol: score.MatlabY, Scale: border}
	if answer.Scored, err = scoring.Score(answer.Protocol, images[0], images[1], border); err != nil {
		return result, console.Fail(console.ExitInput, err)
	}
	result.Event, err = json.Marshal(answer)
	return result, err
}

// errSize stops the reading of a picture once its size is known.
var errSize = errors.New("the size is known")

// sizeOf returns the size of a picture in pixels, from its header.
func (r *Runner) sizeOf(ctx context.Context, index int) (size image.Point, err error) {
	_, err = r.open(ctx, index, func(cfg image.Config, _ int64) error {
		size = image.Pt(cfg.Width, cfg.Height)
		return errSize
	})
	if errors.Is(err, errSize) {
		err = nil
	}
	return size, err
}

// open returns a picture that is to be scored: of an animation or a file with pages, the first one. accept may refuse
// it by its header.
func (r *Runner) open(ctx context.Context, index int,
	accept func(image.Config, int64) error) (*imagefile.Picture, error) {
	limits := imagefile.Limits{Pixels: r.Service.Limits.Pixels, Time: r.Service.Decode, Strip: true, FirstFrame: true,
		Accept: accept}
	file, size := r.File(index)
	return imagefile.OpenAt(ctx, file, size, Parts[index], limits)
}

// limit matches the flags for limits.
var limit = regexp.MustCompile(`--(max-memory|max-pixels|timeout)\b`)

// AsParameters returns the text of an error of a job with flags that are parameters of a call named without dashes, and
// flags for limits replaced by what raise returns for them.
func AsParameters(text string, raise func(flag string) string) string {
	return limit.ReplaceAllStringFunc(upscale.Parameters().Undashed(text), raise)
}
