package learn

import (
	"fmt"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/safefile"
	"superres/learners"
)

// summary describes a run, as a line for people and as JSON for programs. Coder is empty if the learner uses no coder;
// Iterations is 0 if the learner does not count iterations. With --iterations 0, Learner and Stop are empty. NonZeros
// is the mean number of non-zeros in the code of a signal.
type summary struct {
	Dictionary paths.Name `json:"dictionary"`
	Codes      paths.Name `json:"codes,omitempty"`
	Trace      paths.Name `json:"trace,omitempty"`
	Data       paths.Name `json:"data"`
	Learner    string     `json:"learner,omitempty"`
	Coder      string     `json:"coder,omitempty"`
	Seed       uint64     `json:"seed"`
	Entries    int        `json:"entries"`
	Signals    int        `json:"signals"`
	Atoms      int        `json:"atoms"`
	Iterations int        `json:"iterations,omitempty"`
	Stop       string     `json:"stop,omitempty"`
	RMSE       float64    `json:"rmse"`
	// Least is the smallest RMSE of any iteration. The dictionary is from the last iteration nevertheless.
	Least    float64  `json:"least_rmse"`
	NonZeros float64  `json:"nonzeros"`
	Seconds  float64  `json:"seconds"`
	Warnings []string `json:"warnings,omitempty"`
}

// newSummary returns the summary of a run that learned r from p.
func newSummary(opt Options, p problem, r *learners.Result) summary {
	m, n := p.signals.Dims()
	var last learners.Step
	if len(r.Steps) > 0 {
		last = r.Steps[len(r.Steps)-1]
	}
	sum := summary{
		Dictionary: paths.Name(opt.outputs.dictionary.Name), Codes: paths.Name(opt.outputs.codes.Name),
		Trace: paths.Name(opt.outputs.trace.Name), Data: paths.Name(opt.Data),
		Learner: opt.Learner, Seed: opt.Seed, Entries: m, Signals: n, Atoms: p.settings.Atoms,
		Iterations: last.Iteration, Stop: string(r.Stop), RMSE: last.RMSE,
		NonZeros: r.Codes.NonZeros(), Seconds: last.Elapsed.Seconds(),
	}
	if opt.codes() {
		sum.Dictionary, sum.Learner, sum.Seed = paths.Name(opt.Init), "", 0
	}
	if sum.Least = r.Least(); sum.Least < 0.99*sum.RMSE {
		sum.Warnings = append(sum.Warnings, fmt.Sprintf("an earlier iteration had a smaller RMSE, %.4g; the "+
			"dictionary is that of the last", sum.Least))
	}
	if r.Falling() {
		sum.Warnings = append(sum.Warnings, "the RMSE still fell at the last iteration; more --iterations may "+
			"lessen it")
	}
	for _, w := range r.Warnings {
		sum.Warnings = append(sum.Warnings, console.Message(w))
	}
	if p.coder.used.Load() {
		sum.Coder = p.coder.spec
		return sum
	}
	for _, flag := range []struct {
		name  string
		given bool
	}{{"coder", opt.Coder.SpecGiven}, {"sparsity", opt.Coder.SparsityGiven}} {
		if flag.given {
			sum.Warnings = append(sum.Warnings, fmt.Sprintf("%s uses no coder, --%s had no effect", sum.Learner,
				flag.name))
		}
	}
	return sum
}

// tell writes the summary as a line to standard error, unless opt.Quiet, and as JSON to standard output if opt.JSON.
func (s summary) tell(opt Options, to *console.Streams) error {
	if !opt.Quiet {
		fmt.Fprintln(to.Err, safefile.OneLine(s.text()))
	}
	if !opt.JSON {
		return nil
	}
	return console.WriteJSON(to.Out, s)
}

// text returns the summary as one line.
func (s summary) text() string {
	if s.Learner == "" { // nothing was learned: --iterations 0
		return s.codesText()
	}
	by, to := s.Learner, s.Dictionary
	if s.Coder != "" {
		by += " with " + s.Coder
	}
	if paths.IsStandard(to) {
		to = "standard output"
	}
	ended := s.Stop
	if s.Iterations > 0 {
		ended = fmt.Sprintf("%s (%s)", console.Count(s.Iterations, "iteration"), s.Stop)
	}
	text := fmt.Sprintf("%s: %s by %s from %d×%d data, %s, %s: RMSE %.4g, %.3g non-zeros a signal",
		to, console.Count(s.Atoms, "atom"), by, s.Entries, s.Signals, ended, console.Elapsed(s.Seconds), s.RMSE,
		s.NonZeros)
	for _, w := range s.Warnings {
		text += "; warning: " + w
	}
	return text
}
