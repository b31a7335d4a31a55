package recovery

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"superres/cmd/internal/console"
	"superres/internal/report"
	"superres/learners/planted"
)

// recoveryReport shows the trials of superres recover.
type recoveryReport struct {
	command string
	trials  []planted.Trial // by panel, N, trial, learner
}

// point is what the trials of one panel, N and learner come to.
type point struct {
	trials, failed              int
	assigned, inOrder, seconds  []float64
	recovered, iterations, atom float64 // means
}

func (r recoveryReport) failures() int {
	count := 0
	for _, t := range r.trials {
		if t.Failure != "" {
			count++
		}
	}
	return count
}

func (r recoveryReport) firstFailure() string {
	for _, t := range r.trials {
		if t.Failure != "" {
			return fmt.Sprintf("%s with N = %d: %s", t.Learner, t.N, t.Failure)
		}
	}
	return ""
}

// panels, sizes and learners are those of the trials, in their order.
func (r recoveryReport) panels() []planted.Panel {
	return distinct(r.trials, func(t planted.Trial) (planted.Panel, bool) { return t.Panel(), true })
}

func (r recoveryReport) sizes(p planted.Panel) []int {
	return distinct(r.trials, func(t planted.Trial) (int, bool) { return t.N, t.Panel() == p })
}

func (r recoveryReport) learners() []string {
	return distinct(r.trials, func(t planted.Trial) (string, bool) { return t.Learner, true })
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

func (r recoveryReport) at(p planted.Panel, n int, learner string) point {
	var out point
	for _, t := range r.trials {
		if t.Panel() != p || t.N != n || t.Learner != learner {
			continue
		}
		if out.trials++; t.Failure != "" {
			out.failed++
			continue
		}
		out.assigned, out.inOrder, out.seconds = append(out.assigned, t.Assigned), append(out.inOrder, t.InOrder), append(out.seconds, t.Seconds)
		out.recovered += t.Recovered
		out.iterations += float64(t.Iterations)
		out.atom += float64(t.Replaced)
	}
	good := float64(out.trials - out.failed)
	out.recovered, out.iterations, out.atom = out.recovered/good, out.iterations/good, out.atom/good
	return out
}

// csv writes a line for every trial.
func (r recoveryReport) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	rows := [][]string{{
		"m", "k", "s", "n", "noise", "trial", "seed", "learner", "coder", "limit",
		"assigned", "in_order", "recovered", "rmse", "non_zeros", "iterations", "replaced", "stop", "seconds", "failure",
	}}
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, t := range r.trials {
		rows = append(rows, []string{
			strconv.Itoa(t.M), strconv.Itoa(t.K), strconv.Itoa(t.S), strconv.Itoa(t.N), number(t.Noise),
			strconv.Itoa(t.Task.Trial), strconv.FormatUint(t.Seed, 10), t.Learner, t.Coder, strconv.Itoa(t.Limit),
			number(t.Assigned), number(t.InOrder), number(t.Recovered), number(t.RMSE), number(t.NonZeros),
			strconv.Itoa(t.Iterations), strconv.Itoa(t.Replaced), t.Stop, number(t.Seconds), t.Failure,
		})
	}
	return out.WriteAll(rows)
}

// json writes how the trials came to be, and every trial.
func (r recoveryReport) json(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(map[string]any{"command": r.command, "version": console.Version, "trials": r.trials})
}

// text writes the mean errors as tables for a terminal.
func (r recoveryReport) text(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	for _, p := range r.panels() {
		fmt.Fprintf(tab, "M=%d K=%d S=%d\t%s\t\n", p.M, p.K, p.S, strings.Join(r.learners(), "\t"))
		for _, n := range r.sizes(p) {
			fmt.Fprintf(tab, "N=%d", n)
			for _, learner := range r.learners() {
				m, _ := report.Mean(r.at(p, n, learner).assigned)
				fmt.Fprint(tab, "\t"+console.Figure("%.4f", m))
			}
			fmt.Fprint(tab, "\t\n")
		}
		fmt.Fprintln(tab, "\t")
	}
	fmt.Fprintf(tab, "mean error of %d trials, true atoms assigned so that it is least\n", r.count())
	return tab.Flush()
}

// count is the number of trials of a point.
func (r recoveryReport) count() int {
	t := r.trials[0]
	return r.at(t.Panel(), t.N, t.Learner).trials
}

// told says what the learners with a coder are told of S.
func (r recoveryReport) told() string {
	for _, t := range r.trials {
		if !strings.HasSuffix(t.Coder, fmt.Sprintf("sparsity=%d", t.S)) {
			return "those that need a coder have " + t.Coder
		}
	}
	name, _, _ := strings.Cut(r.trials[0].Coder, ":")
	return "those that code with " + name + " are told the true S"
}

