package bench

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"math/rand/v2"
	"time"

	"superres/cmd/internal/models"
	"superres/internal/imagefile"
	"superres/internal/parallel"
	"superres/learners"
	"superres/learners/planted"
	"superres/learners/sparse"
	"superres/superres"
)

// timed returns a function that calls work and returns how long the call took.
func timed(work func(context.Context) error) func(context.Context) (time.Duration, error) {
	return func(ctx context.Context) (time.Duration, error) {
		began := time.Now()
		err := work(ctx)
		return time.Since(began), err
	}
}

// openPhoto returns the embedded model photo with the given effort, which trades quality for speed.
func openPhoto(effort string) (*superres.Model, error) {
	m, err := models.Open(context.Background(), models.Photo)
	if err != nil {
		return nil, err
	}
	return m.Effort(effort)
}

// fileTasks returns tasks for pictures of two sizes: each decodes a PNG in memory, enlarges it with the embedded model
// photo and encodes the result as PNG. superres upscale takes longer, as it also opens the model and uses the disk.
func fileTasks() (tasks []task, err error) {
	for _, size := range []image.Point{{768, 512}, {1920, 1280}} {
		var file bytes.Buffer
		picture := syntheticPicture(size.X, size.Y)
		if err := imagefile.Encode(&file, picture, "png", imagefile.EncodeOptions{}); err != nil {
			return nil, err
		}
		for _, effort := range []string{"fast", "best"} {
			m, err := openPhoto(effort)
			if err != nil {
				return nil, err
			}
			tasks = append(tasks, task{
				name: fmt.Sprintf("PNG %d×%d to %d×%d, %s", size.X, size.Y, 2*size.X, 2*size.Y, effort), unit: "s",
				run: timed(func(ctx context.Context) error { // "synthetic" names the picture in errors
					p, err := imagefile.Decode(ctx, bytes.NewReader(file.Bytes()), "synthetic", imagefile.Limits{})
					if err != nil {
						return err
					}
					out, err := m.Upscale(ctx, p.Image, superres.Options{Scale: 2})
					if err != nil {
						return err
					}
					return imagefile.Encode(io.Discard, out, "png", imagefile.EncodeOptions{})
				}),
			})
		}
	}
	return tasks, nil
}

// pictureTasks returns tasks that enlarge a picture with the model photo, one for each effort; a task that encodes a
// PNG of the enlarged size; and one that enlarges cuttings as small as reduced digits with the model digits.
func pictureTasks() (tasks []task, err error) {
	const width, height = 768, 512
	picture, large := syntheticPicture(width, height), syntheticPicture(2*width, 2*height)
	for _, effort := range superres.Efforts() {
		m, err := openPhoto(effort)
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, task{
			name: fmt.Sprintf("photo to %d×%d, %s", 2*width, 2*height, effort), unit: "megapixels/s",
			count: 4 * width * height / 1e6, // pixels of the result
			run: timed(func(ctx context.Context) error {
				_, err := m.Upscale(ctx, picture, superres.Options{Scale: 2})
				return err
			}),
		})
	}
	tasks = append(tasks, task{
		name: fmt.Sprintf("PNG of %d×%d", 2*width, 2*height), unit: "MB/s", count: 3 * 4 * width * height / 1e6, // RGB
		run: timed(func(context.Context) error {
			return imagefile.Encode(io.Discard, large, "png", imagefile.EncodeOptions{})
		}),
	})
	m, err := models.Open(context.Background(), "digits")
	if err != nil {
		return nil, err
	}
	const side, digits = 14, 200
	small := make([]*image.Gray, digits)
	for i := range small {
		small[i] = image.NewGray(image.Rect(0, 0, side, side))
		draw.Draw(small[i], small[i].Rect, picture, image.Pt(3*i, 2*i), draw.Src)
	}
	return append(tasks, task{
		name: fmt.Sprintf("digits to %d×%d", 2*side, 2*side), unit: "digits/s", count: digits,
		run: timed(func(ctx context.Context) error {
			return parallel.Each(ctx, small, func(ctx context.Context, img *image.Gray) (image.Image, error) {
				return m.Upscale(ctx, img, superres.Options{})
			}, func(image.Image) error { return nil })
		}),
	}), nil
}

