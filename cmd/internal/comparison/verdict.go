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
// model that the page shows, how it stands to what learns nothing, and which is fastest; how sure that is; and the same
// for the other kind.
func (f findings) verdicts() []string {
	m, shown := f.measures()[0], f.shown()
	r := f.ranking(m, shown)
	headline := r.String()
	if fastest := f.fastest(); fastest != "" && r.best() != nil {
		headline += "; " + fastest
	}
	list := []string{headline + "."}
	if r.best() != nil {
		list = append(list, strings.TrimSpace(fmt.Sprintf("That is %s. %s", shown.with, r.evidence())))
	}
	for _, kind := range f.forms {
		if other := f.ranking(m, kind); kind.with != shown.with && other.best() != nil {
			list = append(list, strings.TrimSpace(fmt.Sprintf("%s%s: %s. %s", strings.ToUpper(kind.with[:1]),
				kind.with[1:], other, other.evidence())))
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

// ranking is the order of the learners, and of what learns nothing, by a measure and for a kind of model. All are
// compared with the best learner, the reference.
type ranking struct {
	measure measure
	kind    form
	rows    []standing
	what    string // what they were scored on: "runs" or "pictures"
}

// standing is a row of a ranking.
type standing struct {
	report.Rank
	name   string
	learns bool // false: a dictionary or an interpolation for which nothing is learned
}

// ranking returns the ranking by the measure m of one kind of model. Means are times m.sign().
func (f findings) ranking(m measure, kind form) ranking {
	r := ranking{measure: m, kind: kind}
	var entrants []standing
	var scores [][]float64
	for _, b := range f.baselines {
		if b.plain {
			entrants = append(entrants, standing{name: f.title(b)})
			scores = append(scores, f.baselineProblems(m, b, -1))
		}
	}
	for _, name := range f.opt.dictionaries() {
		entrants = append(entrants, standing{name: name, learns: name != fixedDCT})
		var list []float64
		list, r.what = f.problems(m, kind, name)
		scores = append(scores, list)
	}
	for _, rank := range report.Ranking(scores, func(i int) bool { return entrants[i].learns }) {
		row := entrants[rank.Entrant]
		row.Rank = rank
		r.rows = append(r.rows, row)
	}
	return r
}

// best returns the row of the best learner, or nil where none restored anything.
func (r ranking) best() *standing {
	for i := range r.rows {
		if r.rows[i].Reference {
			return &r.rows[i]
		}
	}
	return nil
}

// others returns the rows of the learners besides the best, in their order.
func (r ranking) others() (list []standing) {
	for _, row := range r.rows {
		if row.learns && !row.Reference {
			list = append(list, row)
		}
	}
	return list
}

// untaught returns the best row of what learns nothing, or nil where there is none.
func (r ranking) untaught() *standing {
	for i := range r.rows {
		if !r.rows[i].learns {
			return &r.rows[i]
		}
	}
	return nil
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

// String returns the ranking as a sentence without a full stop. A learner that is ahead of another by no more than
// chance explains is not called the best.
func (r ranking) String() string {
	best, others := r.best(), r.others()
	if best == nil {
		return "No learner restored anything"
	}
	names := []string{best.name}
	for _, o := range others {
		if !o.Decided() {
			names = append(names, o.name)
		}
	}
	text := ""
	switch {
	case len(others) == 0:
		text = fmt.Sprintf("%s is the only learner, with %s in the mean", best.name, r.say(best))
	case len(names) > 1:
		text = enumerate(names) + " cannot be told apart"
	default:
		text = fmt.Sprintf("%s is the best learner, %s ahead of %s, the next, in mean %s", best.name,
			r.measure.amount(others[0].Pair.Mean), others[0].name, r.measure.noun)
	}
	return text + r.beside()
}

// beside says how the learners stand to the best of what learns nothing, with what joins that to a sentence before.
func (r ranking) beside() string {
	best, plain := r.best(), r.untaught()
	if plain == nil {
		return ""
	}
	figures := fmt.Sprintf("with %s against %s", r.say(plain),
		console.Figure(r.measure.format, r.measure.sign()*best.Mean))
	var below []string
	for _, o := range r.others() {
		if o.Mean > plain.Mean {
			below = append(below, o.name)
		}
	}
	switch {
	case plain.Mean < best.Mean:
		return fmt.Sprintf(", but %s, which learns nothing, is better than every learner, %s", plain.name, figures)
	case len(below) > 0:
		verb := map[bool]string{true: "is", false: "are"}[len(below) == 1]
		return fmt.Sprintf("; %s %s below %s, which learns nothing", enumerate(below), verb, plain.name)
	}
	return fmt.Sprintf("; %s, the best of what learns nothing, is behind, %s", plain.name, figures)
}

// say returns the mean of a row in words.
func (r ranking) say(row *standing) string {
	return fmt.Sprintf(r.measure.say, r.measure.sign()*row.Mean)
}

// evidence returns sentences that say how sure the order of the best learner and the next is, or "" where there is
// nothing to judge by.
func (r ranking) evidence() string {
	others := r.others()
	if len(others) == 0 {
		return ""
	}
	best, next := r.best(), others[0]
	if next.N < 2 {
		return fmt.Sprintf("One of the %s decides nothing.", r.what)
	}
	text := fmt.Sprintf("%s is better than %s %s %d of %d %s, by %s in the mean (95 %% interval %s to %s), %s.",
		best.name, next.name, map[string]string{"runs": "in", "pictures": "on"}[r.what], next.Wins,
		next.N, r.what, r.measure.difference(next.Pair.Mean),
		r.measure.difference(next.Low), r.measure.difference(next.High), report.Probability(next.P))
	if least := math.Ldexp(float64(len(r.rows)-1), 1-next.N); least >= report.Doubt {
		text += fmt.Sprintf(" With %d %s no difference can be told from chance; take more.", next.N, r.what)
	}
	return text
}

// enumerate joins names as a sentence has them.
func enumerate(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
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
	return fmt.Sprintf("%s learn fastest, in %s", enumerate(names), elapsed(least))
}

// elapsed returns a time in seconds as text.
func elapsed(seconds float64) string {
	if seconds < 0.005 {
		return "less than 0.01 s"
	}
	return console.Elapsed(seconds)
}

// contrast is how much the learners differ on a test picture in the run shown, by the first measure and with the kind
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
			r := f.inRun(f.shownRun, learner)
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
