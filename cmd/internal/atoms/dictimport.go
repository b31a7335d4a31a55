package atoms

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"
	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/plugins"
	"superres/internal/safefile"
	"superres/learners/plugin"
	"superres/learners/sparse"
	"superres/superres"
	"superres/superres/coupled"
	"superres/superres/resample"
)

func dictImport(c *cli.Context, s *console.Streams) error {
	name, err := console.OneArgument(c, "dictionary")
	if err != nil {
		return err
	}
	limits, err := console.ReadLimits(c)
	if err != nil {
		return err
	}
	out := c.String("output")
	switch {
	case out == "":
		return console.Usage("no output: say where the model goes with -o FILE.npz")
	case !strings.HasSuffix(out, ".npz"):
		return console.Usage("-o %s: a model file ends in .npz", out)
	}
	for _, flag := range []string{"scale", "patch", "sparsity", "back-projection"} {
		if c.Int(flag) < 0 {
			return console.Usage("--%s %d: expected 0 or more", flag, c.Int(flag))
		}
	}
	overwrite, err := console.SoleOutput(c, name)
	if err != nil {
		return err
	}
	f, err := openDictFile(s, name, limits.Memory)
	if err != nil {
		return err
	}
	h, err := readHalves(c, f)
	if err != nil {
		return err
	}
	p, err := importParameters(c, f, h)
	if err != nil {
		return err
	}
	m, err := modelOf(p.Recipe, h.low, h.high)
	if errors.Is(err, plugin.ErrSettings) && (c.IsSet("coder") || c.IsSet("sparsity")) {
		return err
	}
	if err != nil {
		return f.refuse("%s", console.Message(err))
	}
	base := filepath.Base(filepath.Clean(name))
	if name == "-" {
		base = f.name
	}
	_, atoms := h.low.Dims()
	m.Provenance = superres.Provenance{
		Command: importCommand(p.Recipe) + arrayFlags(c) + " " + console.Quoted(base), Coder: p.Coder, Atoms: atoms, Data: []string{base},
		Imported: &superres.Imported{File: base, SHA256: f.sha256(), From: p.Provenance},
	}
	// What cannot be loaded again is better refused now.
	var model bytes.Buffer
	if err := m.Save(&model); err != nil {
		return err
	}
	if _, err := superres.Load(bytes.NewReader(model.Bytes()), int64(model.Len())); err != nil {
		return f.refuse("makes a model that cannot be loaded: %s; leave the array %s out and use the flags", console.Message(err), parametersArray)
	}
	if err := safefile.WriteAtomic(out, overwrite, func(w io.Writer) error {
		_, err := w.Write(model.Bytes())
		return err
	}); err != nil {
		return err
	}
	if !c.Bool("quiet") {
		text := fmt.Sprintf("%s: %s; patches of %d×%d, --mean=%t --detail=%t, %s", out, models.Summary(m), p.Patch, p.Patch, p.Mean, p.Detail, p.Coder)
		for _, w := range importWarnings(m) {
			text += "; warning: " + w
		}
		fmt.Fprintln(s.Err, safefile.OneLine(text))
	}
	return nil
}

// modelOf makes a model of the halves of a dictionary.
func modelOf(r coupled.Recipe, low, high mat.Matrix) (*superres.Model, error) {
	stages, err := r.Stages(low, high)
	if err != nil {
		return nil, err
	}
	return &superres.Model{Scale: r.Scale, Degradation: r.Degradation, Kernel: r.Kernel, Stages: stages}, nil
}

// readHalves reads the halves as the flags say where they are.
func readHalves(c *cli.Context, f *dictFile) (halves, error) {
	low, high, array, transpose := c.String("low"), c.String("high"), c.String("array"), c.Bool("transpose")
	named := c.IsSet("low") || c.IsSet("high")
	switch {
	case f.isModel() && !named && array == "":
		return halves{}, f.refuse("is a model already; use it with superres upscale -m, or take its atoms out with superres dict export")
	case array != "" && named:
		return halves{}, console.Usage("--array names the stacked dictionary, --low and --high its halves; use one or the other")
	case named && f.zip == nil:
		return halves{}, console.Usage("%s: --low and --high name arrays of an .npz file, which it is not; leave them out for a stacked dictionary", f.name)
	case array == "" && (named || f.holds(low, high)):
		return f.pair(low, high, transpose)
	case array == "" && f.zip != nil && len(f.zip.Arrays()) > 1:
		return halves{}, plugin.Errorf("%s: holds the arrays %s, but not both %s and %s; name the halves with --low and --high, or a stacked dictionary with --array",
			f.name, strings.Join(f.zip.Arrays(), " "), low, high)
	}
	return f.stacked(array, transpose)
}

