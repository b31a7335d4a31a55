package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"superres/internal/must"
)

func chart() Chart {
	return Chart{
		Title: "error", X: "N", Y: "error", Log: true, Floor: 1e-5, Ticks: []float64{100, 200},
		Series: []Series{
			{Name: "a < b", Points: []Point{{X: 100, Y: 0.1, Low: 0.05, High: 0.2}, {X: 200, Y: 0, Low: -1, High: 0}}},
			{Name: "one point", Style: 9, Points: []Point{{X: 200, Y: 0.3, Low: 0.3, High: 0.3}}},
		},
	}
}

// A chart is well-formed XML with its names in it, and nothing in it is not finite.
func TestChart(t *testing.T) {
	for _, log := range []bool{true, false} {
		c := chart()
		c.Log, c.Y1 = log, 1
		svg := must.Get(c.SVG(200, 150))(t)
		wellFormed(t, string(svg))
		for _, want := range []string{"<svg", ">100<", ">200<", "currentColor"} {
			if !strings.Contains(string(svg), want) {
				t.Errorf("the chart lacks %q", want)
			}
		}
		if n := strings.Count(string(svg), `<circle r="3" fill="#d55e00"/>`); n != 2 {
			t.Errorf("%d marks of the first curve, expected 2", n)
		}
		for _, bad := range []string{"NaN", "Inf", "%!", "#FFFFFF", "#ffffff", "#000000"} {
			if strings.Contains(string(svg), bad) {
				t.Errorf("the chart has %s: no number, or no colour for a dark page", bad)
			}
		}
		figure := must.Get(c.Figure(200, 150))(t)
		wellFormed(t, string(figure))
		for _, want := range []string{"</svg> a &lt; b</span>", "</svg> one point</span>"} {
			if !strings.Contains(string(figure), want) {
				t.Errorf("the legend lacks %q", want)
			}
		}
	}
	for _, series := range [][]Series{nil, {{Name: "nothing"}}, {{Name: "one", Points: []Point{{X: 3, Y: 1e-9}}}}} {
		c := chart()
		c.Series, c.LogX, c.Ticks = series, true, nil
		if _, err := c.SVG(200, 150); err != nil {
			t.Errorf("%v: %v", series, err)
		}
	}
	bad := chart()
	bad.Series[0].Points[0].Y = math.NaN()
	if _, err := bad.SVG(200, 150); err == nil {
		t.Error("a point that is no number is drawn")
	}
}

// Curves use the height of a chart, on linear and on logarithmic axes, and charts that share an axis have one scale.
func TestAxesFitTheValues(t *testing.T) {
	for _, c := range []struct {
		log       bool
		low, high float64
	}{{true, 0.019, 0.047}, {true, 1e-7, 0.3}, {false, 30.1, 30.4}, {false, 0, 5}} {
		points := []Point{{X: 1, Y: c.low}, {X: 2, Y: c.high}}
		chart := Chart{Log: c.log, Floor: 1e-5, Series: []Series{{Points: points}}}
		_, y, err := chart.axes()
		must.Succeed(t, err)
		low, high := y.share(chart.clip(c.low)), y.share(c.high)
		if low < 0 || low > 0.1 || high < 0.9 || high > 1 {
			t.Errorf("%+v is drawn from %g to %g of the height", c, low, high)
		}
	}
	small := Chart{Log: true, Floor: 1e-5, Series: []Series{{Points: []Point{{X: 1, Y: 0.01}, {X: 2, Y: 0.02}}}}}
	large := Chart{Log: true, Floor: 1e-5, Series: []Series{{Points: []Point{{X: 1, Y: 0.1}, {X: 2, Y: 0.2}}}}}
	ShareY(&small, &large)
	if small.Y0 != large.Y0 || small.Y1 != large.Y1 || small.Y0 > 0.01 || small.Y1 < 0.2 {
		t.Errorf("%g to %g and %g to %g", small.Y0, small.Y1, large.Y0, large.Y1)
	}
	large.Floor = 0
	if _, err := large.SVG(200, 150); err == nil {
		t.Error("a logarithmic axis from 0 is drawn")
	}
}