// errorFloor is where the logarithmic axis ends; errors below are drawn there.
const errorFloor = 1e-5

func (r recoveryReport) html(w io.Writer) error {
	t := r.trials[0]
	page := report.Page{
		Title: "Dictionary recovery",
		Lead: fmt.Sprintf("How near learners come to the dictionary that made their training signals, %d problems a point. "+
			"Every learner gets the same signals and the same first dictionary; %s, ROP is told nothing.",
			r.count(), r.told()),
		Facts: []report.Fact{
			{Name: "command", Value: r.command},
			{Name: "version", Value: fmt.Sprintf("superres %s, %s %s/%s, %d processors", console.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))},
			{Name: "seed", Value: fmt.Sprint(t.Seed)},
			{Name: "noise", Value: fmt.Sprintf("%g of the signals' root mean square", t.Noise)},
		},
		Notes: []string{
			"Error: mean over the atoms of 1 − |cos| to the true atom each is matched with. “Assigned” matches so that the error is least; the paper's rule lets each learned atom in turn take the best true atom still free, so one wrong atom can take another's.",
			fmt.Sprintf("Recovered: share of the true atoms met with |cos| above 0.99. Curves show means, bands one standard deviation over the problems; the error axis is logarithmic and ends at %g.", errorFloor),
			"Seconds are those of a trial beside the others that ran at the same time. All numbers but the seconds are the same for any number of processors.",
		},
	}
	var err error
	if page.Key, err = report.Key(r.learners()); err != nil {
		return err
	}
	for _, p := range r.panels() {
		section := report.Section{Title: fmt.Sprintf("M = %d, K = %d, S = %d", p.M, p.K, p.S), Tables: []report.Table{r.table(p)}}
		for _, chart := range []report.Chart{
			r.chart(p, "error, assigned", true, func(v point) (float64, float64) { return report.Mean(v.assigned) }),
			r.chart(p, "error, the paper's rule", true, func(v point) (float64, float64) { return report.Mean(v.inOrder) }),
			r.chart(p, "share of the atoms recovered", false, func(v point) (float64, float64) { return v.recovered, 0 }),
		} {
			svg, err := chart.SVG(280, 240)
			if err != nil {
				return err
			}
			section.Pictures = append(section.Pictures, svg)
		}
		page.Sections = append(page.Sections, section)
	}
	if n := r.failures(); n > 0 {
		page.Notes = append(page.Notes, fmt.Sprintf("%d trials failed and are left out of the means. The first: %s.", n, r.firstFailure()))
	}
	return page.Write(w)
}

// chart draws a value of the points of a panel over N.
func (r recoveryReport) chart(p planted.Panel, name string, log bool, value func(point) (m, sd float64)) report.Chart {
	c := report.Chart{Title: name, X: "signals N", Log: log, Floor: errorFloor, Y1: 1}
	for _, n := range r.sizes(p) {
		c.Ticks = append(c.Ticks, float64(n))
	}
	for style, learner := range r.learners() {
		s := report.Series{Name: learner, Style: style}
		for _, n := range r.sizes(p) {
			if m, sd := value(r.at(p, n, learner)); !math.IsNaN(m) {
				s.Points = append(s.Points, report.Point{X: float64(n), Y: m, Low: m - sd, High: m + sd})
			}
		}
		c.Series = append(c.Series, s)
	}
	return c
}

func (r recoveryReport) table(p planted.Panel) report.Table {
	t := report.Table{Head: append([]string{"N"}, r.learners()...)}
	for _, n := range r.sizes(p) {
		row := []report.Cell{{Text: strconv.Itoa(n)}}
		least := math.Inf(1)
		for _, learner := range r.learners() {
			if m, _ := report.Mean(r.at(p, n, learner).assigned); m < least {
				least = m
			}
		}
		for _, learner := range r.learners() {
			v := r.at(p, n, learner)
			m, sd := report.Mean(v.assigned)
			if len(v.assigned) == 0 {
				row = append(row, report.Cell{Text: "–", Note: "all failed"})
				continue
			}
			paper, _ := report.Mean(v.inOrder)
			seconds, _ := report.Mean(v.seconds)
			row = append(row, report.Cell{
				Text: fmt.Sprintf("%.4f ± %.4f", m, sd), Best: m == least,
				Note: fmt.Sprintf("paper's rule %.4f · %.0f %% recovered · %.0f iterations · %.2f s", paper, 100*v.recovered, v.iterations, seconds),
			})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
