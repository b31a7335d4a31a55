package recovery

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"superres/cmd/internal/console"
	"superres/internal/report"
	"superres/learners/planted"
)

// findings are the results of superres recover, which its report presents.
type findings struct {
	// command is the command line with all settings, and typed is the command line as it was typed.
	command, typed string
	// trials are in the order of panels, then of N, of problems and of learners.
	trials []planted.Trial
}

// point sums up the trials of one panel, N and learner.
type point struct {
	// trials is the number of trials, and failed how many of them failed.
	trials, failed int
	// assigned and inOrder are the errors by the two ways to match atoms, and seconds the times, each with an entry
	// for every trial that did not fail.
	assigned, inOrder, seconds []float64
	// recovered is the mean share of the atoms that were recovered, and iterations the mean number of iterations,
	// over the trials that did not fail. iterations is 0 for a learner that does not report its iterations.
	recovered, iterations float64
	// external says that the learner or its coder is an external program.
	external bool
}

// failures returns how many trials failed.
func (f findings) failures() int {
	count := 0
	for _, t := range f.trials {
		if t.Failure != "" {
			count++
		}
	}
	return count
}

// firstFailure describes the first trial that failed. It is empty where none did.
func (f findings) firstFailure() string {
	for _, t := range f.trials {
		if t.Failure != "" {
			return fmt.Sprintf("%s with N = %d: %s", t.Learner, t.N, t.Failure)
		}
	}
	return ""
}

// panels returns the panels of the trials, in their order.
func (f findings) panels() []planted.Panel {
	return distinctKeys(f.trials, func(t planted.Trial) (planted.Panel, bool) { return t.Panel(), true })
}

// sizes returns the numbers of signals of the trials of a panel, in their order.
func (f findings) sizes(p planted.Panel) []int {
	return distinctKeys(f.trials, func(t planted.Trial) (int, bool) { return t.N, t.Panel() == p })
}

// learners returns the learners of the trials, in their order.
func (f findings) learners() []string {
	return distinctKeys(f.trials, func(t planted.Trial) (string, bool) { return t.Learner, true })
}

// distinctKeys returns the different keys of a list, in the order of their first entries. Entries for which key
// returns false are left out.
func distinctKeys[T any, K comparable](list []T, key func(T) (K, bool)) []K {
	var out []K
	for _, v := range list {
		if k, ok := key(v); ok && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// point sums up the trials of a panel, N and learner.
func (f findings) point(p planted.Panel, n int, learner string) point {
	var out point
	for _, t := range f.trials {
		if t.Panel() != p || t.N != n || t.Learner != learner {
			continue
		}
		out.external = t.Program != ""
		if out.trials++; t.Failure != "" {
			out.failed++
			continue
		}
		out.assigned, out.inOrder, out.seconds = append(out.assigned, t.Assigned), append(out.inOrder, t.InOrder),
			append(out.seconds, t.Seconds)
		out.recovered += t.Recovered
		out.iterations += float64(t.Iterations)
	}
	good := float64(out.trials - out.failed)
	out.recovered, out.iterations = out.recovered/good, out.iterations/good
	return out
}

// json writes the command and every trial. Of a trial that failed it writes the task and the failure alone.
func (f findings) json(w io.Writer) error {
	trials := make([]any, len(f.trials))
	for i, t := range f.trials {
		trials[i] = t
		if t.Failure != "" {
			trials[i] = struct {
				planted.Task
				Failure string `json:"failure"`
			}{t.Task, t.Failure}
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(map[string]any{"command": f.command, "version": console.Version, "trials": trials})
}

// text writes the mean errors as tables for a terminal.
func (f findings) text(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	for _, p := range f.panels() {
		fmt.Fprintf(tab, "M=%d K=%d S=%d\t%s\t\n", p.M, p.K, p.S, strings.Join(f.learners(), "\t"))
		for _, n := range f.sizes(p) {
			fmt.Fprintf(tab, "N=%d", n)
			for _, learner := range f.learners() {
				m, _ := report.Mean(f.point(p, n, learner).assigned)
				fmt.Fprint(tab, "\t"+console.Figure("%.4f", m))
			}
			fmt.Fprint(tab, "\t\n")
		}
		fmt.Fprintln(tab, "\t")
	}
	fmt.Fprintf(tab, "mean error of %d trials, true atoms assigned so that it is least\n", f.count())
	return tab.Flush()
}

// count returns the number of trials of a point, which is the same for all.
func (f findings) count() int {
	t := f.trials[0]
	return f.point(t.Panel(), t.N, t.Learner).trials
}

// coderNote says, for the head of the page, what sparsity the coder of two-stage learners is given.
func (f findings) coderNote() string {
	for _, t := range f.trials {
		if !strings.HasSuffix(t.Coder, fmt.Sprintf("sparsity=%d", t.S)) {
			return "those that need a coder have " + t.Coder
		}
	}
	name, _, _ := strings.Cut(f.trials[0].Coder, ":")
	return "those that code with " + name + " are told the true S"
}
