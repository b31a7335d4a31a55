// Package scoring contains the commands superres eval, which scores pictures and models, and superres diff, which
// scores pictures and shows them side by side.
//
// The files of eval: eval.go has the options, one call, the scores and their printing; evaluate.go scores models, and
// files matched by name. The files of diff: diff.go has the options, one call, and the size at which each picture is
// shown; compared.go reads and scores the pictures, and finds where they differ most; regions.go cuts pictures into
// regions; page.go, page.html and page.css build the page. Its scripts are paint.js, which draws, page.js, which
// chooses what to draw, and scripts from package report.
package scoring

import (
	"context"
	"fmt"
	"image"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/report"
	"superres/internal/settings"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/score"
)

// Eval returns the command superres eval, which uses the streams s.
func Eval(s *console.Streams) *cli.Command {
	var opt EvalOptions
	return console.Command(&cli.Command{
		Name: "eval", Usage: "score enlarged pictures, or models",
		ArgsUsage: "[FLAGS] REF TEST   or   -m MODEL [FLAGS] REF...",
		Description: `   superres eval truth.png enlarged.png            two files
   superres eval -s 2 truth/ enlarged/             two folders, matched by name
   superres eval -m bicubic -m photo -s 2 set5/    reduce, enlarge and score a folder
   superres eval -m photo -m auto --jpeg 85 set5/   through JPEG files; auto chooses
                                                   the model for each picture
   superres eval -m lanczos -m photo-real --noise 10 set5/   with noise
   superres eval -m digits --index 39114,10523,3760,2065 train-images-idx3-ubyte.gz

Protocols: matlab-y, for photographs: low resolution by MATLAB's antialiased
bicubic, 8 bits; Y of BT.601, a border of SCALE pixels left out; PSNR and SSIM.
SSIM has weights of a Gaussian (11×11, deviation 1.5) that add up to 1, moments
divided by that sum and not by one less, and only places where all of the window
fits. Y is rounded. Grey pictures have a Y too, of 16 to 235: 1.3 dB more than
their levels have. matlab-grey takes these as they are, as most papers do.
nfe, for digits: squared error of the grey values over the squared truth.`,
		Flags:  console.Flags(opt.table()),
		Action: func(c *cli.Context) error { return runEval(c, s, opt) },
	})
}

// runEval carries out superres eval: it reads the arguments from c, and prints the scores.
func runEval(c *cli.Context, s *console.Streams, opt EvalOptions) error {
	if err := opt.complete(c); err != nil {
		return err
	}
	console.LimitProcess(c.Context, opt.Limits)
	bar := console.NewProgress(c, s)
	defer bar.Clear()
	table, err := evaluate(c.Context, opt, bar)
	if err != nil {
		return err
	}
	bar.Clear()
	if opt.JSON {
		return console.WriteJSON(s.Out, table)
	}
	return table.document().Text(s.Out)
}

// evaluate returns the scores of opt.Models on opt.Inputs or, without models, of the second input against the first.
func evaluate(ctx context.Context, opt EvalOptions, bar *console.Progress) (Scores, error) {
	table := Scores{Protocol: opt.Protocol, Scale: opt.Scale, Noise: opt.Noise, JPEG: opt.JPEG}
	if opt.Effort != "best" { // Effort stays empty for the default
		table.Effort = opt.Effort
	}
	fill := table.scoreFiles
	if len(opt.Models) > 0 {
		fill = table.scoreModels
	}
	if err := fill(ctx, opt, bar); err != nil {
		return table, err
	}
	table.average()
	return table, nil
}

// cell returns the scores of test against the reference ref under t.Protocol. It fails if they cannot be compared.
func (t *Scores) cell(ref, test image.Image) (Cell, error) {
	m, err := t.Protocol.Compare(ref, test, t.Scale)
	if err != nil {
		return Cell{}, console.Fail(console.ExitInput, err)
	}
	return CellOf(m), nil
}

