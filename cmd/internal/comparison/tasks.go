package comparison

import (
	"superres/cmd/internal/paths"
	"superres/cmd/internal/plugins"
)

// task is one learner in one run, with all that decides its result. Journals know a result
// by its task, and parts divide tasks by their JSON: fields keep their names and order there.
type task struct {
	// Protocol is the name of the protocol.
	Protocol string `json:"protocol"`
	// Learner is its spec.
	Learner string `json:"learner"`
	// Coder is its spec.
	Coder string `json:"coder"`
	// Run is the number of the training digit in the protocol single, from 0. In others it
	// is added to the seed.
	Run int `json:"run"`
	// Seed is that of the command.
	Seed uint64 `json:"seed"`
	// Atoms is how many are learned, and Patches how many pairs they are learned from.
	Atoms   int `json:"atoms"`
	Patches int `json:"patches"`
	// MostIterations is how many the learner has at most.
	MostIterations int `json:"limit"`
	// Back is how many back-projections there are where there are any.
	Back int `json:"back_projection"`
	// Data identifies the files of the pictures by names and hashes.
	Data paths.Name `json:"data"`
	// Index has the choice among images of IDX files, by their numbers, and Limit how many
	// of them are taken.
	Index string `json:"index"`
	Limit int    `json:"images_limit"`
	// Program is the fingerprint of the programs that learn or code. It is empty when all is
	// done within this one.
	Program string `json:"program,omitempty"`
}

// weight grows with the work.
func (t task) weight() float64 {
	return float64(t.Atoms) * float64(t.Patches) * float64(t.MostIterations)
}

// result is what a learner came to. Without Failure, all is there.
type result struct {
	task
	// Plain are the tests as a coupled stage restores them, as in the paper.
	Plain []restored `json:"plain"`
	// Projected are the tests as a coupled stage restores them with back-projection.
	Projected []restored `json:"back_projected,omitempty"`
	// RMSE is the error of the training patches in the end, as a root mean square.
	RMSE float64 `json:"rmse"`
	// NonZeros is how many atoms code a training patch, in the mean.
	NonZeros float64 `json:"non_zeros"`
	// Iterations is how many there were, 0 of a learner that does not tell, and Stop why there
	// were no more.
	Iterations int    `json:"iterations,omitempty"`
	Stop       string `json:"stop"`
	// Used is how many atoms code a training patch at all.
	Used int `json:"used"`
	// Coherence is the largest |cos| of the angle between two atoms.
	Coherence float64 `json:"coherence"`
	// Seconds is how long learning took beside the other runs.
	Seconds float64 `json:"seconds"`
	// Curve is how the error fell.
	Curve []curvePoint `json:"curve"`
	// Mosaic is a picture of the atoms, as PNG. The first run alone has it.
	Mosaic []byte `json:"mosaic,omitempty"`
	// Failure says why there is nothing else. It is empty where there is.
	Failure string `json:"failure,omitempty"`
}

// curvePoint is the error of the training patches after an iteration.
type curvePoint struct {
	Iteration int     `json:"iteration"`
	Seconds   float64 `json:"seconds"`
	RMSE      float64 `json:"rmse"`
}

// tasks lists all learners in all runs.
func (cmp *comparison) tasks() ([]task, error) {
	p := cmp.opt.Protocol
	programs, err := plugins.Fingerprints(cmp.opt.Learners, cmp.opt.Coder)
	if err != nil {
		return nil, err
	}
	var list []task
	for run := range p.runs {
		for i, learner := range cmp.opt.Learners {
			list = append(list, task{
				Protocol: p.name, Learner: learner, Coder: cmp.opt.Coder, Run: run, Seed: cmp.opt.Seed, Atoms: p.atoms, Patches: p.patches,
				MostIterations: p.iterations, Back: p.back, Data: paths.Name(cmp.data.identity), Index: cmp.opt.chosen, Limit: cmp.opt.limit,
				Program: programs[i],
			})
		}
	}
	return list, nil
}
