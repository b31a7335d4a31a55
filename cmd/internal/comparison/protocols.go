package comparison

import "superres/superres/resample"

// protocol is a procedure to compare learners: the data to learn from, and the settings where no option says otherwise.
type protocol struct {
	// name is its value of --protocol.
	name string
	// runs is how many runs each learner has: each from a training digit of its own, or with a seed of its own.
	runs int
	// patches is the number of pairs of patches to learn from, and atoms the number of atoms to learn.
	patches, atoms int
	// sparsity is the largest number of atoms that code a patch, and iterations the largest number of iterations.
	sparsity, iterations int
	// back is the number of back-projections of the form with back-projection.
	back int
	// flat is the least standard deviation of the entries of a patch, in levels of 255. 0 takes all patches.
	flat float64
	// refit says that the high halves of atoms hold what interpolation misses of a patch, and are fitted to the codes
	// again, as superres train does. Otherwise they hold patches as they are, as in the paper.
	refit bool
	// photo says that the pictures are photographs, whose patches are coded without their means, and not digits.
	photo bool
}

// protocols has all protocols. They must not be changed, since results are known by the name of their protocol.
var protocols = []protocol{
	{name: "single", runs: 10, patches: 144, atoms: 128, sparsity: 3, iterations: 500, back: 20},
	{name: "pooled", runs: 10, patches: 144, atoms: 128, sparsity: 3, iterations: 500, back: 20, flat: 10},
	{name: "open", runs: 1, patches: 4000, atoms: 256, sparsity: 1, iterations: 100, back: 20, flat: 10, refit: true},
	{name: "images", runs: 1, patches: 4000, atoms: 256, sparsity: 2, iterations: 100, back: 3, flat: 3, refit: true,
		photo: true},
}

// degradation returns how pictures are reduced.
func (p protocol) degradation() resample.Degradation {
	if p.photo {
		return resample.Cubic
	}
	return resample.Box
}

// scale is the scale of all comparisons, as in the paper.
const scale = 2