// table returns the options of superres eval, with their defaults.
func (opt *EvalOptions) table() settings.Table {
	model := models.Option("model", settings.List(&opt.Models, nil), "reduce every picture and enlarge it again by "+
		"`NAME|FILE`, or by auto, as upscale does by default; may be given more than once")
	model.Words = models.WithAuto
	return slices.Concat(settings.Table{
		model,
		{Name: "effort", To: settings.OneOf(&opt.Effort, "best", superres.Efforts()...),
			Help: "`HOW` much the models do: fast, by a smaller one; best; or max, four times as long"},
		{Name: "scale", Aliases: []string{"s"}, To: settings.Num(&opt.Scale, 2).If("2 to 16",
			func(v int) bool { return v >= 1 && v <= superres.MaxScale }), // complete refuses 1 for models
			Help: "the scale `N`, 2 to 16: how much TEST was enlarged, or how much to reduce"},
		{Name: "protocol", To: settings.OneOf(&opt.Protocol, "", score.Names()...),
			Help: "score by `NAME`: matlab-y, matlab-grey or nfe; by default nfe for IDX files, else matlab-y"},
		pictures.DegradationOption(&opt.Degradation, "", "reduce by `HOW`: bicubic or box; by default what the "+
			"first trained model was trained for"),
		{Name: "noise", To: settings.Num(&opt.Noise, 0).Between(0, 100).In("levels"),
			Help: "add normal noise of a deviation of `N` levels of 255 to every colour of the reduced pictures, " +
				"up to 100, before --jpeg"},
		{Name: "jpeg", To: settings.Num(&opt.JPEG, 0).If("a quality of 1 to 100, or 0",
			func(v int) bool { return v >= 0 && v <= 100 }), Help: "pass the reduced pictures through JPEG files " +
			"of quality `Q`, 1 to 100, as most pictures come; 0: do not"},
		console.RecursiveOption(&opt.Recursive),
		console.JSONOption(&opt.JSON, "print JSON"),
	}, opt.Choice.Options(), console.PictureOptions(&opt.Limits, nil))
}

// EvalOptions are the arguments of superres eval. The method table sets most fields, and defines their defaults.
type EvalOptions struct {
	Inputs    []string // pictures to reduce and enlarge; without Models, reference and test
	Recursive bool
	Choice    pictures.Choice // which images to use in IDX files; only with Models

	Models      []string // names and files
	Effort      string
	Scale       int
	Degradation resample.Degradation // empty: as the first trained model expects, or bicubic
	Noise       float64              // standard deviation, for samples 0..255
	JPEG        int                  // quality of the JPEG files, 1 to 100; 0: no JPEG
	Protocol    score.Protocol

	JSON   bool
	Limits console.Limits
	Notes  io.Writer // receives a line about inputs that are skipped; nil: no line
}

// complete sets Inputs and Notes from c, and Protocol if it is empty. It refuses options that contradict each other.
func (opt *EvalOptions) complete(c *cli.Context) error {
	opt.Inputs, opt.Notes = c.Args().Slice(), pictures.Notes(c)
	byModels := len(opt.Models) > 0
	switch {
	case byModels && opt.Scale < 2:
		return console.Usage("--scale %d: expected 2 to %d", opt.Scale, superres.MaxScale)
	case !byModels && len(opt.Inputs) != 2:
		return console.Usage("expected REF and TEST, or -m MODEL and pictures; superres eval --help shows examples")
	case len(opt.Inputs) == 0:
		return console.Usage("no pictures to score")
	case opt.Noise > 0 && !byModels:
		return console.Usage("--noise is for models, which pictures are reduced for: add -m MODEL")
	case opt.JPEG > 0 && !byModels:
		return console.Usage("--jpeg is for models, which pictures are reduced for: add -m MODEL")
	case c.IsSet("effort") && !byModels:
		return console.Usage("--effort is for models: add -m MODEL")
	}
	if opt.Protocol == "" {
		opt.Protocol = score.MatlabY
		if slices.ContainsFunc(opt.Inputs, pictures.IsIDX) {
			opt.Protocol = score.Normalised
		}
	}
	if !byModels {
		opt.Choice.TellIdle(opt.Notes, nil)
	}
	return nil
}

