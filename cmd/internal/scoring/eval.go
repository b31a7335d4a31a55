package scoring

import (
	"context"
	"fmt"
	"image"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
)

// Eval is superres eval.
func Eval(s *console.Streams) *cli.Command {
	var opt EvalOptions
	return console.Command(&cli.Command{
		Name: "eval", Usage: "score enlarged pictures, or models",
		ArgsUsage: "[FLAGS] REF TEST   or   -m MODEL [FLAGS] REF...",
		Description: `   superres eval truth.png enlarged.png            two files
   superres eval -s 2 truth/ enlarged/             two folders, matched by name
   superres eval -m bicubic -m photo -s 2 set5/    reduce, enlarge and score a folder
   superres eval -m bicubic -m photo --jpeg 85 set5/   through JPEG files
   superres eval -m lanczos -m photo-real --noise 10 set5/   with noise
   superres eval -m digits --index 39114,10523,3760,2065 train-images-idx3-ubyte.gz

Protocols: matlab-y, for photographs: low resolution by MATLAB's antialiased
bicubic, 8 bits; Y of BT.601, a border of SCALE pixels left out; PSNR and SSIM.
nfe, for digits: squared error of the grey values over the squared truth.`,
		Flags:  opt.table().Flags(),
		Action: func(c *cli.Context) error { return runEval(c, s, opt) },
	})
}

// runEval does one call of superres eval.
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
	_, err = fmt.Fprint(s.Out, table.text())
	return err
}

// evaluate scores the pictures that the options name, or by which they score models.
func evaluate(ctx context.Context, opt EvalOptions, bar *console.Progress) (Scores, error) {
	table := Scores{Protocol: opt.Protocol, Scale: opt.Scale, Noise: opt.Noise, JPEG: opt.JPEG}
	if opt.Effort != "best" { // the default is not worth a word
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

// cell scores a picture by the protocol of the table.
func (t *Scores) cell(ref, test image.Image) (Cell, error) {
	m, err := t.Protocol.Compare(ref, test, t.Scale)
	if err != nil {
		return Cell{}, console.Fail(console.ExitInput, err)
	}
	return CellOf(m), nil
}
