// Package scoring is the commands superres eval and superres diff: they score pictures and
// models, and show pictures beside one another.
package scoring

import (
	"encoding/json"
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/pictures"
	"superres/internal/imagefile"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/score"
)

// Eval is superres eval.
func Eval(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "eval", Usage: "score enlarged pictures, or models", ArgsUsage: "[FLAGS] REF TEST   or   -m MODEL [FLAGS] REF...",
		Description: `   superres eval truth.png enlarged.png            two files
   superres eval -s 2 truth/ enlarged/             two folders, matched by name
   superres eval -m bicubic -m photo -s 2 set5/    reduce, enlarge and score a folder
   superres eval -m bicubic -m photo --jpeg 85 set5/   through JPEG files
   superres eval -m digits --index 39114,10523,3760,2065 train-images-idx3-ubyte.gz

Protocols: matlab-y, for photographs: low resolution by MATLAB's antialiased
bicubic, 8 bits; Y of BT.601, a border of SCALE pixels left out; PSNR and SSIM.
nfe, for digits: squared error of the grey values over the squared truth.`,
		Flags: append(append([]cli.Flag{
			&cli.StringSliceFlag{Name: "model", Aliases: []string{"m"}, Usage: "reduce every picture and enlarge it again by `NAME|FILE`; may be given more than once"},
			&cli.StringFlag{Name: "effort", Value: "best", Usage: "`HOW` many stages of cascades to run: fast (one), balanced (two) or best (all)"},
			&cli.IntFlag{Name: "scale", Aliases: []string{"s"}, Value: 2, Usage: "the scale `N`, 2 to 16: how much TEST was enlarged, or how much to reduce"},
			&cli.StringFlag{Name: "protocol", Usage: "score by `NAME`: matlab-y or nfe; by default nfe for IDX files, else matlab-y"},
			&cli.StringFlag{Name: "degradation", Usage: "reduce by `HOW`: bicubic or box; by default what the first trained model was trained for"},
			&cli.IntFlag{Name: "jpeg", Usage: "pass the reduced pictures through JPEG files of quality `Q`, 1 to 100, as most pictures come; 0: do not"},
			&cli.BoolFlag{Name: "recursive", Aliases: []string{"r"}, Usage: "take folders with all below them"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		}, pictures.IDXFlags...), console.PictureFlags...),
		Action: func(c *cli.Context) error { return runEval(c, s) },
	})
}

func runEval(c *cli.Context, s *console.Streams) error {
	limits, err := console.ReadLimits(c)
	if err != nil {
		return err
	}
	scale := c.Int("scale")
	models := c.StringSlice("model")
	switch {
	case scale < 1 || scale > superres.MaxScale || len(models) > 0 && scale < 2:
		return console.Usage("--scale %d: expected 2 to %d", scale, superres.MaxScale)
	case len(models) == 0 && c.NArg() != 2:
		return console.Usage("expected REF and TEST, or -m MODEL and pictures; superres eval --help shows examples")
	case c.NArg() == 0:
		return console.Usage("no pictures to score")
	case c.Int("jpeg") < 0 || c.Int("jpeg") > 100:
		return console.Usage("--jpeg %d: expected a quality of 1 to 100, or 0", c.Int("jpeg"))
	case c.Int("jpeg") > 0 && len(models) == 0:
		return console.Usage("--jpeg is for models, which pictures are reduced for: add -m MODEL")
	case c.IsSet("effort") && len(models) == 0:
		return console.Usage("--effort is for models: add -m MODEL")
	}
	bar, err := console.NewProgress(c, s)
	if err != nil {
		return err
	}
	defer bar.Clear()
	table := Scores{Scale: scale, JPEG: c.Int("jpeg"), Effort: c.String("effort"), Protocol: score.Protocol(c.String("protocol"))}
	if table.Protocol == "" {
		table.Protocol = score.MatlabY
		if slices.ContainsFunc(c.Args().Slice(), pictures.IsIDX) {
			table.Protocol = score.Normalised
		}
	}
	if err := console.OneOf("protocol", string(table.Protocol), string(score.MatlabY), string(score.Normalised)); err != nil {
		return err
	}
	if len(models) > 0 {
		err = table.models(c, models, limits, bar)
	} else {
		err = table.files(c, pictures.Frugal(limits, 60), bar)
	}
	if err != nil {
		return err
	}
	if table.Effort == "best" {
		table.Effort = "" // says nothing
	}
	bar.Clear()
	table.average()
	if c.Bool("json") {
		enc := json.NewEncoder(s.Out)
		enc.SetIndent("", "  ")
		return enc.Encode(table)
	}
	_, err = fmt.Fprint(s.Out, table.text())
	return err
}

