package learn

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/plugins"
	"superres/learners/sparse"
)

// Sweep has the settings that --sweep chooses among. The zero value means that --sweep is not given.
type Sweep struct {
	// Param is the parameter of the coder that is varied, such as sparsity.
	Param string
	// Values are the values of the parameter, in ascending order, at least two.
	Values []value
}

// sparsity is the parameter of coders that most sweeps vary.
const sparsity = "sparsity"

// value is one value of the parameter that a sweep varies.
type value struct {
	// number is the value.
	number float64
	// coder is the coder with this value, and spec its spec.
	coder sparse.Coder
	spec  string
}

// readSweep returns the sweep in text, S,S,... or PARAM=V,V,..., for the coder with, which must not set PARAM itself.
func readSweep(text string, with plugins.Coder) (s Sweep, err error) {
	list := text
	s.Param = sparsity
	if key, rest, ok := strings.Cut(text, "="); ok {
		s.Param, list = strings.TrimSpace(key), rest
	}
	own := []string{s.Param}
	if s.Param == sparsity {
		own = append(own, "lambda") // the other way to set how sparse codes are
		if with.SparsityGiven {
			return s, console.Usage("--sparsity and --sweep %s both say how sparse codes are to be; leave out one",
				text)
		}
	}
	if plugins.Says(with.Spec, own...) {
		return s, console.Usage("--coder %s says itself what --sweep %s is to choose; leave it out there", with.Spec,
			text)
	}
	for word := range strings.SplitSeq(list, ",") {
		word = strings.TrimSpace(word)
		v := value{}
		v.number, err = strconv.ParseFloat(word, 64)
		count, notWhole := strconv.Atoi(word)
		switch {
		case s.Param == sparsity && (notWhole != nil || count < 1):
			return s, console.Usage("--sweep %s: %q is no number of atoms; expected some such as 1,2,3, or a "+
				"parameter of the coder such as lambda=0.1,0.2", text, word)
		case err != nil || math.IsNaN(v.number) || math.IsInf(v.number, 0):
			return s, console.Usage("--sweep %s: %q is no number; expected some such as %s=0.1,0.2", text, word,
				s.Param)
		}
		if v.spec, err = v.specOf(s.Param, with); err != nil {
			return s, err
		}
		if v.coder, err = sparse.New(v.spec); err != nil {
			return s, err
		}
		s.Values = append(s.Values, v)
	}
	slices.SortStableFunc(s.Values, func(a, b value) int { return cmp.Compare(a.number, b.number) })
	s.Values = slices.CompactFunc(s.Values, func(a, b value) bool { return a.number == b.number })
	if len(s.Values) < 2 {
		return s, console.Usage("--sweep %s: one value leaves nothing to choose; give several, with commas", text)
	}
	return s, nil
}

// specOf returns the spec of the coder with, with param set to the value. Unless param is sparsity, a default sparsity
// is left out.
func (v value) specOf(param string, with plugins.Coder) (string, error) {
	if param == sparsity {
		return plugins.WithSparsity(with.Spec, int(v.number))
	}
	sep := ":"
	if strings.Contains(with.Spec, ":") {
		sep = ","
	}
	spec := with.Spec + sep + param + "=" + shortest(v.number)
	if !with.SparsityGiven {
		return spec, nil
	}
	return plugins.WithSparsity(spec, with.Sparsity)
}

// shortest returns v in the fewest digits that read back as v.
func shortest(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// most returns the greatest number of non-zeros that a code has with any value, or 0 if a coder has no such limit.
func (s Sweep) most() int {
	most := 0
	for _, v := range s.Values {
		limit := sparse.MostNonZeros(v.coder)
		if limit == 0 {
			return 0
		}
		most = max(most, limit)
	}
	return most
}