// importParameters completes what the file says of itself, or the paper's form, by
// the flags and the sizes.
func importParameters(c *cli.Context, f *dictFile, h halves) (p parameters, err error) {
	_, atoms := h.low.Dims()
	coder, err := plugins.CoderSpec(c, c.String("coder"), atoms)
	if err != nil {
		return p, err
	}
	flags := coupled.Recipe{Degradation: resample.Degradation(c.String("degradation")), Kernel: resample.Bicubic,
		Coder: coder, BackProjection: c.Int("back-projection"), Mean: c.Bool("mean"), Detail: c.Bool("detail")}
	if err := flags.Check(); err != nil {
		return p, err
	}
	p, err = f.parameters(parameters{Recipe: flags})
	if err != nil {
		return p, err
	}
	for _, o := range []struct {
		flag string
		set  func()
	}{
		{"mean", func() { p.Mean = flags.Mean }},
		{"detail", func() { p.Detail = flags.Detail }},
		{"degradation", func() { p.Degradation = flags.Degradation }},
		{"coder", func() { p.Coder = flags.Coder }},
		{"back-projection", func() { p.BackProjection = flags.BackProjection }},
	} {
		if c.IsSet(o.flag) {
			o.set()
		}
	}
	for _, o := range []struct {
		what     string
		is, said int
	}{{"scale", h.scale, p.Scale}, {"patch", h.patch, p.Patch}} {
		switch want := c.Int(o.what); {
		case want != 0 && want != o.is:
			return p, console.Usage("--%s %d, but %s is for %d×%d patches at scale %d, by its rows; leave --%s out, or check the file", o.what, want, f.name, h.patch, h.patch, h.scale, o.what)
		case o.said != 0 && o.said != o.is:
			return p, f.refuse("array %s says %s %d, but by their rows the halves are for %d×%d patches at scale %d; leave it out or check the halves",
				parametersArray, o.what, o.said, h.patch, h.patch, h.scale)
		}
	}
	p.Scale, p.Patch = h.scale, h.patch
	if n := c.Int("sparsity"); n > 0 && c.IsSet("sparsity") && p.Coder != coder { // it is the file's
		p.Coder, err = sparse.WithSparsity(p.Coder, n)
	}
	return p, err
}

// arrayFlags are the flags that say where in the file the atoms are, for the record.
func arrayFlags(c *cli.Context) (text string) {
	for _, flag := range []string{"low", "high", "array"} {
		if c.IsSet(flag) {
			text += " --" + flag + " " + console.Quoted(c.String(flag))
		}
	}
	if c.Bool("transpose") {
		text += " --transpose"
	}
	return text
}

// importWarnings says what is odd about a model whose atoms nobody here has learned.
func importWarnings(m *superres.Model) (list []string) {
	stage, _ := coupled.Of(m.Stages[0])
	n, atoms := stage.Low.Dims()
	zero, meanless := 0, 0
	for k := range atoms {
		length := stage.Low.Norm(k)
		if length == 0 {
			zero++
		}
		if sum := math.Abs(mat.Sum(mat.NewVecDense(n, stage.Low.Atom(k)))); sum <= 1e-3*length*math.Sqrt(float64(n)) {
			meanless++
		}
	}
	if zero > 0 {
		list = append(list, fmt.Sprintf("%s of D_L %s zero and never chosen", console.Count(zero, "atom"), are(zero)))
	}
	if meanless == atoms && zero < atoms && !stage.Mean && !stage.Detail {
		list = append(list, "no atom of D_L has a mean, so that nothing codes brightness; probably --mean is missing")
	}
	return list
}

// are is the verb of a number of things.
func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
