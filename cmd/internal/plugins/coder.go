package plugins

import (
	"slices"
	"strings"

	"superres/cmd/internal/settings"
	"superres/learners/plugin"
	"superres/learners/sparse"
)

// Coder is the sparse coder that a command line asks for.
type Coder struct {
	Spec                     string
	Sparsity                 int  // the most atoms of a code; 0: as the spec says
	SpecGiven, SparsityGiven bool // they are no defaults
}

// Options are --coder and --sparsity, with 3 atoms, and their help.
func (c *Coder) Options(coder, sparsity string) settings.Table {
	return settings.Table{
		CoderOption(&c.Spec, "omp", coder),
		{Name: "sparsity", To: settings.Num(&c.Sparsity, 3).AtLeast(0), Help: sparsity},
	}
}

// Complete sets which options were given.
func (c *Coder) Complete(given settings.Table) {
	c.SpecGiven, c.SparsityGiven = given.Given("coder"), given.Given("sparsity")
}

// Over returns the spec of the coder with its sparsity in it, over so many atoms, unless it says its own. A sparsity
// that was not given gives way: to the number of atoms, and to a coder that has another idea of being sparse.
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

// WithSparsity returns the spec of a coder with a sparsity, unless it says itself how sparse codes are to be or n is
// 0.
func WithSparsity(spec string, n int) (string, error) {
	if n <= 0 || SaysSparsity(spec) {
		return spec, nil
	}
	return sparse.WithSparsity(spec, n)
}

// SaysSparsity tells whether the spec of a coder says how sparse codes are to be: by a number of atoms, or by the
// weight of an ℓ₁ norm, which a number would take the meaning from.
func SaysSparsity(spec string) bool { return Says(spec, "sparsity", "lambda") }

// Says tells whether a spec gives one of some parameters.
func Says(spec string, names ...string) bool {
	_, params, _ := strings.Cut(spec, ":")
	return slices.ContainsFunc(plugin.Split(params), func(param string) bool {
		key, _, _ := strings.Cut(param, "=")
		return slices.Contains(names, key)
	})
}
