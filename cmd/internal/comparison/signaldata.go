package comparison

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console"
	"superres/internal/matfile"
)

// readSignals returns all signals as columns of y. In the protocol signals they come from the file, and groups is nil.
// In the protocol patches they are cut from pictures that are large enough, at places that are random but the same in
// each call. groups[i] is the index of the picture of column i. Values are 0..255, minus the mean of the patch.
func readSignals(ctx context.Context, opt Options) (y *mat.Dense, groups []int, err error) {
	if opt.Protocol.name == "signals" {
		y, note, err := openSignals(opt.Inputs[0])
		if err == nil && note != "" && opt.Sources.Notes != nil {
			fmt.Fprintln(opt.Sources.Notes, "superres:", note)
		}
		return y, nil, err
	}
	list, err := opt.Sources.List(ctx, opt.Inputs)
	if err != nil {
		return nil, nil, err
	}
	if len(list) < 2 {
		return nil, nil, console.Usage("one picture to learn from and one to be held out are needed at least, "+
			"%d found", len(list))
	}
	per := max(1, 2*(opt.Protocol.patches+mostHeldOut)/len(list)) // patches of each picture: about twice the need
	var columns []float64
	for i, src := range list {
		img, err := src.Open(ctx)
		if err != nil {
			return nil, nil, err
		}
		b := img.Bounds()
		if b.Dx() < patchSide || b.Dy() < patchSide {
			continue
		}
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		for range per {
			x0, y0 := b.Min.X+rng.IntN(b.Dx()-patchSide+1), b.Min.Y+rng.IntN(b.Dy()-patchSide+1)
			patch, mean := make([]float64, 0, patchSide*patchSide), 0.0
			for dy := range patchSide {
				for dx := range patchSide {
					v := float64(color.Gray16Model.Convert(img.At(x0+dx, y0+dy)).(color.Gray16).Y) / 257
					patch, mean = append(patch, v), mean+v/(patchSide*patchSide)
				}
			}
			for j := range patch {
				patch[j] -= mean
			}
			columns, groups = append(columns, patch...), append(groups, i)
		}
	}
	if len(groups) == 0 {
		return nil, nil, console.Failf(console.ExitInput, "no picture has %d×%d pixels", patchSide, patchSide)
	}
	return mat.DenseCopyOf(mat.NewDense(len(groups), patchSide*patchSide, columns).T()), groups, nil
}

// openSignals returns the signals in the file called name: the columns of a matrix (.npy, .npz, .csv); windows of 64
// values from a matrix of one row or column; or windows from the first channel of the WFDB record with this header.
// Each window has its mean removed. Windows do not overlap, and values after the last whole one are dropped. Windows
// with a missing sample are left out; note says how many, or is empty.
func openSignals(name string) (y *mat.Dense, note string, err error) {
	var row []float64
	if strings.EqualFold(filepath.Ext(name), ".hea") {
		if row, err = readWFDB(name); err != nil {
			return nil, "", err
		}
	} else {
		y, err := matfile.Open(name, matfile.Options{Column: "signal"})
		if err != nil {
			return nil, "", err
		}
		m, n := y.Dims()
		if m > 1 && n > 1 {
			return y, "", nil
		}
		row = mat.Col(nil, 0, y)
		if m == 1 {
			row = mat.Row(nil, 0, y)
		}
	}
	all := len(row) / windowSize
	if all == 0 {
		return nil, "", console.Failf(console.ExitInput, "%s: %d values, expected %d at least", name, len(row),
			windowSize)
	}
	var windows [][]float64
	for window := range slices.Chunk(row[:all*windowSize], windowSize) {
		if !slices.ContainsFunc(window, math.IsNaN) {
			windows = append(windows, window)
		}
	}
	if out := all - len(windows); out > 0 {
		note = fmt.Sprintf("%s: %d of %d windows of %d values are left out: the recorder had no sample in them", name,
			out, all, windowSize)
	}
	if len(windows) == 0 {
		return nil, "", console.Fail(console.ExitInput, errors.New(note))
	}
	y = mat.NewDense(windowSize, len(windows), nil)
	for j, window := range windows {
		mean := 0.0
		for _, v := range window {
			mean += v / windowSize
		}
		for i, v := range window {
			y.Set(i, j, v-mean)
		}
	}
	return y, note, nil
}

// split divides the signals for a run into at most t.Patches training and mostHeldOut held-out signals, both drawn at
// random. groups[j] is the index of the picture of signal j: a fifth of the pictures, at least one, is held out, or, if
// groups is nil, of the signals. split skips signals of zeros, but if train or heldOut would be empty, it gets one.
func split(all *mat.Dense, groups []int, t task) (d signalData) {
	m, n := all.Dims()
	rng := rand.New(rand.NewPCG(t.Seed+uint64(t.Run), 11)) // 11: not the random numbers of the noise in measure
	count := 1                                             // number of pictures
	for _, g := range groups {
		count = max(count, g+1)
	}
	order := rng.Perm(count)
	heldOut := map[int]bool{}
	for _, g := range order[:max(1, count/5)] {
		heldOut[g] = true
	}
	var train, held []int
	for i, j := range rng.Perm(n) {
		column := mat.Col(nil, j, all)
		switch out := groups == nil && i%5 == 4 || groups != nil && heldOut[groups[j]]; {
		case mat.Norm(mat.NewVecDense(m, column), 2) == 0:
		case out && len(held) < mostHeldOut:
			held = append(held, j)
		case !out && len(train) < t.Patches:
			train = append(train, j)
		}
	}
	pick := func(list []int) *mat.Dense {
		out := mat.NewDense(m, max(1, len(list)), nil)
		for c, j := range list {
			out.SetCol(c, mat.Col(nil, j, all))
		}
		return out
	}
	return signalData{train: pick(train), heldOut: pick(held), square: t.Protocol == "patches"}
}