// syntheticPicture returns w×h pixels like a photograph: soft slopes, edges in all directions, fine stripes and noise.
func syntheticPicture(w, h int) *image.NRGBA {
	random := rand.New(rand.NewPCG(1, 1))
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			u, v := 1000*x/h, 1000*y/h                           // position of the pixel in thousandths of the height
			c := [3]int{60 + u/12, 80 + v/10, 140 - u/20 + v/20} // red, green and blue of the slopes
			if dx, dy := u-500, v-450; dx*dx+dy*dy < 300*300 {   // a disc
				c = [3]int{200 - v/10, 150 + u/30, 70 + u/15}
			}
			if u > 1000 && (3*u+5*v)/40%2 == 0 { // slanted stripes right of the disc
				c[0], c[1] = c[0]-50, c[1]-30
			}
			noise := random.IntN(7) - 3
			img.SetNRGBA(x, y, color.NRGBA{uint8(c[0] + noise), uint8(c[1] + noise), uint8(c[2] + random.IntN(5)), 255})
		}
	}
	return img
}

// coderTasks returns tasks for four sizes; each codes signals of n entries over k atoms with s non-zeros, by OMP.
func coderTasks() (tasks []task, err error) {
	for _, c := range []struct{ n, k, s int }{{9, 128, 3}, {30, 512, 5}, {64, 512, 5}, {64, 1024, 3}} {
		const signals = 20000
		const noise, seed, trial = 0.3, 1, 0
		p, err := planted.New(planted.Panel{M: c.n, K: c.k, S: c.s}, signals, noise, seed, trial)
		if err != nil {
			return nil, err
		}
		coder := sparse.OMP{Sparsity: c.s}
		tasks = append(tasks, task{
			name: fmt.Sprintf("OMP n=%d K=%d S=%d", c.n, c.k, c.s), unit: "signals/s", count: signals,
			run: timed(func(ctx context.Context) error {
				_, err := coder.Code(ctx, p.Dictionary, p.Y)
				return err
			}),
		})
	}
	return tasks, nil
}

// ropTasks returns a task that times iterations of the learner ROP, except the first, which includes the preparations.
func ropTasks() ([]task, error) {
	const m, n, k, iterations = 32, 1600, 64, 20
	p, err := planted.New(planted.Panel{M: m, K: k, S: 6}, n, 0, 1, 0) // without noise, seed 1, trial 0
	if err != nil {
		return nil, err
	}
	return []task{{
		name: fmt.Sprintf("ROP M=%d N=%d K=%d", m, n, k), unit: "iterations/s", count: iterations,
		run: func(ctx context.Context) (time.Duration, error) {
			r, err := learners.ROP{Penalty: 10}.Learn(ctx, p.Y,
				learners.Options{Atoms: k, Iterations: iterations + 1, Seed: 1})
			if err != nil {
				return 0, err
			}
			return r.Steps[iterations].Elapsed - r.Steps[0].Elapsed, nil
		},
	}}, nil
}

// ksvdTasks returns tasks that learn 128 atoms from 10,000 signals of 45 entries, the size of stacked digit patches.
func ksvdTasks() ([]task, error) {
	p, err := planted.New(planted.Panel{M: 45, K: 128, S: 3}, 10000, 0.3, 1, 0) // with noise of 0.3, seed 1, trial 0
	if err != nil {
		return nil, err
	}
	opt := learners.Options{Atoms: 128, Iterations: 20, Seed: 1, Coder: sparse.OMP{Sparsity: 3}}
	learning := func(name string, l learners.Learner) task {
		return task{name: name, unit: "s", run: timed(func(ctx context.Context) error {
			_, err := l.Learn(ctx, p.Y, opt)
			return err
		})}
	}
	return []task{
		learning("K-SVD approximate, 20 iterations", learners.KSVD{Approximate: true}),
		learning("K-SVD exact, 20 iterations", learners.KSVD{}),
	}, nil
}