// Labels of numbers of any length lie beside one another.
func TestLabelsDoNotTouch(t *testing.T) {
	c := Chart{Ticks: []float64{100, 200, 12800, 13000, 14000, 25600}}
	for _, x := range c.Ticks {
		c.Series = append(c.Series, Series{Points: []Point{{X: x, Y: x}}})
	}
	svg := must.Get(c.SVG(200, 150))(t)
	for _, want := range []string{">100<", ">12800<", ">25600<"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("%s is missing", want)
		}
	}
	for _, gone := range []string{">200<", ">13000<", ">14000<"} {
		if strings.Contains(string(svg), gone) {
			t.Errorf("%s touches another label", gone)
		}
	}
}

// Axes have marks at round values between their ends, and take values to places.
func TestAxis(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		log       bool
		want      string
	}{
		{0, 1, false, "0 0.2 0.4 0.6 0.8 1"}, {-3, 17, false, "0 5 10 15"},
		{0.0012, 0.0031, false, "0.0015 0.002 0.0025 0.003"},
		{5, 5, false, "3 4 5 6 7"}, {math.Inf(1), math.Inf(-1), true, "0.1 0.2 0.5 1"},
		{1e-4, 0.3, true, "0.0001 0.001 0.01 0.1"}, {3, 3, true, "2 3 4 5 6"},
		{0.003, 0.28, true, "0.005 0.01 0.02 0.05 0.1 0.2"}, {0.019, 0.047, true, "0.02 0.025 0.03 0.035 0.04 0.045"},
		{1e-6, 0.1, true, "10⁻⁶ 10⁻⁵ 0.0001 0.001 0.01 0.1"},
	} {
		a := newAxis(c.low, c.high, c.log)
		var got []string
		for _, mark := range a.ticks {
			if at := a.share(mark.value); at < -1e-9 || at > 1+1e-9 {
				t.Errorf("%v: %g lies at %g", c, mark.value, at)
			}
			if mark.label != "" {
				got = append(got, mark.label)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%g to %g, %v: %q, expected %q", c.low, c.high, c.log, got, c.want)
		}
		if a.share(a.low) != 0 || math.Abs(a.share(a.high)-1) > 1e-12 {
			t.Errorf("%v does not reach from end to end", a)
		}
	}
	a := newAxis(50, 800, false)
	a.mark([]float64{50, 100, 150, 800})
	a.thin(100, func(label string) float64 { return 4 * float64(len(label)) })
	if a.ticks[1].label != "" || a.ticks[2].label != "150" {
		t.Errorf("labels %v", a.ticks)
	}
}

