package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Contest compares entrants by one measure on the same problems, for the table and the sentences that open a report.
type Contest struct {
	Title    string
	Measure  Measure
	Kind     string // the word for an entrant that learns, such as "learner"
	Problems string // the word for the problems, such as "runs"
	Entrants []Entrant
	Columns  []string // the column heads for Entrant.More
}

// Entrant is one of the methods compared in a Contest.
type Entrant struct {
	Name    string
	Learns  bool      // the method learns; false: it is an interpolation or a fixed dictionary
	Scores  []float64 // a score for each problem, as measured; NaN: no score
	Seconds float64   // the mean time of learning; NaN: none
	Mark    string    // a sentence about the scores, below the table: see Cell
	More    []Cell    // further cells in the table
}

// Measure is a score, such as PSNR.
type Measure struct {
	Name string // its name in tables
	Noun string // its name in sentences; "": Name
	// Format and Say are the fmt formats of a score, in tables and in sentences.
	Format, Say string
	Unit        string // text after a difference of scores, such as " dB"
	More        bool   // larger is better; false: smaller is better
}

// Sign returns −1 if larger scores are better, else 1. If scores are multiplied by Sign, smaller products are better.
func (m Measure) Sign() float64 {
	if m.More {
		return -1
	}
	return 1
}

// Difference returns a difference of scores with the unit, and with as many digits as in a table. If a difference above
// 0 has only zeros as digits, the text says that it is less than 1 in the last digit.
func (m Measure) Difference(v float64) string {
	text := strings.Replace(Number(m.Format, v), "-", "−", 1)
	if v > 0 && strings.Trim(text, "0.") == "" {
		text = "less than " + text[:len(text)-1] + "1"
	}
	return text + m.Unit
}

// Number formats v, or returns a dash if v is NaN.
func Number(format string, v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf(format, v)
}

// Estimate formats the mean of list, NaN left out, and the standard error of the mean if list has several numbers.
func Estimate(format string, list []float64) string {
	m, se := MeanError(Defined(list))
	if len(Defined(list)) < 2 {
		return Number(format, m)
	}
	return Number(format, m) + " ± " + Number(format, se)
}

// Defined returns the numbers in list that are not NaN.
func Defined(list []float64) []float64 { return slices.DeleteFunc(slices.Clone(list), math.IsNaN) }

// rank returns the Ranking by scores times Sign, of which less is better, with the best that learns as the reference.
func (c Contest) rank() []Rank {
	var scores [][]float64
	for _, e := range c.Entrants {
		list := slices.Clone(e.Scores)
		for i := range list {
			list[i] *= c.Measure.Sign()
		}
		scores = append(scores, list)
	}
	return Ranking(scores, func(i int) bool { return c.Entrants[i].Learns })
}

// places are the entrants of a contest in order: the best that learns, the others that learn, the entrants that do not.
type places struct {
	best          *Rank // nil: no entrant that learns was scored
	others, plain []Rank
}

// places returns the best entrant that learns (the reference), the others that learn, and the plain, which do not.
func (c Contest) places() (p places) {
	for _, r := range c.rank() {
		switch {
		case r.Reference:
			p.best = &r
		case c.Entrants[r.Entrant].Learns:
			p.others = append(p.others, r)
		default:
			p.plain = append(p.plain, r)
		}
	}
	return p
}

// next returns the entrant to compare p.best with: the second best that learns, else the best that does not, or nil.
func (p places) next() *Rank {
	if list := slices.Concat(p.others, p.plain); p.best != nil && len(list) > 0 {
		return &list[0]
	}
	return nil
}

// Rivals returns the names of the best and the second best entrant that learn; both are empty without a second.
func (c Contest) Rivals() (first, next string) {
	if p := c.places(); len(p.others) > 0 {
		return c.name(*p.best), c.name(p.others[0])
	}
	return "", ""
}

// Winner returns the name of the best entrant that learns if its lead over each other that learns is Decided, else "".
func (c Contest) Winner() string {
	p := c.places()
	if len(p.others) == 0 || slices.ContainsFunc(p.others, func(r Rank) bool { return !r.Decided() }) {
		return ""
	}
	return c.name(*p.best)
}

func (c Contest) name(r Rank) string { return c.Entrants[r.Entrant].Name }

// Table returns the ranking, the best entrant first, each compared with the best that learns, which is in bold if it
// is the Winner. The share of problems won counts only the problems on which the entrant alone is best.
func (c Contest) Table() Table {
	p := c.places()
	t := Table{Title: c.Title, Head: append([]string{"ranking", c.Measure.Name, "behind", "95 % interval", "p",
		"best in " + c.Problems, "seconds"}, c.Columns...)}
	if p.best != nil {
		t.Head[2] = "behind " + c.name(*p.best)
	}
	winner := c.Winner()
	for _, r := range c.rank() {
		e := c.Entrants[r.Entrant]
		row := []Cell{{Text: e.Name}, {Text: Number(c.Measure.Format, c.Measure.Sign()*r.Mean),
			Best: r.Reference && winner != "", Mark: e.Mark}, {Text: "–"}, {Text: "–"}, {Text: "–"}}
		if !r.Reference && p.best != nil {
			row[2].Text = c.Measure.Difference(r.Pair.Mean)
			if r.N > 1 {
				row[3].Text = c.Measure.Difference(r.Low) + " to " + c.Measure.Difference(r.High)
			}
			row[4].Text = strings.TrimPrefix(strings.TrimPrefix(Probability(r.P), "p "), "= ")
		}
		won := fmt.Sprintf("%.0f %%", 100*float64(r.Won)/float64(len(e.Scores)))
		row = append(row, Cell{Text: won}, Cell{Text: Number("%.2f", e.Seconds)})
		t.Rows = append(t.Rows, append(row, e.More...))
	}
	return t
}