// models reduces every picture, enlarges it by every model and scores that.
func (t *Scores) models(c *cli.Context, names []string, limits console.Limits, bar *console.Progress) error {
	var opened []*superres.Model
	t.Degradation = resample.Degradation(c.String("degradation"))
	for _, name := range names {
		m, err := models.Open(name)
		if err == nil {
			m, err = m.Effort(t.Effort)
		}
		if err != nil {
			return err
		}
		if t.Degradation == "" && len(m.Stages) > 0 {
			t.Degradation = m.Degradation
		}
		opened = append(opened, m)
		t.Columns = append(t.Columns, name)
	}
	if t.Degradation == "" {
		t.Degradation = resample.Cubic
	}
	if err := t.Degradation.Check(); err != nil {
		return err
	}
	from, err := pictures.ReadSources(c, limits, 100)
	if err != nil {
		return err
	}
	list, err := from.List(c.Context, c.Args().Slice())
	if err != nil {
		return err
	}
	for i, src := range list {
		img, err := src.Open(c.Context)
		if err != nil {
			return err
		}
		low, err := score.Reduce(img, t.Scale, t.Degradation)
		if err != nil {
			return console.Fail(console.ExitInput, fmt.Errorf("%s: %w", src.Name, err))
		}
		if t.JPEG > 0 {
			if low, err = resample.ThroughJPEG(low, t.JPEG); err != nil {
				return fmt.Errorf("%s: %w", src.Name, err)
			}
		}
		row := scoreRow{Name: filepath.Base(src.Name)}
		for j, m := range opened {
			high, err := m.Upscale(c.Context, low, superres.Options{Scale: float64(t.Scale), Progress: func(share float64) {
				bar.Set("scoring", (float64(i)+(float64(j)+share)/float64(len(opened)))/float64(len(list)))
			}})
			if err != nil {
				return err
			}
			if err := t.score(&row, img, high); err != nil {
				return fmt.Errorf("%s: %w", src.Name, err)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return nil
}

// files scores a file against another, or the pictures of a folder against those
// of another that have their stem, or begin with it.
func (t *Scores) files(c *cli.Context, limits imagefile.Limits, bar *console.Progress) error {
	refs, err := pictures.Expand(c.Args().Get(0), c.Bool("recursive"))
	if err != nil {
		return err
	}
	tests, err := pictures.Expand(c.Args().Get(1), c.Bool("recursive"))
	if err != nil {
		return err
	}
	t.Columns = []string{filepath.Base(c.Args().Get(1))}
	twins := pair(refs, tests)
	for i, ref := range refs {
		bar.Set("scoring", float64(i)/float64(len(refs)))
		test, found := twins[i], twins[i].Path != ""
		if len(refs) == 1 && len(tests) == 1 {
			test, found = tests[0], true
		}
		if !found {
			stem := stemOf(ref)
			return console.Fail(console.ExitInput, fmt.Errorf("%s: no picture called %s or %s_... to score", ref.Path, stem, stem))
		}
		var images [2]image.Image
		for i, in := range []pictures.Input{ref, test} {
			pic, err := imagefile.Open(c.Context, in.Path, limits)
			if err != nil {
				return err
			}
			images[i] = pic.Image
		}
		row := scoreRow{Name: filepath.Base(ref.Path)}
		if err := t.score(&row, images[0], images[1]); err != nil {
			return fmt.Errorf("%s: %w", test.Path, err)
		}
		t.Rows = append(t.Rows, row)
	}
	return nil
}

// pair finds the test picture of every reference: the one in the same place, or
// with its stem there, or the shortest name that begins with the stem and an
// underscore and fits no longer reference. Where there is none the path is empty.
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
				continue // it has its own
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

// stemOf is the place of a picture without its extension.
func stemOf(in pictures.Input) string { return strings.TrimSuffix(in.Place, filepath.Ext(in.Place)) }

// score adds a cell to a row.
func (t *Scores) score(row *scoreRow, ref, test image.Image) error {
	border := 0
	if t.Protocol == score.MatlabY {
		border = t.Scale
	}
	m, err := score.Compare(ref, test, t.Scale, border)
	if err != nil {
		return console.Fail(console.ExitInput, err)
	}
	if t.Protocol == score.Normalised {
		row.Cells = append(row.Cells, Cell{NFE: console.Finite(m.NFE)})
	} else {
		row.Cells = append(row.Cells, Cell{PSNR: console.Finite(m.PSNR), SSIM: console.Finite(m.SSIM)})
	}
	return nil
}
