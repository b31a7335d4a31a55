package scoring

import (
	"context"
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/degrade"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/score"
)

// scoreModels reduces every picture, enlarges it again with every model and scores the results. It sets t.Columns and
// t.Rows, and t.Degradation to opt.Degradation, else to the degradation of the first trained model, else to bicubic.
func (t *Scores) scoreModels(ctx context.Context, opt EvalOptions, bar *console.Progress) error {
	var opened []*superres.Model
	t.Degradation = opt.Degradation
	for _, name := range opt.Models {
		m, err := models.Opener{Auto: true}.Open(ctx, name)
		if err == nil {
			m, err = m.Effort(opt.Effort)
		}
		if err != nil {
			return err
		}
		if t.Degradation == "" && !m.IsPlain() {
			t.Degradation = m.Degradation
		}
		opened = append(opened, m)
		t.Columns = append(t.Columns, paths.Name(name))
	}
	if t.Degradation == "" {
		t.Degradation = resample.Cubic
	}
	if err := t.Degradation.Check(); err != nil {
		return err
	}
	from := pictures.Sources{Command: "eval", Recursive: opt.Recursive, Choice: opt.Choice, Limits: opt.Limits,
		BytesPerPixel: 100, Notes: opt.Notes} // 100: for a picture, its reduction, the result and the scores
	list, err := from.List(ctx, opt.Inputs)
	if err != nil {
		return err
	}
	for i, src := range list {
		err := console.Picture(src.Name, func() error {
			truth, err := src.Open(ctx)
			if err != nil {
				return err
			}
			low, err := t.reduce(src.Name, truth)
			if err != nil {
				return err
			}
			row := scoreRow{Name: paths.Name(filepath.Base(src.Name))}
			for j, m := range opened {
				if m, err = m.TuneFor(low, t.JPEG); err != nil {
					return err
				}
				high, err := m.Upscale(ctx, low,
					superres.Options{Scale: float64(t.Scale), Quality: t.JPEG, Progress: func(share float64) {
						bar.Set("scoring", (float64(i)+(float64(j)+share)/float64(len(opened)))/float64(len(list)))
					}})
				if err != nil {
					return err
				}
				cell, err := t.cell(truth, high)
				if err != nil {
					return fmt.Errorf("%s: %w", src.Name, err)
				}
				row.Cells = append(row.Cells, cell)
			}
			t.Rows = append(t.Rows, row)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// reduce returns truth reduced by t.Scale, with t.Noise and t.JPEG: the input for all models. name is for errors.
func (t *Scores) reduce(name string, truth image.Image) (image.Image, error) {
	low, err := score.Reduce(truth, t.Scale, t.Degradation)
	if err != nil {
		return nil, console.Failf(console.ExitInput, "%s: %w", name, err)
	}
	if t.Noise > 0 {
		const seed = 1 // the same noise in every call
		low = degrade.WithNoise(low, t.Noise, seed)
	}
	if t.JPEG == 0 {
		return low, nil
	}
	if low, err = resample.ThroughJPEG(low, t.JPEG); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return low, nil
}

// scoreFiles scores the second of opt.Inputs against the first. In two folders it scores the pictures that pair matches
// by name. It sets t.Columns and t.Rows, and fails if a reference has no test picture.
func (t *Scores) scoreFiles(ctx context.Context, opt EvalOptions, bar *console.Progress) error {
	refs, otherRefs, err := pictures.Expand(opt.Inputs[0], opt.Recursive)
	if err != nil {
		return err
	}
	tests, otherTests, err := pictures.Expand(opt.Inputs[1], opt.Recursive)
	if err != nil {
		return err
	}
	pictures.TellSkipped(opt.Notes, append(otherRefs, otherTests...))
	t.Columns = []paths.Name{paths.Name(filepath.Base(opt.Inputs[1]))}
	limits := pictures.Frugal(opt.Limits, 60) // bytes per pixel, for both pictures and their scores
	twins := pair(refs, tests)
	for i, ref := range refs {
		bar.Set("scoring", float64(i)/float64(len(refs)))
		test, found := twins[i], twins[i].Path != ""
		if len(refs) == 1 && len(tests) == 1 { // a single pair needs no common name
			test, found = tests[0], true
		}
		if !found {
			stem := stemOf(ref)
			return console.Failf(console.ExitInput, "%s: no picture called %s or %s_... to score", ref.Path, stem, stem)
		}
		var images [2]image.Image
		for i, in := range []pictures.Input{ref, test} {
			if images[i], err = pictures.Open(ctx, in.Path, limits); err != nil {
				return err
			}
		}
		var cell Cell
		err := console.Picture(test.Path, func() (err error) {
			cell, err = t.cell(images[0], images[1])
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", test.Path, err)
		}
		t.Rows = append(t.Rows, scoreRow{paths.Name(filepath.Base(ref.Path)), []Cell{cell}})
	}
	return nil
}

// pair returns the test picture for every entry of refs: the picture with the same path below its folder, else the
// picture whose path, without extension, is that of the reference, perhaps followed by an underscore and more. A
// picture that fits several references goes to the longest of their paths; of several pictures that fit a reference,
// the one with the shortest path counts. If no picture fits, Path is empty.
func pair(refs, tests []pictures.Input) []pictures.Input {
	twins := make([]pictures.Input, len(refs))
	for i, ref := range refs {
		for _, test := range tests {
			if test.Place == ref.Place {
				twins[i] = test
			}
		}
	}
	for _, test := range tests {
		if slices.Contains(twins, test) {
			continue
		}
		name, owner := stemOf(test), -1
		for i, ref := range refs {
			stem := stemOf(ref)
			if name != stem && !strings.HasPrefix(name, stem+"_") {
				continue
			}
			if twins[i].Place == ref.Place {
				continue // a test picture with the same path as ref was found above
			}
			if owner < 0 || len(stem) > len(stemOf(refs[owner])) {
				owner = i
			}
		}
		if owner >= 0 && (twins[owner].Path == "" || len(name) < len(stemOf(twins[owner]))) {
			twins[owner] = test
		}
	}
	return twins
}

// stemOf returns in.Place, the path of a picture below the folder that the user named, without the extension.
func stemOf(in pictures.Input) string { return strings.TrimSuffix(in.Place, filepath.Ext(in.Place)) }