func wellFormed(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// A page holds all that it shows, and escapes text.
func TestPage(t *testing.T) {
	svg := must.Get(chart().Figure(200, 150))(t)
	page := Document{
		Title: "T & T", Findings: []string{"<rop> is first", "so it is"}, Lead: "lead", Command: "superres x",
		Facts: []Fact{{"settings", "a < b"}}, Notes: []string{"note"},
		Sections: []Section{{Title: "first"}, {Title: "section", Text: "text", A: "left & one",
			B: "right", Pictures: []HTML{svg}, Tables: []Table{{
				Head: []string{"N", "rop"}, Rows: [][]Cell{{{Text: "100"},
					{Text: "0.1", Note: "small", Best: true, Picture: Restored(nil, 3, "a\"b", "<mod>")}}},
			}}}},
	}
	var b bytes.Buffer
	must.Succeed(t, page.HTML(&b))
	for _, want := range []string{
		"T &amp; T", "a &lt; b", `data-scene="a&#34;b" data-by="&lt;mod&gt;"`, `class="best"`, "small", "<svg", "note",
		"prefers-color-scheme: dark",
		`<p class="finding">&lt;rop&gt; is first</p>`, `<code>superres x</code>`, `<a href="#section1">section</a>`,
		`<section id="section1" data-a="left &amp; one" data-b="right">`,
		"<main>", "</main>", `tabindex="0" role="region" aria-label="Command"`, `role="img" aria-label="Chart: error`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, outside := range []string{"src=\"http", "href=\"h", "@import", "<script src", "url("} {
		if strings.Contains(b.String(), outside) {
			t.Errorf("the page refers to something outside: %q", outside)
		}
	}
}

func TestTable(t *testing.T) {
	table := Table{Title: "a_b", Head: []string{"digit", "rop|x", "mod"},
		Rows: [][]Cell{{{Text: "5"}, {Text: "0.1 ± 0.2", Best: true, Note: "n"}, {Text: "50 %"}}}}
	for _, c := range []struct {
		write func(Table, io.Writer) error
		want  string
	}{
		{Table.CSV, "digit,rop|x,mod\n5,0.1 ± 0.2,50 %\n"},
		{Table.LaTeX, "\\begin{table}\n\\caption{a\\_b}\n" +
			"\\resizebox{\\ifdim\\width>\\columnwidth\\columnwidth\\else\\width\\fi}{!}{%\n" +
			"\\begin{tabular}{lr}\n\\toprule\ndigit & 5 \\\\\n\\midrule\n" +
			"rop$|$x & \\textbf{0.1 $\\pm$ 0.2} \\\\\nmod & 50 \\% \\\\\n" +
			"\\bottomrule\n\\end{tabular}}\n\\end{table}\n\n"},
	} {
		var b bytes.Buffer
		if err := c.write(table, &b); err != nil || b.String() != c.want {
			t.Errorf("%v\n%q\nexpected\n%q", err, b.String(), c.want)
		}
	}
}

// A name of a picture is text in a spreadsheet: no formula.
func TestHostileNames(t *testing.T) {
	table := Table{Head: []string{"picture", "dB"}}
	for _, name := range []string{`=HYPERLINK("http://x","y")`, "+1+1", "@SUM(A1)", "-a",
		"<img src=x onerror=alert(1)>", "[a](javascript:b)", "a|b"} {
		table.Rows = append(table.Rows, []Cell{{Text: name}, {Text: "-1.5"}})
	}
	var sheet strings.Builder
	must.Succeed(t, table.CSV(&sheet))
	rows, err := csv.NewReader(strings.NewReader(sheet.String())).ReadAll()
	if err != nil || len(rows) != 8 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i, row := range rows[1:] {
		if want := strings.TrimPrefix(row[0], "'"); want != table.Rows[i][0].Text || row[1] != "-1.5" ||
			strings.ContainsAny(row[0][:1], "=+-@") {
			t.Errorf("%q of %q", row, table.Rows[i][0].Text)
		}
	}
}

// SciPy 1.10's wilcoxon gives these probabilities: exact up to 50 differences, and for more by the normal
// approximation. The one of equal differences is counted over all signs.
func TestSignedRank(t *testing.T) {
	wave := make([]float64, 60)
	quarters := make([]float64, 60)
	for i := range wave {
		wave[i] = math.Sin(float64(i+1)*1.7) + 0.2
		quarters[i] = math.RoundToEven(wave[i]*4) / 4
	}
	for name, c := range map[string]struct {
		differences []float64
		p           float64
		positive    bool
	}{
		"5": {wave[:5], 0.4375, true}, "12": {wave[:12], 0.26611328125, true},
		"50": {wave[:50], 0.037166605079788084, true},
		"60": {wave, 0.02382049854030701, true}, "60 with ties": {quarters, 0.012559196250813231, true},
		"ties": {[]float64{1, 1, 2, -1, 3, 2, 4, 0, -2, 1}, 0.12109375, true},
		"all":  {[]float64{-1, -2, -3, -4, -5, -6}, 1. / 32, false},
		"none": {[]float64{0, math.NaN()}, 1, false}, "even": {[]float64{1, -1}, 1, false},
	} {
		if p, positive := SignedRank(c.differences); math.Abs(p-c.p) > 1e-12 || positive != c.positive {
			t.Errorf("%s: p %v, positive %v", name, p, positive)
		}
	}
}

// The interval is Student's, as SciPy 1.10's t.interval has it, and a comparison turned round says the opposite.
func TestCompare(t *testing.T) {
	zero, ahead := make([]float64, 13), make([]float64, 13)
	for i := range ahead {
		ahead[i] = math.Sin(float64(i+1)*1.7) + 0.2
	}
	ahead[12] = math.NaN()
	p := Compare(zero, ahead)
	same := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 || math.IsNaN(a) && math.IsNaN(b) }
	if p.N != 12 || p.Wins+p.Losses != 12 || !same(p.Mean, 0.27751637170545423) || !same(p.Low, -0.20822173356384588) ||
		!same(p.High, 0.7632544769747543) || p.Decided() {
		t.Errorf("%+v", p)
	}
	if back, want := p.Reversed(), Compare(ahead, zero); back != want {
		t.Errorf("%+v, expected %+v", back, want)
	}
	p = Compare([]float64{1, 2, 3, 4, 5, 6, 7}, []float64{2, 3, 4, 5, 6, 7, 7})
	if !p.Decided() || p.Reversed().Decided() || p.Wins != 6 || Probability(p.P) != "p = 0.031" {
		t.Errorf("%+v", p)
	}
	if p = Compare([]float64{1}, []float64{2}); !same(p.Low, math.NaN()) || p.Decided() {
		t.Errorf("%+v", p)
	}
	if p = Compare(nil, nil); !same(p.Mean, math.NaN()) || p.P != 1 {
		t.Errorf("%+v", p)
	}
}

// The p of a ranking are Holm's: for 3 × 0.01, 2 × 0.04 and 1 × 0.03 they are 0.03, 0.06 and, not below the one before,
// 0.06 again.
func TestHolm(t *testing.T) {
	list := []Rank{{Pair: Pair{P: 0.04}}, {Pair: Pair{P: 0.01}}, {Reference: true}, {Pair: Pair{P: 0.03}}}
	holm(list)
	for i, want := range []float64{0.06, 0.03, 0, 0.06} {
		if math.Abs(list[i].P-want) > 1e-15 {
			t.Errorf("%d: %v, expected %v", i, list[i].P, want)
		}
	}
}

// A ranking has the means in order, without those that never were scored, and who alone is the best how often.
func TestRanking(t *testing.T) {
	scores := [][]float64{{3, 3, 3}, {1, 2, 2}, {math.NaN(), math.NaN(), math.NaN()}, {2, 1, 2}}
	var got []string
	for _, r := range Ranking(scores, func(i int) bool { return i == 0 || i == 3 }) {
		got = append(got, fmt.Sprintf("%d %.3g %.3g %d", r.Entrant, r.Mean, r.Pair.Mean, r.Won))
	}
	if fmt.Sprint(got) != "[1 1.67 0 1 3 1.67 0 1 0 3 1.33 0]" {
		t.Error(got)
	}
}

// The headline says who is best, by how much, and how that stands to what learns nothing, as far as chance does not
// explain it.
func TestContest(t *testing.T) {
	eight := []float64{0.10, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.17}
	plus := func(by ...float64) (out []float64) {
		for i, v := range eight {
			out = append(out, v+by[i%len(by)])
		}
		return out
	}
	none := []float64{math.NaN(), math.NaN()}
	for name, c := range map[string]struct {
		plain   float64
		seconds []float64
		scores  [][]float64
		want    string
	}{
		"ahead": {0.1, []float64{2, 0.5, 1}, [][]float64{eight, plus(0.02, 0.03), plus(0.08, 0.08, 0.08, -0.01)},
			"a is the best learner, 0.0250 ahead of b, the next, in mean error, but plain, which learns nothing, is " +
				"better than every learner, with an error of 0.1000 against 0.1350. a is " +
				"better than b in 8 of 8 runs; the mean difference is 0.0250 (95 % interval 0.0205 to 0.0295), p = " +
				"0.023 by the signed-rank test."},
		"below": {0.3, []float64{12, 12.5, 30}, [][]float64{plus(0.04, 0.05), eight, plus(0.2)},
			"b is the best learner, 0.0450 ahead of a, the next, in mean error; c is below plain, which learns " +
				"nothing. b is better than a in 8 of 8 runs"},
		"small": {0.3, []float64{1, 1.1}, [][]float64{eight, plus(0.00002, 0.00003)},
			"a is the best learner, less than 0.0001 ahead of b, the next, in mean error; plain, the best of what " +
				"learns nothing, is behind, with an error of 0.3000 against 0.1350."},
		"tie": {0.3, []float64{1, 9, 9}, [][]float64{eight, plus(0.02, -0.01), plus(0.1)},
			"a and b cannot be told apart; plain, the best of what learns nothing, is behind, with an error of " +
				"0.3000 against 0.1350. a is better than b in 4 of 8 runs; the mean " +
				"difference is 0.0050 (95 % interval −0.0084 to 0.0184), p = 0.29 "},
		// One run is all of the gap, but the order is the same in every one.
		"steady": {0.3, []float64{1, 9}, [][]float64{eight, plus(0.001, 0.002, 0.001, 0.2)},
			"a is the best learner, 0.0510 ahead of b, the next"},
		"few": {0.3, []float64{1, 9}, [][]float64{{0.1, 0.2}, {0.11, 0.23}},
			"a and b cannot be told apart, nor a from plain, which learns nothing, with an error of 0.3000 against " +
				"0.1500. a is better than b in 2 of 2 runs; the mean difference is 0.0200 " +
				"(95 % interval −0.1071 to 0.1471), p > 0.99 by the signed-rank test. With 2 runs no difference can " +
				"be told from chance; take more."},
		"one": {0.3, []float64{1, 9}, [][]float64{{0.1}, {0.2}}, "a and b cannot be told apart, nor a from plain, " +
			"which learns nothing, with an error of 0.3000 against 0.1000. One of the runs " +
			"decides nothing."},
		"failed": {0.3, []float64{1, 9}, [][]float64{{0.1, 0.2}, none}, "a has an error of 0.1500 in the mean; it " +
			"cannot be told apart from plain, which learns nothing, with an error of 0.3000"},
		"by chance": {0.132, []float64{1, 2, 2}, [][]float64{eight, plus(0.02), plus(-0.001, 0.002)},
			"a and c cannot be told apart, nor a from plain, which learns nothing, with an error of 0.1320 against " +
				"0.1350; c and b are below it"},
		"the best by chance": {0.132, []float64{1, 1}, [][]float64{eight, plus(0.02)},
			"a is the best learner, 0.0200 ahead of b, the next, in mean error; a cannot be told apart from plain, " +
				"which learns nothing, with an error of 0.1320 against 0.1350; b is below it"},
		"nothing": {0.3, []float64{1}, [][]float64{none}, "No learner was scored. "},
	} {
		k := Contest{Kind: "learner", Problems: "runs", Measure: Measure{Name: "error", Format: "%.4f",
			Say: "an error of %.4f"}}
		plain := make([]float64, len(c.scores[0]))
		for i := range plain {
			plain[i] = c.plain
		}
		k.Entrants = []Entrant{{Name: "plain", Scores: plain, Seconds: math.NaN()}}
		for i, scores := range c.scores {
			e := Entrant{Name: string(rune('a' + i)), Learns: true, Scores: scores, Seconds: c.seconds[i]}
			if _, all := Mean(Defined(scores)); math.IsNaN(all) {
				e.Seconds = all
			}
			k.Entrants = append(k.Entrants, e)
		}
		if got := k.Headline() + ". " + k.Evidence(); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n%s\nexpected\n%s", name, got, c.want)
		}
	}
	// The p of a table are SciPy 1.10's wilcoxon, here of 8 differences of one sign, times 2 and 1 by Holm's method.
	k := Contest{Problems: "runs", Measure: Measure{Format: "%.2f", More: true}, Entrants: []Entrant{
		{Name: "a", Learns: true, Scores: eight}, {Name: "b", Learns: true, Scores: plus(1)},
		{Name: "c", Scores: plus(-1, 2)}}}
	var text bytes.Buffer
	must.Succeed(t, k.Table().CSV(&text))
	if want := "ranking,,behind b,95 % interval,p,best in runs,seconds\nb,1.14,–,–,–,50 %,0.00\n"; !strings.HasPrefix(
		text.String(), want) || !strings.Contains(text.String(), "a,0.14,1.00,1.00 to 1.00,0.016,0 %,0.00\n") {
		t.Error(text.String())
	}
	data, err := json.Marshal(k.Record())
	if want := `"name":"a","p":0.015625}`; err != nil || strings.Count(string(data), `"p":`) != 2 ||
		!strings.Contains(string(data), want) {
		t.Errorf("%s, %v", data, err)
	}
}