// Record returns the ranking with all digits, for JSON: the name and the mean score of each entrant and, from two
// problems on, for all but the best that learns, the difference from this best, its confidence interval, and p.
func (c Contest) Record() any {
	list := []map[string]any{}
	for _, r := range c.rank() {
		row := map[string]any{"name": c.name(r), "mean": c.Measure.Sign() * r.Mean}
		if !r.Reference && r.N > 1 {
			row["behind"], row["low"], row["high"], row["p"] = r.Pair.Mean, r.Low, r.High, r.P
		}
		list = append(list, row)
	}
	return list
}

// Headline says which entrant is best, and how it compares with entrants that do not learn, without a full stop. An
// entrant is not called the best if chance explains its lead.
func (c Contest) Headline() string {
	p := c.places()
	if p.best == nil {
		return "No " + c.Kind + " was scored"
	}
	names := []string{c.name(*p.best)}
	for _, r := range p.others {
		if !r.Decided() {
			names = append(names, c.name(r))
		}
	}
	text := ""
	switch {
	case len(p.others) == 0:
		text = fmt.Sprintf("%s has %s in the mean", names[0], c.say(*p.best))
	case len(names) > 1:
		text = Enumerate(names) + " cannot be told apart"
	default:
		text = fmt.Sprintf("%s is the best %s, %s ahead of %s, the next, in mean %s", names[0], c.Kind,
			c.Measure.Difference(p.others[0].Pair.Mean), c.name(p.others[0]), cmp.Or(c.Measure.Noun, c.Measure.Name))
	}
	return text + c.beside(p)
}

// beside says how entrants that learn compare with the best entrant that does not, as text to continue a sentence. A
// Rank of p compares p.best with its entrant; it is Decided if chance does not explain that p.best is better.
func (c Contest) beside(p places) string {
	if len(p.plain) == 0 {
		return ""
	}
	plain := p.plain[0] // the best that does not learn; its Pair compares p.best with it
	name := c.name(plain)
	figures, every := "with "+c.say(plain), ""
	if len(p.others) > 0 {
		figures += " against " + Number(c.Measure.Format, c.Measure.Sign()*p.best.Mean)
		every = " than every " + c.Kind
	}
	var below []string // entrants that learn, and have a worse mean than plain
	for _, r := range p.others {
		if r.Mean > plain.Mean {
			below = append(below, c.name(r))
		}
	}
	verb := map[bool]string{true: "is", false: "are"}[len(below) == 1]
	behind := plain.Mean >= p.best.Mean && plain.Decided() // less is better in a Rank
	if behind && len(below) > 0 {
		return fmt.Sprintf("; %s %s below %s, which learns nothing", Enumerate(below), verb, name)
	}
	if behind {
		return fmt.Sprintf("; %s, the best of what learns nothing, is behind, %s", name, figures)
	}
	if plain.Mean < p.best.Mean && plain.Reversed().Decided() {
		return fmt.Sprintf(", but %s, which learns nothing, is better%s, %s", name, every, figures)
	}
	text := "; it cannot be told apart from " + name // it: the only entrant that learns
	if best := c.name(*p.best); c.Winner() != "" {
		text = "; " + best + " cannot be told apart from " + name
	} else if len(p.others) > 0 {
		text = ", nor " + best + " from " + name
	}
	text += ", which learns nothing, " + figures
	if len(below) > 0 {
		text += fmt.Sprintf("; %s %s below it", Enumerate(below), verb)
	}
	return text
}

// say returns the mean score of an entrant in words.
func (c Contest) say(r Rank) string { return fmt.Sprintf(c.Measure.Say, c.Measure.Sign()*r.Mean) }

// Evidence returns sentences on how certain the order of the best and the next entrant is, or "" if there is no next.
func (c Contest) Evidence() string {
	p := c.places()
	next := p.next()
	switch {
	case next == nil:
		return ""
	case next.N < 2:
		return fmt.Sprintf("One of the %s decides nothing.", c.Problems)
	}
	on := map[bool]string{true: "in", false: "on"}[c.Problems == "runs"] // "in 5 of 7 runs", "on 5 of 7 pictures"
	text := fmt.Sprintf("%s is better than %s %s %d of %d %s; the mean difference is %s (95 %% interval %s to %s), "+
		"%s by the signed-rank test.", c.name(*p.best), c.name(*next), on, next.Wins, next.N, c.Problems,
		c.Measure.Difference(next.Pair.Mean), c.Measure.Difference(next.Low), c.Measure.Difference(next.High),
		Probability(next.P))
	// The least p that N problems can give, after Holm's correction for the number of comparisons.
	if least := math.Ldexp(float64(len(p.others)+len(p.plain)), 1-next.N); least >= Doubt {
		text += fmt.Sprintf(" With %d %s no difference can be told from chance; take more.", next.N, c.Problems)
	}
	return text
}

// Enumerate joins names as in a sentence: "a, b and c".
func Enumerate(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// Method explains how a contest is judged.
const Method = "Each is compared with the best one, problem by problem, by Wilcoxon's signed-rank test; p is " +
	"corrected for all of these comparisons by Holm's method, and the interval of the difference of means is " +
	"Student's, at 95 %. Who is called the best, or is in bold, is ahead of every other one with a p below 0.05."
