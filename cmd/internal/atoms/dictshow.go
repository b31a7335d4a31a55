package atoms

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/pictures"
	"superres/internal/safefile"
	"superres/learners/sparse"
	"superres/superres"
	"superres/superres/coupled"
)

// shown is what show tells: of a model, or of a dictionary of one part.
type shown struct {
	Name   string             `json:"name"`
	Model  string             `json:"model,omitempty"` // in a line
	Scale  int                `json:"scale,omitempty"`
	Parts  []*shownDictionary `json:"dictionaries"`
	Mosaic string             `json:"mosaic,omitempty"` // the file

	limits console.Limits
}

// shownDictionary is one coupled stage, or a dictionary that is not coupled.
type shownDictionary struct {
	Stage    *int         `json:"stage,omitempty"` // none: not in a model
	Atoms    int          `json:"atoms"`
	Patch    int          `json:"patch,omitempty"` // low-resolution; 0: not coupled
	Mean     *bool        `json:"mean,omitempty"`
	Detail   *bool        `json:"detail,omitempty"`
	Coder    string       `json:"coder,omitempty"`
	Measures []measures   `json:"measures"` // of the halves and of both stacked, or of the atoms
	Usage    *usageCounts `json:"usage,omitempty"`

	low, high *sparse.Dictionary // high is nil when it is not coupled
	scale     int
	coupled   *coupled.Stage // nil: nobody knows how it is coded
}

// measures are the figures of one matrix of atoms.
type measures struct {
	Of        string  `json:"of"` // low, high, stacked, atoms
	Entries   int     `json:"entries"`
	NormMin   float64 `json:"norm_min"`
	NormMean  float64 `json:"norm_mean"`
	NormMax   float64 `json:"norm_max"`
	Coherence float64 `json:"coherence"` // the largest |cos|
	MeanCos   float64 `json:"mean_cos"`
	Near      int     `json:"pairs_above_0.99"`
	Pairs     int     `json:"pairs"`
	Zero      int     `json:"zero_atoms"`
	Rank      int     `json:"rank"`
	Condition float64 `json:"condition"`
}

// usageCounts says how often the atoms are used for some pictures.
type usageCounts struct {
	Pictures int   `json:"pictures"`
	Patches  int   `json:"patches"`
	Used     int   `json:"atoms_used"`
	Uses     []int `json:"uses"` // patches that use each atom
}

func dictShow(c *cli.Context, s *console.Streams) error {
	limits, err := console.ReadLimits(c)
	if err != nil {
		return err
	}
	if c.NArg() == 0 {
		return console.Usage("no model to show: name one that superres models lists, or a file; superres dict show --help shows examples")
	}
	name, pictures := c.Args().First(), c.Args().Tail()
	drawing, err := drawingOf(c, name)
	if err != nil {
		return err
	}
	bar, err := console.NewProgress(c, s)
	if err != nil {
		return err
	}
	defer bar.Clear()
	d := &shown{Name: name, limits: limits}
	if err := d.open(c, s); err != nil {
		return err
	}
	if err := drawing.suits(d); err != nil {
		return err
	}
	for _, p := range d.Parts {
		p.measure()
	}
	if len(pictures) > 0 {
		if err := d.count(c, pictures, bar); err != nil {
			return err
		}
	}
	bar.Clear()
	return d.report(c, s, drawing)
}

