package atoms

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/cmd/internal/plugins"
	"superres/internal/safefile"
	"superres/internal/settings"
	"superres/internal/usage"
	"superres/superres"
	"superres/superres/resample"
)

// importCommand returns the command superres dict import.
func importCommand(s *console.Streams) *cli.Command {
	var opt ImportOptions
	return console.Command(&cli.Command{
		Name: "import", Usage: "make a model of a dictionary from elsewhere", ArgsUsage: "[FLAGS] FILE -o MODEL",
		Description: `   superres dict import atoms.npz -o my.npz
   superres dict import --mean --detail --sparsity 2 D.npy -o my.npz
   superres upscale -m my.npz photo.jpg

FILE holds D_L and D_H as the arrays "low" and "high" of an .npz file, or stacked,
D = [D_L; D_H], as .npy, .npz or text: one atom a column, a patch row after row, of
brightness from 0 to 1; - is standard input. Their numbers of rows say what scale and
patches they are for: P²·S² in D_H for P² in D_L. What the array "parameters" says,
which export writes, are the defaults of the other flags. Without it they are those
of the paper: both halves were learned from patches as they are (else give --mean,
--detail or both, see superres train), 3 atoms a patch, found by OMP.
NumPy writes such a file: numpy.savez("atoms.npz", low=DL, high=DH,
parameters=json.dumps({"mean": True})).
The model records the name and the SHA-256 of FILE.`,
		Flags: console.Flags(opt.table()),
		Action: func(c *cli.Context) error {
			if err := opt.complete(c); err != nil {
				return err
			}
			return importAtoms(opt, s)
		},
	})
}

// table returns the options of superres dict import, with their defaults.
func (opt *ImportOptions) table() settings.Table {
	return slices.Concat(settings.Table{
		console.OutputOption(&opt.Output, "", "write the model to `FILE`.npz"),
		{Name: "mean", To: settings.Bool(&opt.Mean, false), Help: "D_L holds patches without their mean"},
		{Name: "detail", To: settings.Bool(&opt.Detail, false), Help: "D_H holds what interpolation misses, not " +
			"the patch itself"},
		pictures.DegradationOption(&opt.Degradation, resample.Cubic, "`HOW` the pictures were reduced: bicubic or "+
			"box (the paper's mean of each block)"),
	}, opt.Coder.Options("`SPEC` of the sparse coder: see superres coders",
		"code patches with `S` atoms at most; 0: as the coder's spec says"), settings.Table{
		{Name: "back-projection", To: settings.Num(&opt.BackProjection, 3).AtLeast(0),
			Help: "back-project `N` times after coding"},
		console.OnExistOption("the output exists"),
		console.QuietOption(&opt.Quiet),
		console.MemoryOption(&opt.Limits),
	})
}

// ImportOptions are the settings of one run of the command. Most fields are set by the options of table. Parameters in
// the file override the defaults of these options, but not options that the user gave.
type ImportOptions struct {
	File           string // the file of the dictionary, or "-" for standard input
	Mean, Detail   bool
	Degradation    resample.Degradation
	Coder          plugins.Coder
	BackProjection int

	Output    string
	Overwrite bool
	Limits    console.Limits
	Quiet     bool

	given settings.Table // the options: those that the user gave override the parameters in the file
}

// complete sets the fields that need the argument of c, or which options were given.
func (opt *ImportOptions) complete(c *cli.Context) (err error) {
	opt.given = console.OptionsOf(c.Command)
	opt.Coder.Complete(opt.given)
	if opt.File, err = console.OneArgument(c, "dictionary"); err != nil {
		return err
	}
	switch {
	case opt.Output == "":
		return console.Usage("no output: say where the model goes with -o FILE.npz")
	case !strings.HasSuffix(opt.Output, ".npz"):
		return console.Usage("-o %s: a model file ends in .npz", opt.Output)
	}
	opt.Overwrite, err = console.SoleOutput(c, opt.File)
	return err
}

// importAtoms makes a model of the dictionary, writes it and prints a line about it.
func importAtoms(opt ImportOptions, s *console.Streams) error {
	f, err := openDictFile(s.In, opt.File, opt.Limits.Memory)
	if err != nil {
		return err
	}
	m, p, err := importModel(opt, f)
	if err != nil {
		return err
	}
	// Report a model that could not be loaded again now.
	var model bytes.Buffer
	if err := m.Save(&model); err != nil {
		return err
	}
	if _, err := superres.Load(bytes.NewReader(model.Bytes()), int64(model.Len())); err != nil {
		return f.refuse("makes a model that cannot be loaded: %s; leave the array %s out and use the flags",
			console.Message(err), parametersArray)
	}
	most := safefile.ModeOf(opt.File)
	if err := safefile.WriteAtomicMode(most, opt.Output, opt.Overwrite, console.Writes(model.Bytes())); err != nil {
		return err
	}
	if opt.Quiet {
		return nil
	}
	text := fmt.Sprintf("%s: %s; patches of %d×%d, --mean=%t --detail=%t, %s", opt.Output, models.Summary(m),
		p.Patch, p.Patch, p.Mean, p.Detail, p.Coder)
	for _, w := range importWarnings(m) {
		text += "; warning: " + w
	}
	fmt.Fprintln(s.Err, safefile.OneLine(text))
	return nil
}

// importModel returns the model made of the atoms in f, with the command that makes it again, and the parameters used.
func importModel(opt ImportOptions, f *dictFile) (*superres.Model, parameters, error) {
	h, err := readHalves(f)
	if err != nil {
		return nil, parameters{}, err
	}
	p, err := importParameters(opt, f, h)
	if err != nil {
		return nil, p, err
	}
	m, err := modelOf(p.Recipe, h.low, h.high)
	if errors.Is(err, usage.ErrSettings) && (opt.Coder.SpecGiven || opt.Coder.SparsityGiven) {
		return nil, p, err
	}
	if err != nil {
		return nil, p, f.refuse("%s", console.Message(err))
	}
	base := filepath.Base(filepath.Clean(opt.File))
	if paths.IsStandard(opt.File) {
		base = f.name
	}
	_, atoms := h.low.Dims()
	m.Provenance = superres.Provenance{
		Command: importLine(p.Recipe) + " " + console.Quoted(base), Coder: p.Coder, Atoms: atoms,
		Data:     []string{base},
		Imported: &superres.Imported{File: base, SHA256: f.sha256(), From: p.Provenance},
	}
	return m, p, nil
}
