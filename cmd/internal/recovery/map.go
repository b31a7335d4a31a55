package recovery

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"superres/cmd/internal/console"
	"superres/internal/elementary"
	"superres/internal/report"
	"superres/learners/planted"
)

// axis is a setting of the problems that --map varies, with its values.
type axis struct {
	name  string // name in --map: N, S, K, M, noise, coherence or outliers
	steps []float64
}

// axes maps the name of each setting that --map can vary to a function that returns a pointer to its field in a task.
var axes = map[string]func(t *planted.Task) any{
	"N": func(t *planted.Task) any { return &t.N }, "S": func(t *planted.Task) any { return &t.S },
	"K": func(t *planted.Task) any { return &t.K }, "M": func(t *planted.Task) any { return &t.M },
	"noise":     func(t *planted.Task) any { return &t.Noise },
	"coherence": func(t *planted.Task) any { return &t.Coherence },
	"outliers":  func(t *planted.Task) any { return &t.Outliers },
}

// mapSteps is the greatest number of steps on an axis if --map does not give a number.
const mapSteps = 8

// set sets the field of t that the axis varies to v.
func (a axis) set(t *planted.Task, v float64) {
	switch field := axes[a.name](t).(type) {
	case *int:
		*field = int(v)
	case *float64:
		*field = v
	}
}

// of returns the value of the field of t that the axis varies.
func (a axis) of(t planted.Task) float64 {
	if field, ok := axes[a.name](&t).(*int); ok {
		return float64(*field)
	}
	return *axes[a.name](&t).(*float64)
}

// labels returns the steps of the axis as text.
func (a axis) labels() (list []string) {
	for _, v := range a.steps {
		list = append(list, strconv.FormatFloat(v, 'g', 4, 64))
	}
	return list
}

// readMap returns the two axes in texts such as "N=25:800" and "S=1:8", or in one text with a comma between the axes. A
// range LOW:HIGH has at most mapSteps steps, LOW:HIGH:STEPS the given number. Steps of N grow by a constant factor,
// other steps by a constant difference. For an empty text it returns no axes.
func readMap(texts []string) ([]axis, error) {
	var list []axis
	for _, text := range strings.Split(strings.Join(texts, ","), ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		a, err := readAxis(text)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	if len(list) != 0 && (len(list) != 2 || list[0].name == list[1].name) {
		return nil, console.Usage("--map: expected two axes, such as --map N=25:800,S=1:8, got %q", strings.Join(texts,
			" "))
	}
	return list, nil
}

// readAxis returns the axis in text, such as "N=25:800:6". Steps of an integer setting are rounded to integers, others
// to 4 digits, and steps equal to the one before are dropped. It refuses more than 100 steps.
func readAxis(text string) (a axis, err error) {
	fail := func(why string) (axis, error) {
		return a, console.Usage("--map %s: %s; expected NAME=LOW:HIGH or NAME=LOW:HIGH:STEPS with a name of N, S, K, "+
			"M, noise, coherence, outliers", text, why)
	}
	name, ends, _ := strings.Cut(text, "=")
	a.name = name
	if axes[name] == nil {
		return fail(fmt.Sprintf("there is no axis %q", name))
	}
	_, isInteger := axes[name](&planted.Task{}).(*int)
	fields := strings.Split(ends, ":")
	if len(fields) != 2 && len(fields) != 3 {
		return fail("no range")
	}
	var v [3]float64
	for i, f := range fields {
		// 1<<30 is beyond any use, and fits an int on any system.
		if v[i], err = strconv.ParseFloat(f, 64); err != nil || math.IsNaN(v[i]) || v[i] < 0 || v[i] > 1<<30 ||
			(isInteger || i == 2) && (v[i] < 1 || v[i] != math.Trunc(v[i])) {
			return fail(fmt.Sprintf("%q is no number that it can have", f))
		}
	}
	low, high, count := v[0], v[1], int(v[2])
	if low > high {
		return fail("the low end is above the high one")
	}
	if count == 0 {
		if count = mapSteps; isInteger {
			count = min(count, int(high-low)+1)
		}
	}
	if count > 100 {
		return fail("more than 100 steps")
	}
	for i := range count {
		share := float64(i) / float64(max(1, count-1))
		step := low + share*(high-low)
		if name == "N" {
			step = low * elementary.Pow(high/low, share)
		}
		if isInteger {
			step = math.Round(step)
		} else {
			step, _ = strconv.ParseFloat(strconv.FormatFloat(step, 'g', 4, 64), 64)
		}
		a.steps = append(a.steps, step)
	}
	a.steps = slices.Compact(a.steps)
	return a, nil
}

// shares returns the mean share of the atoms that a learner recovers, as [row][column] of the map: rows are the steps
// of the second axis, columns the steps of the first axis. A share is NaN if all its trials failed.
func (f findings) shares(learner string) [][]float64 {
	x, y := f.axes[0], f.axes[1]
	sum, count := make([][]float64, len(y.steps)), make([][]float64, len(y.steps))
	for r := range sum {
		sum[r], count[r] = make([]float64, len(x.steps)), make([]float64, len(x.steps))
	}
	for _, t := range f.trials {
		if t.Learner != learner || t.Failure != "" {
			continue
		}
		r, c := slices.Index(y.steps, y.of(t.Task)), slices.Index(x.steps, x.of(t.Task))
		sum[r][c] += t.Recovered
		count[r][c]++
	}
	for r := range sum {
		for c := range sum[r] {
			sum[r][c] /= count[r][c] // 0/0 is NaN
		}
	}
	return sum
}

// mapVerdict returns a sentence: in how many cells each learner recovers requiredShare of the atoms, best first.
func (f findings) mapVerdict() string {
	order := f.learners()
	solved := map[string]int{}
	for _, l := range order {
		for _, share := range slices.Concat(f.shares(l)...) {
			if share >= requiredShare {
				solved[l]++
			}
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return solved[b] - solved[a] })
	var parts []string
	for _, l := range order {
		parts = append(parts, fmt.Sprintf("%s in %d", f.label(l), solved[l]))
	}
	return fmt.Sprintf("%g %% of the atoms are recovered by %s of %d cells of the map.", 100*requiredShare,
		strings.Join(parts, ", "), len(f.axes[0].steps)*len(f.axes[1].steps))
}

// mapSection returns the section of the report with a map for each learner.
func (f findings) mapSection() report.Section {
	s := report.Section{Title: fmt.Sprintf("Recovered share over %s and %s", f.axes[0].name, f.axes[1].name),
		Text: fmt.Sprintf("Each cell has the share of the atoms that were recovered, in percent, the mean of %s.",
			console.Count(f.count(), "problem"))}
	for _, learner := range f.learners() {
		s.Maps = append(s.Maps, report.Heat{Title: f.label(learner), X: f.axes[0].name, Y: f.axes[1].name,
			Columns: f.axes[0].labels(), Rows: f.axes[1].labels(), Shares: f.shares(learner)})
	}
	return s
}