// open opens what the first argument names.
func (d *shown) open(c *cli.Context, s *console.Streams) error {
	if strings.ContainsAny(d.Name, `./\`) || d.Name == "-" {
		f, err := openDictFile(s, d.Name, d.limits.Memory)
		if err == nil && (f.zip != nil || !strings.HasSuffix(d.Name, ".npz")) {
			d.Name = f.name
			if f.isModel() {
				m, err := superres.Load(bytes.NewReader(f.data), int64(len(f.data)))
				if err != nil {
					err = fmt.Errorf("model %s: %w", f.name, err)
				}
				return d.openModel(c, m, err)
			}
			return d.openMatrices(c, f)
		}
		if err != nil && !(errors.Is(err, safefile.ErrInput) && strings.HasSuffix(d.Name, ".npz")) {
			return err
		}
		// It is missing or damaged, and was probably meant as a model.
	}
	m, err := models.Open(d.Name)
	return d.openModel(c, m, err)
}

// openModel takes a model that was opened.
func (d *shown) openModel(c *cli.Context, m *superres.Model, err error) error {
	if err != nil {
		return err
	}
	if c.IsSet("array") || c.Bool("transpose") || c.IsSet("shape") {
		return console.Usage("%s is a model; --array, --transpose and --shape are for dictionaries alone", d.Name)
	}
	return d.openStages(c, m, models.Summary(m))
}

// openStages takes the coupled stages of a model, or the one that --stage names.
func (d *shown) openStages(c *cli.Context, m *superres.Model, text string) error {
	stages, err := coupledStages(d.Name, m)
	if err != nil {
		return err
	}
	if c.IsSet("stage") || len(stages) > 1 && c.String("output") != "" {
		one, err := coupledStage(c, d.Name, m)
		if err != nil {
			return err
		}
		stages = []int{one}
	}
	d.Model, d.Scale = text, m.Scale
	for _, i := range stages {
		coded, _ := coupled.Of(m.Stages[i])
		_, atoms := coded.Low.Dims()
		d.Parts = append(d.Parts, &shownDictionary{Stage: &i, Atoms: atoms, Patch: coded.Patch, Mean: &coded.Mean, Detail: &coded.Detail,
			Coder: coded.Coder, low: coded.Low, high: coded.High, scale: m.Scale, coupled: coded})
	}
	return nil
}

// openMatrices takes the halves, or the atoms, that a file holds.
func (d *shown) openMatrices(c *cli.Context, f *dictFile) error {
	if c.IsSet("stage") {
		return console.Usage("%s is no model; --stage is for models alone", f.name)
	}
	if c.String("array") == "" && f.holds("low", "high") {
		h, err := f.pair("low", "high", c.Bool("transpose"))
		if err != nil {
			return err
		}
		if f.holds(parametersArray) {
			p, err := f.parameters(parameters{})
			if err != nil {
				return err
			}
			m, err := modelOf(p.Recipe, h.low, h.high)
			if err != nil {
				return f.refuse("%s", console.Message(err))
			}
			return d.openStages(c, m, "")
		}
		p := &shownDictionary{Patch: h.patch, scale: h.scale}
		if p.low, err = sparse.NewDictionary(h.low); err == nil {
			p.high, err = sparse.NewDictionary(h.high)
		}
		if err != nil {
			return f.refuse("%s", console.Message(err))
		}
		_, p.Atoms = h.low.Dims()
		d.Scale, d.Parts = h.scale, []*shownDictionary{p}
		return nil
	}
	m, err := f.matrix(c.String("array"), c.Bool("transpose"), func(rows, k int) error {
		r, cols := float64(rows), float64(k)
		return console.EnoughMemory(d.limits.Memory, fmt.Sprintf("%s: measuring %d atoms of %d entries", f.name, k, rows), 8*(4*r*cols+cols*cols),
			" or fewer atoms, or --transpose when one atom is a row")
	})
	if err != nil {
		return err
	}
	atoms, err := sparse.NewDictionary(m)
	if err != nil {
		return f.refuse("%s", console.Message(err))
	}
	_, k := m.Dims()
	d.Parts = []*shownDictionary{{Atoms: k, low: atoms}}
	return nil
}

// measure fills the measures in.
func (p *shownDictionary) measure() {
	if p.high == nil {
		p.Measures = []measures{measuresOf("atoms", p.low)}
		return
	}
	both, n := []float64(nil), 0
	for k := range p.Atoms {
		both = append(append(both, p.low.Atom(k)...), p.high.Atom(k)...)
		n = len(both) / (k + 1)
	}
	p.Measures = []measures{measuresOf("low", p.low), measuresOf("high", p.high)}
	if stacked, err := sparse.FromAtoms(n, both); err == nil { // fails for halves at the edge of float64 alone
		p.Measures = append(p.Measures, measuresOf("stacked", stacked))
	}
}

// near is the |cos| above which two atoms count as nearly the same.
const near = 0.99

func measuresOf(what string, d *sparse.Dictionary) measures {
	n, k := d.Dims()
	m := measures{Of: what, Entries: n, NormMin: d.Norm(0)}
	for i := range k {
		v := d.Norm(i)
		m.NormMin, m.NormMax = min(m.NormMin, v), max(m.NormMax, v)
		m.NormMean += v / float64(k)
		if v == 0 {
			m.Zero++
		}
	}
	a := d.Angles(near)
	m.Coherence, m.MeanCos, m.Near, m.Pairs = a.Max, a.Mean, a.Near, a.Pairs
	m.Rank, m.Condition = d.Condition()
	return m
}

// count counts how often the atoms are used for the pictures.
func (d *shown) count(c *cli.Context, names []string, bar *console.Progress) error {
	for _, p := range d.Parts {
		if p.coupled == nil {
			return console.Usage("%s does not say how pictures are coded over it, so their use of its atoms cannot be counted; make it a model by superres dict import, or leave the pictures out", d.Name)
		}
		p.Usage = &usageCounts{Uses: make([]int, p.Atoms)}
	}
	from, err := pictures.ReadSources(c, d.limits, 60)
	if err != nil {
		return err
	}
	list, err := from.List(c.Context, names)
	if err != nil {
		return err
	}
	for i, src := range list {
		bar.Set("coding pictures", float64(i)/float64(len(list)))
		img, err := src.Open(c.Context)
		if err != nil {
			return err
		}
		for _, p := range d.Parts {
			uses, patches, err := p.coupled.Usage(c.Context, img)
			if err != nil {
				return err
			}
			p.Usage.Pictures++
			p.Usage.Patches += patches
			for k, n := range uses {
				p.Usage.Uses[k] += n
			}
		}
	}
	for _, p := range d.Parts {
		for _, n := range p.Usage.Uses {
			if n > 0 {
				p.Usage.Used++
			}
		}
	}
	return nil
}
