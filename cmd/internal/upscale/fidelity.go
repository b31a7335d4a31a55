package upscale

import (
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/enlarging"
	"superres/internal/imagefile"
)

// fidelityFlags say what of an input, beside its pixels, its output has.
var fidelityFlags = []cli.Flag{
	&cli.StringFlag{Name: "metadata", Value: "keep", Usage: "keep or strip ICC profile, EXIF, XMP and resolution: `WHAT` is keep or strip; strip leaves out places (GPS) and profiles too"},
	&cli.BoolFlag{Name: "provenance", Value: true, Usage: "note program, model and settings in the output, unless it is =false; off by default with --metadata strip"},
	&cli.StringFlag{Name: "depth", Value: "same", Usage: "write `BITS` a sample: same, 8 or 16"},
	&cli.BoolFlag{Name: "first-frame", Usage: "take the first picture alone of animations and of files with pages"},
}

// readFidelity reads the flags.
func readFidelity(c *cli.Context) (enlarging.Fidelity, error) {
	f := enlarging.Fidelity{FirstFrame: c.Bool("first-frame")}
	metadata, depth := c.String("metadata"), c.String("depth")
	if err := console.OneOf("metadata", metadata, "keep", "strip"); err != nil {
		return f, err
	}
	if err := console.OneOf("depth", depth, "same", "8", "16"); err != nil {
		return f, err
	}
	f.Strip = metadata == "strip"
	f.Depth, _ = strconv.Atoi(depth) // 0 for "same"
	f.Record = c.Bool("provenance") && (!f.Strip || c.IsSet("provenance"))
	return f, nil
}

// checkDepth refuses a format that cannot have the depth asked for.
func checkDepth(f enlarging.Fidelity, format imagefile.Format) error {
	if f.Depth == 16 && !format.CanDeep() {
		return console.Usage("--depth 16: %s has 8 bits a sample; use --format png or tiff", strings.ToUpper(string(format)))
	}
	return nil
}
