package comparison

import (
	"superres/cmd/internal/paths"
	"superres/cmd/internal/plugins"
)

// task is a run of a learner, with everything that decides its result. Journals find a result by its task, and parts
// divide tasks by their JSON, so the fields keep their names and order there.
type task struct {
	// Protocol is the name of the protocol.
	Protocol string `json:"protocol"`
	// Learner is its spec.
	Learner string `json:"learner"`
	// Coder is its spec.
	Coder string `json:"coder"`
	// Run is the number of the run, from 0: that of the training digit in the protocol single, else it is added to
	// the seed.
	Run int `json:"run"`
	// Seed is the seed of the command.
	Seed uint64 `json:"seed"`
	// Atoms is the number of atoms to learn, and Patches the number of pairs of patches to learn from.
	Atoms   int `json:"atoms"`
	Patches int `json:"patches"`
	// MostIterations is the largest number of iterations.
	MostIterations int `json:"limit"`
	// Back is the number of back-projections of the form with back-projection.
	Back int `json:"back_projection"`
	// Data has the names and hashes of the files of the pictures.
	Data paths.Name `json:"data"`
	// Index has the numbers of the images chosen from IDX files, and Limit the largest number of them.
	Index string `json:"index"`
	Limit int    `json:"images_limit"`
	// Program is the fingerprint of the external programs that learn or code. It is empty where there are none.
	Program string `json:"program,omitempty"`
}

// weight estimates the work of a task.
func (t task) weight() float64 {
	return float64(t.Atoms) * float64(t.Patches) * float64(t.MostIterations)
}

// result is the result of a run. Where it failed, only the task and Failure are set.
type result struct {
	task
	// Plain are the tests as a coupled stage restores them, as in the paper.
	Plain []restored `json:"plain"`
	// Projected are the tests as a coupled stage restores them with back-projection.
	Projected []restored `json:"back_projected,omitempty"`
	// RMSE is the final error of the training patches, as a root mean square.
	RMSE float64 `json:"rmse"`
	// NonZeros is the mean number of atoms that code a training patch.
	NonZeros float64 `json:"non_zeros"`
	// Iterations is the number of iterations, or 0 for a learner that does not report them, and Stop why it ended.
	Iterations int    `json:"iterations,omitempty"`
	Stop       string `json:"stop"`
	// Used is the number of atoms that code any training patch.
	Used int `json:"used"`
	// Coherence is the largest |cos| of the angle between two atoms.
	Coherence float64 `json:"coherence"`
	// Seconds is the time of learning, while other runs were at work.
	Seconds float64 `json:"seconds"`
	// Curve is the error over the iterations.
	Curve []curvePoint `json:"curve"`
	// Mosaic is a picture of the atoms, as PNG. Only the first run has it.
	Mosaic []byte `json:"mosaic,omitempty"`
	// Failure says why the run failed. It is empty where it did not.
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
				Protocol: p.name, Learner: learner, Coder: cmp.opt.Coder, Run: run, Seed: cmp.opt.Seed, Atoms: p.atoms,
				Patches:        p.patches,
				MostIterations: p.iterations, Back: p.back, Data: paths.Name(cmp.data.identity), Index: cmp.opt.chosen,
				Limit:   cmp.opt.limit,
				Program: programs[i],
			})
		}
	}
	return list, nil
}
