package comparison

import "superres/superres/resample"

// protocol is a way to compare learners: what they learn from, and with what settings
// unless flags say otherwise.
type protocol struct {
	// name is what --protocol calls it.
	name string
	// runs is how often each learner learns: from so many training digits, one at a time,
	// or with so many seeds.
	runs int
	// patches is how many pairs of patches are learned from, and atoms how many atoms are
	// learned.
	patches, atoms int
	// sparsity is how many atoms a patch is coded with at most, and iterations how many
	// iterations a learner has at most.
	sparsity, iterations int
	// back is how many back-projections there are where pictures are restored with them.
	back int
	// flat is how much the entries of a patch differ at least, as a standard deviation in
	// levels of 255. 0 takes all patches.
	flat float64
	// refit says that the high halves of atoms are of what interpolation misses of a patch,
	// and are fitted to the codes again, as superres train does it. Else they are of whole
	// patches, as in the paper.
	refit bool
	// photo says that the pictures are photographs, whose patches are coded without their
	// means. Else they are digits.
	photo bool
}

// protocols are all that there are. They are not to be changed: results are those of a
// protocol by its name.
var protocols = []protocol{
	{name: "single", runs: 10, patches: 144, atoms: 128, sparsity: 3, iterations: 500, back: 20},
	{name: "pooled", runs: 10, patches: 144, atoms: 128, sparsity: 3, iterations: 500, back: 20, flat: 10},
	{name: "open", runs: 1, patches: 4000, atoms: 256, sparsity: 1, iterations: 100, back: 20, flat: 10, refit: true},
	{name: "images", runs: 1, patches: 4000, atoms: 256, sparsity: 2, iterations: 100, back: 3, flat: 3, refit: true, photo: true},
}

// degradation is how pictures are reduced.
func (p protocol) degradation() resample.Degradation {
	if p.photo {
		return resample.Cubic
	}
	return resample.Box
}

// scale is that of all comparisons: the paper's.
const scale = 2
