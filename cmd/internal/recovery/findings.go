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

// findings are the trials, and what they come to.
type findings struct {
	// command is the command line that made them, with all settings, and typed as it was
	// typed.
	command, typed string
	// trials are by panel, N, trial and learner.
	trials []planted.Trial
}

// point is what the trials of one panel, N and learner come to.
type point struct {
	// trials is how many there were, and failed how many of them gave nothing.
	trials, failed int
	// assigned and inOrder are the errors by the two ways to match atoms, and seconds the
	// times, of each trial that did not fail.
	assigned, inOrder, seconds []float64
	// recovered and iterations are means over the trials that did not fail. No iterations are
	// that the learner does not tell them.
	recovered, iterations float64
	// external tells that programs outside have learned or coded.
	external bool
}

// failures is how many trials failed.
func (f findings) failures() int {
	count := 0
	for _, t := range f.trials {
		if t.Failure != "" {
			count++
		}
	}
	return count
}

// firstFailure words the first of them.
func (f findings) firstFailure() string {
	for _, t := range f.trials {
		if t.Failure != "" {
			return fmt.Sprintf("%s with N = %d: %s", t.Learner, t.N, t.Failure)
		}
	}
	return ""
}

// panels are those of the trials, in their order.
func (f findings) panels() []planted.Panel {
	return distinct(f.trials, func(t planted.Trial) (planted.Panel, bool) { return t.Panel(), true })
}

// sizes are the numbers of signals of a panel, in their order.
func (f findings) sizes(p planted.Panel) []int {
	return distinct(f.trials, func(t planted.Trial) (int, bool) { return t.N, t.Panel() == p })
}

// learners are those of the trials, in their order.
func (f findings) learners() []string {
	return distinct(f.trials, func(t planted.Trial) (string, bool) { return t.Learner, true })
}

// distinct returns the values of key that differ, in the order they come in.
func distinct[T any, K comparable](list []T, key func(T) (K, bool)) []K {
	var out []K
	for _, v := range list {
		if k, ok := key(v); ok && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// at is the point of a panel, N and learner.
func (f findings) at(p planted.Panel, n int, learner string) point {
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
		out.assigned, out.inOrder, out.seconds = append(out.assigned, t.Assigned), append(out.inOrder, t.InOrder), append(out.seconds, t.Seconds)
		out.recovered += t.Recovered
		out.iterations += float64(t.Iterations)
	}
	good := float64(out.trials - out.failed)
	out.recovered, out.iterations = out.recovered/good, out.iterations/good
	return out
}

// json writes how the trials came to be, and every trial; of one that failed the task and
// why.
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
				m, _ := report.Mean(f.at(p, n, learner).assigned)
				fmt.Fprint(tab, "\t"+console.Figure("%.4f", m))
			}
			fmt.Fprint(tab, "\t\n")
		}
		fmt.Fprintln(tab, "\t")
	}
	fmt.Fprintf(tab, "mean error of %d trials, true atoms assigned so that it is least\n", f.count())
	return tab.Flush()
}

// count is the number of trials of a point.
func (f findings) count() int {
	t := f.trials[0]
	return f.at(t.Panel(), t.N, t.Learner).trials
}

// told says what the learners with a coder are told of S.
func (f findings) told() string {
	for _, t := range f.trials {
		if !strings.HasSuffix(t.Coder, fmt.Sprintf("sparsity=%d", t.S)) {
			return "those that need a coder have " + t.Coder
		}
	}
	name, _, _ := strings.Cut(f.trials[0].Coder, ":")
	return "those that code with " + name + " are told the true S"
}
