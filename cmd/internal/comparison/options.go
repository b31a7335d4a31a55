package comparison

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/pictures"
	"superres/cmd/internal/plugins"
	"superres/learners/sparse"
)

// flags are those of superres compare. They are read by readOptions.
func flags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "comparison", Usage: "write report.html, table.csv, table.md, table.tex and runs.json to the folder `DIR`; what it holds already is not run again"},
		&cli.StringFlag{Name: "protocol", Value: "single", Usage: "learn as `NAME` says: single, pooled, open or images"},
		&cli.StringFlag{Name: "images", Usage: "restore the pictures in `PATH`, a file, a folder or an IDX file (default: the four digits of Table 1; of photographs every fifth, which is not learned from)"},
		&cli.StringFlag{Name: "learners", Usage: "`SPECS` of the learners (default: all)"},
		&cli.StringFlag{Name: "models", Usage: "compare with the models `NAMES|FILES` too (default with photographs: coupled and photo at every effort)"},
		&cli.StringFlag{Name: "coder", Value: "omp", Usage: "`SPEC` of the coder, of learning and restoring"},
		&cli.IntFlag{Name: "sparsity", Usage: "code with `S` atoms at most; 0: as the protocol says"},
		&cli.IntFlag{Name: "atoms", Usage: "learn `K` atoms; 0: as the protocol says"},
		&cli.IntFlag{Name: "patches", Usage: "learn from `N` patches; 0: as the protocol says"},
		&cli.IntFlag{Name: "iterations", Usage: "iterate `N` times at most; 0: as the protocol says"},
		&cli.IntFlag{Name: "seeds", Usage: "run with `N` training pictures or seeds; 0: as the protocol says"},
		&cli.IntFlag{Name: "back-projection", Usage: "back-project `N` times where that is done; 0: as the protocol says"},
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of all random draws"},
		&cli.BoolFlag{Name: "recursive", Aliases: []string{"r"}, Usage: "take folders with all below them"},
		parts.SweepFlag,
	}, pictures.IDXFlags, console.PictureFlags)
}

// Options are what the flags ask for.
type Options struct {
	// Inputs are the photographs to learn from, or MNIST's training file or its folder.
	Inputs []string
	// Images are the pictures to restore, a file or a folder: --images. Empty are the
	// digits of Table 1, or every fifth of the photographs.
	Images string
	// Sources says which pictures of folders and of IDX files are taken, but for MNIST's
	// training file, of which all are: --recursive, --index, --skip-index and --limit, all
	// but those in folders of folders.
	Sources pictures.Sources

	// Protocol is what is learned, as a protocol has it but for what flags say otherwise:
	// --protocol, single; --sparsity, --atoms, --patches, --iterations, --seeds and
	// --back-projection, as the protocol says.
	Protocol protocol
	// Learners are the specs of the learners: --learners, all.
	Learners []string
	// Coder is the spec of the coder, with the sparsity: --coder, omp.
	Coder string
	// Seed is that of all random draws: --seed, 1.
	Seed uint64
	// Models are those to compare with besides: --models, none for digits, and coupled and
	// photo at every effort for photographs.
	Models []givenModel

	// Folder is where the report and the journals are: --output, comparison.
	Folder string
	// Limits are those of the machine.
	Limits console.Limits

	// chosen has the texts of --index and --skip-index, and limit is the value of --limit:
	// they decide a result and tell it from others.
	chosen string
	limit  int
	// command is the command line with all settings, and typed as it was typed.
	command, typed string
}

// readOptions reads the flags. The part, of --shard, is read by parts.SweepPart.
func readOptions(c *cli.Context) (opt Options, err error) {
	opt = Options{
		Inputs: c.Args().Slice(), Images: c.String("images"), Learners: plugins.Specs(c.String("learners")), Seed: c.Uint64("seed"), Folder: c.String("output"),
		chosen: c.String("index") + "|" + c.String("skip-index"), limit: c.Int("limit"), command: commandLine(c), typed: console.Typed(c),
	}
	if opt.Limits, err = console.ReadLimits(c); err != nil {
		return opt, err
	}
	if opt.Protocol, err = readProtocol(c); err != nil {
		return opt, err
	}
	photo := opt.Protocol.photo
	if opt.Coder, err = plugins.WithSparsity(c.String("coder"), opt.Protocol.sparsity); err != nil {
		return opt, err
	}
	if _, err := sparse.New(opt.Coder); err != nil {
		return opt, err
	}
	if len(opt.Learners) == 0 {
		opt.Learners = plugins.All()
	}
	for _, name := range plugins.Specs(c.String("models")) {
		opt.Models = append(opt.Models, givenModel{name: name})
	}
	if photo && !c.IsSet("models") {
		opt.Models = []givenModel{{name: "coupled"}, {models.Photo, "fast"}, {name: models.Photo}, {models.Photo, "max"}}
	}
	if err := plugins.CheckLearners(opt.Learners); err != nil {
		return opt, err
	}
	opt.Sources = pictures.Sources{Command: "compare", Recursive: c.Bool("recursive"), Limits: opt.Limits, BytesPerPixel: bytesPerPixel, Notes: pictures.Notes(c)}
	if photo || opt.Images != "" {
		opt.Sources.Choice, err = pictures.ReadChoice(c)
	}
	return opt, err
}

// bytesPerPixel is how much memory a pixel takes while pictures are read.
const bytesPerPixel = 100

// readProtocol reads what is to be learned.
func readProtocol(c *cli.Context) (p protocol, err error) {
	var names []string
	for _, one := range protocols {
		if names = append(names, one.name); one.name == c.String("protocol") {
			p = one
		}
	}
	if err := console.OneOf("protocol", c.String("protocol"), names...); err != nil {
		return p, err
	}
	switch {
	case c.NArg() == 0 && p.photo:
		return p, console.Usage("no pictures to learn from; superres compare --help shows examples")
	case c.NArg() != 1 && !p.photo:
		return p, console.Usage("expected the folder of MNIST's training file, or that file; superres compare --help shows examples")
	}
	for _, f := range []struct {
		name string
		to   *int
	}{
		{"sparsity", &p.sparsity}, {"atoms", &p.atoms}, {"patches", &p.patches}, {"iterations", &p.iterations}, {"seeds", &p.runs}, {"back-projection", &p.back},
	} {
		if n := c.Int(f.name); n < 0 {
			return p, console.Usage("--%s %d: expected 0 or more", f.name, n)
		} else if n > 0 {
			*f.to = n
		}
	}
	return p, nil
}

// commandLine is the command with its settings and data.
func commandLine(c *cli.Context) string {
	words := console.Settings(c)
	for _, arg := range c.Args().Slice() {
		words = append(words, console.Quoted(arg))
	}
	return strings.Join(words, " ")
}