// Scores is the result of superres eval, a table with a row for each picture.
type Scores struct {
	Protocol score.Protocol `json:"protocol"` // how the pictures were scored
	Scale    int            `json:"scale"`    // the factor of enlargement
	// Degradation is how the pictures were reduced for the models; empty if two files or folders are compared.
	Degradation resample.Degradation `json:"degradation,omitempty"`
	// Noise is the standard deviation of the noise added to the reduced pictures, for samples 0..255.
	Noise float64 `json:"noise,omitempty"`
	// JPEG is the quality of the JPEG files that the reduced pictures were written to and read from; 0: none.
	JPEG    int          `json:"jpeg,omitempty"`
	Effort  string       `json:"effort,omitempty"` // value of --effort: fast or max; empty: best
	Columns []paths.Name `json:"columns"`          // the names of the models, or the scored file or folder
	Rows    []scoreRow   `json:"rows"`             // the scores, a row for each picture
	Mean    []Cell       `json:"mean"`             // the mean of each column over the rows that have a score
}

// scoreRow holds the scores of one picture, a Cell for each of Scores.Columns.
type scoreRow struct {
	Name  paths.Name `json:"name"`
	Cells []Cell     `json:"cells"`
}

// Cell holds the scores of a picture. A score is nil if the protocol does not measure it or it is undefined, such as
// the PSNR of equal pictures or the SSIM of pictures smaller than the window of SSIM.
type Cell struct {
	PSNR *float64 `json:"psnr,omitempty"`
	SSIM *float64 `json:"ssim,omitempty"`
	NFE  *float64 `json:"nfe,omitempty"`
}

// CellOf returns the scores m as a Cell. NaN and infinite scores become nil.
func CellOf(m score.Metrics) Cell {
	return Cell{console.Finite(m.PSNR), console.Finite(m.SSIM), console.Finite(m.NFE)}
}

// average appends to t.Mean the mean of each column over the rows in which the score is defined.
func (t *Scores) average() {
	for column := range t.Columns {
		var mean Cell
		for _, f := range []func(*Cell) **float64{
			func(c *Cell) **float64 { return &c.PSNR }, func(c *Cell) **float64 { return &c.SSIM },
			func(c *Cell) **float64 { return &c.NFE }, // f points at one of the scores in a cell
		} {
			sum, count := 0.0, 0
			for _, row := range t.Rows {
				if v := *f(&row.Cells[column]); v != nil {
					sum, count = sum+*v, count+1
				}
			}
			if count > 0 {
				v := sum / float64(count)
				*f(&mean) = &v
			}
		}
		t.Mean = append(t.Mean, mean)
	}
}

// document returns the scores as a report for a terminal.
func (t *Scores) document() report.Document {
	d := report.Document{Lead: fmt.Sprintf("protocol %s, scale %d", t.Protocol, t.Scale)}
	if t.Degradation != "" {
		d.Lead += fmt.Sprintf(", reduced by %s", t.Degradation)
	}
	if t.Noise > 0 {
		d.Lead += fmt.Sprintf(", noise of %g levels", t.Noise)
	}
	if t.JPEG > 0 {
		d.Lead += fmt.Sprintf(", JPEG of quality %d", t.JPEG)
	}
	if t.Effort != "" {
		d.Lead += fmt.Sprintf(", effort %s", t.Effort)
	}
	d.Lead += ": " + t.Protocol.Measures()
	table := report.Table{Head: []string{"picture"}}
	for _, c := range t.Columns {
		table.Head = append(table.Head, string(c))
	}
	for _, r := range append(slices.Clone(t.Rows), scoreRow{"mean", t.Mean}) {
		row := []report.Cell{{Text: string(r.Name)}}
		for _, c := range r.Cells {
			cell := report.Cell{Text: console.Number("%.2f", c.PSNR) + " / " + console.Number("%.4f", c.SSIM)}
			if t.Protocol == score.Normalised {
				cell.Text = console.Number("%.4f", c.NFE)
			}
			if c.NFE == nil && (c.PSNR == nil || c.SSIM == nil) {
				cell.Mark = "not defined (equal pictures, or smaller than the window of SSIM), and left out of the mean"
			}
			row = append(row, cell)
		}
		table.Rows = append(table.Rows, row)
	}
	d.Sections = []report.Section{{Tables: []report.Table{table}}}
	return d
}
