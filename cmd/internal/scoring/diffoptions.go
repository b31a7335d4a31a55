package scoring

import (
	"slices"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/superres"
)

// diffFlags are those of superres diff. They are read by readDiffOptions.
func diffFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "diff.html", Usage: "write the page to `FILE`.html; - is standard output, and the table goes to standard error"},
		&cli.IntFlag{Name: "scale", Aliases: []string{"s"}, Value: 2, Usage: "how much was enlarged, `N`, 1 to 16: the border that scores leave out"},
		&cli.StringFlag{Name: "on-exist", Value: "fail", Usage: "`WHAT` to do when the output exists: fail or overwrite"},
		&cli.BoolFlag{Name: "json", Usage: "print JSON"},
	}, console.PictureFlags)
}

// DiffOptions are what the flags of superres diff ask for.
type DiffOptions struct {
	// Inputs are the pictures, two to nine; the first is the reference.
	Inputs []string
	// Page is the file of the page, or "-" for standard output: --output, diff.html.
	Page string
	// Overwrite writes over a page that exists: --on-exist, false.
	Overwrite bool
	// Scale is how much was enlarged, 1 to 16: --scale, 2. Scores leave out a border of
	// as many pixels.
	Scale int
	// JSON prints the scores as JSON: --json, false.
	JSON bool
	// Limits are those of the machine.
	Limits console.Limits
}

// mostCompared is how many pictures the keys 1 to 9 choose from.
const mostCompared = 9

// readDiffOptions reads the flags of superres diff.
func readDiffOptions(c *cli.Context) (opt DiffOptions, err error) {
	opt = DiffOptions{Inputs: c.Args().Slice(), Page: c.String("output"), Scale: c.Int("scale"), JSON: c.Bool("json")}
	if opt.Limits, err = console.ReadLimits(c); err != nil {
		return opt, err
	}
	switch {
	case len(opt.Inputs) < 2:
		return opt, console.Usage("expected two pictures or more; superres diff --help shows examples")
	case len(opt.Inputs) > mostCompared:
		return opt, console.Usage("%d pictures, expected %d at most", len(opt.Inputs), mostCompared)
	case opt.Scale < 1 || opt.Scale > superres.MaxScale:
		return opt, console.Usage("--scale %d: expected 1 to %d", opt.Scale, superres.MaxScale)
	}
	opt.Overwrite, err = console.Overwrites(c)
	return opt, err
}
