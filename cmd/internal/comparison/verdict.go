package comparison

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/internal/report"
)

// verdicts returns the findings at the head of the page, by the first measure: which learner is best with the kind of
// model that the page shows, and which is fastest; what that comes to; and the same for the other kind.
func (f findings) verdicts() []string {
	m, shown := f.measures()[0], f.shown()
	v := f.verdict(m, shown)
	headline := v.String()
	if fastest := f.fastest(); fastest != "" && v.first != "" {
		headline += "; " + fastest
	}
	list := []string{headline + "."}
	if v.first != "" {
		list = append(list, fmt.Sprintf("That is %s. %s%s", shown.with, v.evidence(), v.means(f)))
	}
	for _, kind := range f.forms {
		if other := f.verdict(m, kind); kind.with != shown.with && other.first != "" {
			list = append(list, fmt.Sprintf("%s%s: %s. %s%s", strings.ToUpper(kind.with[:1]), kind.with[1:], other,
				other.evidence(), other.means(f)))
		}
	}
	return list
}

// shown returns the kind of model whose pictures of photographs the page shows, and that its headline is about: with
// back-projection for photographs, and as in the paper for digits.
func (f findings) shown() form {
	return f.forms[slices.IndexFunc(f.forms, func(k form) bool {
		return k.paper != f.opt.Protocol.photo
	})]
}

// verdict says which learner is best with a kind of model by a measure.
type verdict struct {
	measure measure
	kind    form
	// first is the learner with the best mean, and next the one after it. They are "" where no learner, or no other
	// one, restored anything.
	first, next string
	mean        float64  // the mean of first
	alike       []string // the others that cannot be told apart from first
	// gap is the one between first and the first of alike or, where there is none, next, on problems of the kind what,
	// which is "runs" or "pictures". wins counts the problems on which first is better than every other learner.
	gap  report.Gap
	wins int
	what string
}

// verdict returns the verdict on one kind of model by the measure m.
func (f findings) verdict(m measure, kind form) verdict {
	v := verdict{measure: m, kind: kind, mean: math.NaN()}
	mean, scores := map[string]float64{}, map[string][]float64{}
	var order []string
	for _, learner := range f.opt.Learners {
		if mu, _ := report.Mean(f.values(m, kind, learner, -1)); !math.IsNaN(mu) {
			mean[learner] = m.sign() * mu
			scores[learner], v.what = f.problems(m, kind, learner)
			order = append(order, learner)
		}
	}
	if len(order) == 0 {
		return v
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(mean[a], mean[b]) })
	v.first, v.mean = order[0], m.sign()*mean[order[0]]
	if len(order) == 1 {
		return v
	}
	v.next = order[1]
	for _, learner := range order[1:] {
		if a, b := scores[v.first], scores[learner]; !report.Compare(a, b).Decided() && !report.Judge(a, b).Decided() {
			v.alike = append(v.alike, learner)
		}
	}
	v.gap = report.Compare(scores[v.first], scores[append(slices.Clone(v.alike), v.next)[0]])
	for i, score := range scores[v.first] {
		if !slices.ContainsFunc(order[1:], func(learner string) bool { return !(score < scores[learner][i]) }) {
			v.wins++
		}
	}
	return v
}

// problems returns the scores of a learner, times m.sign(): one for every run or, where there are more test pictures
// than runs, one for every test picture. A missing score is NaN. what is "runs" or "pictures" accordingly.
func (f findings) problems(m measure, kind form, learner string) (list []float64, what string) {
	if len(f.data.tests) > f.opt.Protocol.runs {
		for i := range f.data.tests {
			v, _ := report.Mean(f.values(m, kind, learner, i))
			list = append(list, m.sign()*v)
		}
		return list, "pictures"
	}
	list = slices.Repeat([]float64{math.NaN()}, f.opt.Protocol.runs)
	for _, r := range f.results {
		if r.Learner == learner && r.Failure == "" && r.Run < len(list) {
			list[r.Run] = m.sign() * average(m, kind.scores(r), -1)
		}
	}
	return list, "runs"
}

// String returns the verdict as a sentence without a full stop. A learner that is ahead by no more than chance explains
// is not called the best.
func (v verdict) String() string {
	ahead := v.ahead()
	count := fmt.Sprintf("on %d of %d pictures", v.wins, v.gap.N)
	if v.what == "runs" {
		count = fmt.Sprintf("in %d of %d runs", v.wins, v.gap.N)
	}
	if v.wins == v.gap.N {
		count = strings.Replace(count, fmt.Sprintf("%d of", v.wins), "all", 1)
	}
	switch {
	case v.first == "":
		return "No learner restored anything"
	case v.next == "":
		return v.first + " has nobody to be compared with"
	case v.gap.N < 2:
		return fmt.Sprintf("No learner can be called the best after one of the %s: %s is ahead of %s by %s, which may "+
			"be chance", v.what, v.first, v.next, ahead)
	case len(v.alike) > 0:
		names := append([]string{v.first}, v.alike...)
		return fmt.Sprintf("%s and %s cannot be told apart", strings.Join(names[:len(names)-1], ", "),
			names[len(names)-1])
	}
	return fmt.Sprintf("%s is best %s, ahead of %s, the next, by %s", v.first, count, v.next, ahead)
}

