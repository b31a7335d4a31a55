package plugins

import (
	"strings"

	"github.com/urfave/cli/v2"

	"superres/learners/sparse"
)

// CoderSpec returns the spec of a coder with --sparsity in it, unless it says its own.
// A sparsity that was not asked for gives way: to the number of atoms, and to a coder
// that has another idea of being sparse.
func CoderSpec(c *cli.Context, spec string, atoms int) (string, error) {
	n, asked := c.Int("sparsity"), c.IsSet("sparsity")
	if !asked {
		n = min(n, atoms)
	}
	with, err := WithSparsity(spec, n)
	if err != nil && !asked {
		return spec, nil
	}
	return with, err
}

// WithSparsity returns the spec of a coder with a sparsity, unless it says itself how
// sparse codes are to be or n is 0.
func WithSparsity(spec string, n int) (string, error) {
	if n <= 0 || SaysSparsity(spec) {
		return spec, nil
	}
	return sparse.WithSparsity(spec, n)
}

// SaysSparsity tells whether the spec of a coder says how sparse codes are to be: by a
// number of atoms, or by the weight of an ℓ₁ norm, which a number would take the meaning
// from.
func SaysSparsity(spec string) bool {
	_, params, _ := strings.Cut(spec, ":")
	for param := range strings.SplitSeq(params, ",") {
		if key, _, _ := strings.Cut(param, "="); key == "sparsity" || key == "lambda" {
			return true
		}
	}
	return false
}
