// Package atoms is the command superres dict: it looks at the atoms of a model, takes them
// elsewhere, and brings others in.
package atoms

import (
	"slices"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/pictures"
)

// Command is superres dict.
func Command(s *console.Streams) *cli.Command {
	return console.Group(&cli.Command{
		Name: "dict", Usage: "look at the atoms of a model, take them elsewhere, bring others in",
		Description: `   superres dict show coupled -o atoms.png
   superres dict export coupled -o coupled-atoms.npz
   superres dict import coupled-atoms.npz -o my.npz`,
		Subcommands: []*cli.Command{dictShowCommand(s), dictExportCommand(s), dictImportCommand(s)},
	})
}

func dictShowCommand(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "show", Usage: "measure the atoms of a model or dictionary, and draw them", ArgsUsage: "[FLAGS] MODEL|DICT [PICTURES...]",
		Description: `   superres dict show coupled                       sizes, norms, coherence, condition
   superres dict show coupled -o atoms.png          and the atoms as a picture
   superres dict show my.npz -o atoms.png photos/ and how often they are used for these pictures
   superres dict show --shape 8x4 -o atoms.png D.npy

MODEL is a name that superres models lists or the file of a model; DICT is a
dictionary with one atom a column, such as superres learn writes: .npy, .npz or text.
|cos| is of the angle between two atoms, for all pairs; the rank counts the singular
values above a millionth of the largest, the condition is the ratio of the largest
to the smallest of them. PICTURES are taken as upscale takes them, and coded once.
In the picture an atom of a model is its low half, pixels as large as they are, beside
its high half; mid-grey is zero, and each half is stretched by its largest entry.
Atoms of a dictionary are squares where that is possible, else columns. They are in
the order of their numbers, or, with PICTURES, of their use.`,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "draw the atoms to `FILE`.png, .jpg, .bmp or .tif; - is standard output, as PNG, and the table goes to standard error"},
			&cli.IntFlag{Name: "stage", Value: -1, Usage: "look at stage `I` (from 0) alone, of a model with several coupled ones"},
			&cli.StringFlag{Name: "shape", Usage: "draw the atoms of a dictionary as patches of `WxH`, row after row"},
			&cli.IntFlag{Name: "zoom", Usage: "draw an entry as `N`×N pixels; 0: what fits a screen"},
			&cli.StringFlag{Name: "array", Usage: "take the array `NAME` of an .npz file with several"},
			&cli.BoolFlag{Name: "transpose", Usage: "DICT has one atom a row"},
			&cli.StringFlag{Name: "on-exist", Value: "fail", Usage: "`WHAT` to do when the output exists: fail or overwrite"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON, with the use of every atom"},
			&cli.BoolFlag{Name: "recursive", Aliases: []string{"r"}, Usage: "take folders with all below them"},
		}, pictures.IDXFlags, console.PictureFlags),
		Action: func(c *cli.Context) error { return dictShow(c, s) },
	})
}

func dictExportCommand(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "export", Usage: "write the atoms of a model as matrices", ArgsUsage: "[FLAGS] MODEL -o FILE",
		Description: `   superres dict export coupled -o atoms.npz    import makes the same model of it
   superres dict export my.npz -o D.npy
   superres dict export my.npz -o D.csv

An .npz file gets the arrays "low" (D_L, one atom a column) and "high" (D_H), and
"parameters", a text in JSON that says how they are applied: in Python,
json.loads(str(numpy.load("atoms.npz")["parameters"])). A .npy or .csv file gets the
stacked dictionary D = [D_L; D_H], and the command is shown that makes a model of it.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`.npz, .npy or .csv; - is standard output, as .npy"},
			&cli.IntFlag{Name: "stage", Value: -1, Usage: "take stage `I` (from 0) of a model with several coupled ones"},
			&cli.StringFlag{Name: "on-exist", Value: "fail", Usage: "`WHAT` to do when the output exists: fail or overwrite"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "show errors only"},
		},
		Action: func(c *cli.Context) error { return dictExport(c, s) },
	})
}

func dictImportCommand(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "import", Usage: "make a model of a dictionary from elsewhere", ArgsUsage: "[FLAGS] FILE -o MODEL",
		Description: `   superres dict import atoms.npz -o my.npz
   superres dict import --mean --detail --sparsity 2 D.npy -o my.npz
   superres dict import --low Dl --high Dh --degradation box pair.npz -o my.npz
   superres upscale -m my.npz photo.jpg

FILE holds D_L and D_H as the arrays "low" and "high" of an .npz file, or stacked,
D = [D_L; D_H], as .npy, .npz or text: one atom a column, a patch row after row, of
brightness from 0 to 1; - is standard input. Their numbers of rows say what scale and
patches they are for: P²·S² in D_H for P² in D_L. What the array "parameters" says,
which export writes, are the defaults of the other flags. Without it they are those
of the paper: both halves were learned from patches as they are (else give --mean,
--detail or both, see superres train), 3 atoms a patch, found by OMP.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the model to `FILE`.npz"},
			&cli.IntFlag{Name: "scale", Aliases: []string{"s"}, Usage: "insist on the scale `N`; 0: as the rows say"},
			&cli.IntFlag{Name: "patch", Usage: "insist on low-resolution patches of side `P`; 0: as the rows say"},
			&cli.BoolFlag{Name: "mean", Usage: "D_L holds patches without their mean"},
			&cli.BoolFlag{Name: "detail", Usage: "D_H holds what interpolation misses, not the patch itself"},
			&cli.StringFlag{Name: "degradation", Value: "bicubic", Usage: "`HOW` the pictures were reduced: bicubic or box (the paper's mean of each block)"},
			&cli.StringFlag{Name: "coder", Value: "omp", Usage: "`SPEC` of the sparse coder: see superres coders"},
			&cli.IntFlag{Name: "sparsity", Value: 3, Usage: "code patches with `S` atoms at most; 0: as the coder's spec says"},
			&cli.IntFlag{Name: "back-projection", Value: 3, Usage: "back-project `N` times after coding"},
			&cli.StringFlag{Name: "low", Value: "low", Usage: "the array `NAME` of an .npz file is D_L"},
			&cli.StringFlag{Name: "high", Value: "high", Usage: "the array `NAME` of an .npz file is D_H"},
			&cli.StringFlag{Name: "array", Usage: "the array `NAME` of an .npz file is the stacked D"},
			&cli.BoolFlag{Name: "transpose", Usage: "FILE has one atom a row"},
			&cli.StringFlag{Name: "on-exist", Value: "fail", Usage: "`WHAT` to do when the output exists: fail or overwrite"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "show errors only"},
			&cli.Int64Flag{Name: "max-memory", Usage: "refuse what needs more than `N` MiB", Value: 2048},
		},
		Action: func(c *cli.Context) error { return dictImport(c, s) },
	})
}
