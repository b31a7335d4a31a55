package plugins

import (
	"slices"
	"strings"

	"superres/internal/settings"
	"superres/learners/plugin"
	"superres/learners/sparse"
)

// Coder holds the command-line options that choose a sparse coder.
type Coder struct {
	Spec                     string
	Sparsity                 int  // greatest number of atoms in a code; 0: as Spec says
	SpecGiven, SparsityGiven bool // the user set --coder, --sparsity
}

// Options returns --coder, by default omp, and --sparsity, by default 3. coder and sparsity are their help texts.
func (c *Coder) Options(coder, sparsity string) settings.Table {
	return settings.Table{
		CoderOption(&c.Spec, "omp", coder),
		{Name: "sparsity", To: settings.Num(&c.Sparsity, 3).AtLeast(0), Help: sparsity},
	}
}

// Complete records which of --coder and --sparsity the user set; given holds the options of the command.
func (c *Coder) Complete(given settings.Table) {
	c.SpecGiven, c.SparsityGiven = given.Given("coder"), given.Given("sparsity")
}

// Over returns the coder's spec for a dictionary of the given number of atoms: c.Spec, with the sparsity unless it
// sets one. The default sparsity is at most atoms, and left out if the coder has none. A given one is then an error.
func (c Coder) Over(atoms int) (string, error) {
	if c.SparsityGiven {
		return WithSparsity(c.Spec, c.Sparsity)
	}
	with, err := WithSparsity(c.Spec, min(c.Sparsity, atoms))
	if err != nil {
		return c.Spec, nil
	}
	return with, nil
}

// WithSparsity returns the spec of a coder with its sparsity set to n, or spec unchanged if it already sets a sparsity,
// or if n is 0. It returns an error if the coder has no sparsity.
func WithSparsity(spec string, n int) (string, error) {
	if n <= 0 || SaysSparsity(spec) {
		return spec, nil
	}
	return sparse.WithSparsity(spec, n)
}

// SaysSparsity reports whether a spec sets how sparse codes are, by a number of atoms or the weight of an ℓ₁ norm.
func SaysSparsity(spec string) bool {
	_, params, _ := strings.Cut(spec, ":")
	return slices.ContainsFunc(plugin.Split(params), func(param string) bool {
		key, _, _ := strings.Cut(param, "=")
		return key == "sparsity" || key == "lambda"
	})
}