// ahead says by how much first is ahead.
func (v verdict) ahead() string {
	return fmt.Sprintf("%s in mean %s", v.measure.amount(v.gap.Mean), v.measure.noun)
}

// evidence returns a sentence, and a space, that says how sure the verdict is, or "" where there is nothing to judge
// by.
func (v verdict) evidence() string {
	spread := v.measure.amount(v.gap.Error)
	switch {
	case v.next == "" || v.gap.N < 2:
		return ""
	case len(v.alike) > 0 && v.gap.Mean <= 0:
		return fmt.Sprintf("%s and %s have the same mean %s. ", v.first, v.alike[0], v.measure.noun)
	case len(v.alike) > 0:
		return fmt.Sprintf("%s is ahead of %s by %s, with a standard error of %s, which may be chance. ", v.first,
			v.alike[0], v.ahead(), spread)
	}
	return fmt.Sprintf("The lead of %s has a standard error of %s. ", v.first, spread)
}

// means returns sentences that say what first comes to, beside the best model that was there already.
func (v verdict) means(f findings) string {
	format := func(value float64) string { return fmt.Sprintf(v.measure.say, value) }
	text := fmt.Sprintf("%s has %s in the mean.", v.first, format(v.mean))
	best, name := math.NaN(), ""
	for _, b := range f.baselines {
		if mu := average(v.measure, b.scores, -1); name == "" || v.measure.sign()*mu < v.measure.sign()*best {
			best, name = mu, f.title(b)
		}
	}
	switch {
	case name == "":
		return text
	case v.measure.sign()*best < v.measure.sign()*v.mean:
		return fmt.Sprintf("%s None comes up to %s, with %s.", text, name, format(best))
	}
	return fmt.Sprintf("%s The best of what was there already, %s, has %s.", text, name, format(best))
}

// fastest says which learners learn fastest: those that take no longer than 1.2 times the least mean time, since times
// beside other runs are no more exact. It returns "" where there are no two learners to compare.
func (f findings) fastest() string {
	const exact = 1.2
	mean := map[string]float64{}
	least := math.Inf(1)
	for _, r := range f.results {
		if r.Failure == "" {
			mean[r.Learner] += r.Seconds / float64(f.opt.Protocol.runs)
		}
	}
	for _, seconds := range mean {
		least = min(least, seconds)
	}
	var names []string
	for _, learner := range f.opt.Learners {
		if seconds, ok := mean[learner]; ok && seconds <= exact*least {
			names = append(names, learner)
		}
	}
	switch {
	case len(mean) < 2:
		return ""
	case len(names) == 1:
		return fmt.Sprintf("%s learns fastest, in %s", names[0], elapsed(least))
	case len(names) == len(mean):
		return "all learn about as fast, in " + elapsed(least)
	}
	return fmt.Sprintf("%s and %s learn fastest, in %s", strings.Join(names[:len(names)-1], ", "),
		names[len(names)-1], elapsed(least))
}

// elapsed returns a time in seconds as text.
func elapsed(seconds float64) string {
	if seconds < 0.005 {
		return "less than 0.01 s"
	}
	return console.Elapsed(seconds)
}

// contrast is how much the learners differ on a test picture in the first run, by the first measure and with the kind
// of model that the page shows.
type contrast struct {
	test        int     // the number of the test picture
	best, worst string  // learners; "" where fewer than two restored the picture
	top, bottom float64 // their scores
	width       float64 // |top − bottom|; -1 where fewer than two restored the picture
}

// contrasts returns the test pictures that the page shows, maxShown at most: those on which the learners differ most,
// these first.
func (f findings) contrasts() (list []contrast) {
	m, shown := f.measures()[0], f.shown()
	for test := range f.data.tests {
		c, kept := contrast{test: test, width: -1}, test < maxKept
		for _, learner := range f.opt.Learners {
			r := f.firstRun(learner)
			if r == nil {
				continue
			}
			scores := shown.scores(*r)
			v := average(m, scores, test)
			kept = kept && len(scores[test].Picture) > 0
			switch {
			case math.IsNaN(v):
				continue
			case c.best == "":
				c.best, c.worst, c.top, c.bottom = learner, learner, v, v
			case m.sign()*v < m.sign()*c.top:
				c.best, c.top = learner, v
			case m.sign()*v > m.sign()*c.bottom:
				c.worst, c.bottom = learner, v
			}
		}
		if c.best != c.worst {
			c.width = math.Abs(c.top - c.bottom)
		}
		if kept || len(f.data.tests) <= maxShown {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b contrast) int { return cmp.Compare(b.width, a.width) })
	return list[:min(len(list), maxShown)]
}

// explain says by how much the learners differ on the first of the pictures, and which pictures follow.
func (f findings) explain(pictures []contrast) string {
	if len(pictures) == 0 {
		return ""
	}
	text := ""
	if c := pictures[0]; c.width >= 0 {
		format := func(v float64) string { return fmt.Sprintf(f.measures()[0].say, v) }
		text = fmt.Sprintf("On %s the learners differ most: %s has %s, %s %s. ", f.data.tests[c.test].name, c.best,
			format(c.top), c.worst, format(c.bottom))
		if len(pictures) > 1 {
			text += "The other pictures follow in the order of that difference. "
		}
	}
	if more := len(f.data.tests) - len(pictures); more > 0 {
		text += fmt.Sprintf("%d pictures are not shown. ", more)
	}
	return text
}
