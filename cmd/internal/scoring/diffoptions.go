package scoring

import (
	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/settings"
	"superres/superres"
)

// table has the options of superres diff, with their defaults.
func (opt *DiffOptions) table() settings.Table {
	return append(settings.Table{
		console.OutputOption(&opt.Page, "diff.html", "write the page to `FILE`.html; - is standard output, and "+
			"the table goes to standard error"),
		{Name: "scale", Aliases: []string{"s"}, To: settings.Num(&opt.Scale, 2).Between(1, superres.MaxScale),
			Help: "how much was enlarged, `N`, 1 to 16: the border that scores leave out"},
		console.OnExistOption("the output exists"),
		console.JSONOption(&opt.JSON, "print JSON"),
	}, console.PictureOptions(&opt.Limits, nil)...)
}

// DiffOptions are what a call asks for. Most fields are set by the options of table, which has their defaults.
type DiffOptions struct {
	Inputs    []string // two to nine pictures, of which the first is the reference
	Page      string   // the file of the page, or "-" for standard output
	Overwrite bool
	Scale     int // scores leave out a border of as many pixels
	JSON      bool
	Limits    console.Limits
}

// mostCompared is how many pictures the keys 1 to 9 choose from.
const mostCompared = 9

// complete reads the arguments.
func (opt *DiffOptions) complete(c *cli.Context) error {
	opt.Inputs, opt.Overwrite = c.Args().Slice(), console.Overwrites(c)
	switch {
	case len(opt.Inputs) < 2:
		return console.Usage("expected two pictures or more; superres diff --help shows examples")
	case len(opt.Inputs) > mostCompared:
		return console.Usage("%d pictures, expected %d at most", len(opt.Inputs), mostCompared)
	}
	return nil
}