// All formats are of the same tables; numbers of marks and their text stand in each but CSV.
func TestDocument(t *testing.T) {
	d := Document{Findings: []string{"first", "second"}, Lead: "lead", Caption: "Means of 2.",
		Data: map[string]int{"n": 1},
		Sections: []Section{{Maps: []Heat{{Title: "map", X: "N", Y: "S", Columns: []string{"10"}, Rows: []string{"1",
			"2"},
			Shares: [][]float64{{0.5}, {math.NaN()}}}}},
			{Charts: []Chart{chart()}, Tables: []Table{{Title: "t", Head: []string{"a", "b"}, Rows: [][]Cell{
				{{Text: "x"}, {Text: "1", Mark: "falls"}}, {{Text: "y"}, {Text: "2", Mark: "falls"}}}},
				{Head: []string{"drawn", "p"}, Rows: [][]Cell{{{Text: "x"}, {Picture: "<img>"}}}}}}}}
	for name, c := range map[string]struct {
		write func(io.Writer) error
		want  string
	}{
		"text": {d.Text, "first\nsecond\nlead\n\n   map in percent   10\n                2    –\n                1 " +
			"  50\n\n" +
			"   t    b\n   x   1¹\n   y   2¹\n¹ falls\n"},
		"csv":  {d.CSV, "map in percent,10\n2,–\n1,50\n\nt,b\nx,1\ny,2\n"},
		"json": {d.JSON, "{\n  \"n\": 1\n}\n"},
	} {
		var b strings.Builder
		if err := c.write(&b); err != nil || b.String() != c.want {
			t.Errorf("%s: %v\n%s\nexpected\n%s", name, err, b.String(), c.want)
		}
	}
	var tex, page strings.Builder
	must.Succeed(t, errors.Join(d.LaTeX(&tex), d.HTML(&page)))
	if !strings.Contains(tex.String(), `1\textsuperscript{1}`) || !strings.Contains(tex.String(),
		"\\end{tabular}}\n\\par\\footnotesize \\textsuperscript{1} falls\n\\end{table}") ||
		!strings.Contains(tex.String(), `\caption{t. Means of 2.}`) || strings.Contains(tex.String(), "drawn") {
		t.Error(tex.String())
	}
	for _, want := range []string{"1<sup>1</sup>", `<p class="mark"><sup>1</sup> falls</p>`, `class="heat"`,
		`class="chart"`,
		"drawn"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// The spread is that of the middle eight tenths, whatever the outliers.
func TestSpread(t *testing.T) {
	if low, high := Spread([]float64{1e9, 3, 1, 2, 4, 5, 6, 7, 8, 9, 0}); low != 1 || high != 9 {
		t.Errorf("%g to %g", low, high)
	}
	if low, high := Spread([]float64{2, 4}); math.Abs(low-2.2) > 1e-12 || math.Abs(high-3.8) > 1e-12 {
		t.Errorf("%g to %g", low, high)
	}
	if low, _ := Spread(nil); !math.IsNaN(low) {
		t.Error("a spread of nothing")
	}
}

// The best is ahead of all others by more than chance explains; equals are not, nor is one after a single problem.
func TestBest(t *testing.T) {
	low, high := []float64{1, 1.1, 0.9, 1, 1.05, 1, 1, 1}, []float64{2, 2.2, 1.9, 2.1, 2, 2, 2.3, 2.4}
	for name, c := range map[string]struct {
		scores [][]float64
		want   int
	}{
		"ahead": {[][]float64{high, low, high}, 1}, "equals": {[][]float64{low, low, high}, -1},
		"five problems": {[][]float64{low[:5], high[:5]}, -1}, "one " +
			"problem": {[][]float64{low[:1], high[:1]}, -1}, "alone": {[][]float64{low}, -1}, "none": {nil, -1},
		"failed": {[][]float64{{math.NaN(), math.NaN()}, low[:2]}, -1},
	} {
		if got := Best(c.scores); got != c.want {
			t.Errorf("%s: %d, expected %d", name, got, c.want)
		}
	}
}
