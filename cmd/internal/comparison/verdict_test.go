package comparison

import (
	"errors"
	"fmt"
	"image"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/recovery"
	"superres/cmd/internal/scoring"
	"superres/internal/must"
)

// program is the program of this package, and of what its tests need besides.
var program = consoletest.Of(Command, recovery.Command)

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call

// scored are tests with these errors.
func scored(errors ...float64) (list []restored) {
	for _, v := range errors {
		list = append(list, restored{Cell: scoring.Cell{NFE: console.Finite(v)}})
	}
	return list
}

// restorations returns the findings of learners whose errors are given: for each learner an entry for every run or, if
// there is one run, for every picture. seconds has the time that each learner takes to learn.
func restorations(tests int, given float64, seconds []float64, errors ...[]float64) findings {
	f := findings{comparison: &comparison{}}
	f.opt.Learners = []string{"rop", "mod", "ksvd"}[:len(errors)]
	f.opt.Protocol.runs, f.opt.Protocol.back = 1, 20
	if tests == 1 {
		f.opt.Protocol.runs = len(errors[0])
	}
	f.forms = f.opt.forms()
	for i := range tests {
		f.data.tests = append(f.data.tests, testPicture{name: fmt.Sprint("picture ", i)})
	}
	f.baselines = []baseline{{name: "bicubic", plain: true, scores: scored(slices.Repeat([]float64{given}, tests)...)}}
	for run := range f.opt.Protocol.runs {
		for i, list := range errors {
			one := result{task: task{Learner: f.opt.Learners[i], Run: run}, Seconds: seconds[i]}
			switch {
			case list == nil:
				one.Failure = "no"
			case tests == 1:
				one.Plain = scored(list[run])
			default:
				one.Plain = scored(list...)
			}
			one.Projected = one.Plain
			f.results = append(f.results, one)
		}
	}
	return f
}

// verdicts begins with the kind of model that is shown, and ends with the other.
func TestVerdicts(t *testing.T) {
	f := restorations(1, 0.3, []float64{12, 12.5}, []float64{0.14, 0.16, 0.16, 0.18, 0.18, 0.2, 0.2, 0.22},
		[]float64{0.10, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.17})
	consoletest.InOrder(t, strings.Join(f.verdicts(), "|"), "mod is the best learner, 0.0450 ahead of rop, the next, "+
		"in mean error; bicubic, the best of what learns nothing, is behind, with an error of 0.3000 against 0.1350.|"+
		"That is as in the paper, without back-projection. mod is better than rop "+
		"in 8 of 8 runs",
		"|With 20 back-projections: mod is the best")
	if got := restorations(1, 0.3, []float64{1}, nil).verdicts()[0]; got != "No learner was scored." {
		t.Error(got)
	}
}

// What ranks need to be read stands with them: the error of a learner that has no coder with as many non-zeros as the
// others, whose error still fell, and why the paper has other figures, which LaTeX has too.
func TestMarks(t *testing.T) {
	f := restorations(1, 0.3, []float64{1, 1}, []float64{0.1}, []float64{0.2})
	f.specs = map[string]string{"rop": "rop", "mod": "mod"}
	f.opt.Coder, f.data.tests[0].paper, f.data.tests[0].img = "omp:sparsity=3", paperTable1[5], image.NewGray(
		image.Rect(0, 0, 2, 2))
	f.results[0].NonZeros, f.results[0].RMSE, f.results[0].Coded = 66, 0.01, 0.09
	f.results[1].NonZeros, f.results[1].RMSE, f.results[1].Least, f.results[1].Falling = 3, 0.05, 0.04, true
	f.opt.Protocol.patches = 144
	var page, tex strings.Builder
	must.Succeed(t, errors.Join(f.document().HTML(&page), f.document().LaTeX(&tex)))
	for _, text := range []string{page.String(), tex.String()} {
		for _, want := range []string{"patches have an RMSE of 0.0100", "coded so, its patches have an RMSE of 0.0900",
			"mod: the error still fell at the last iteration in 1 run.", "  the paper", "0.4757", "0.05000", "0.04000",
			"it states neither the picture that was learned from nor how patches were coded"} {
			if !strings.Contains(text, want) {
				t.Errorf("it lacks %q:\n%s", want, text)
			}
		}
	}
}

// The page begins with the pictures on which the learners of the first run differ most, out of all that were kept.
func TestContrasts(t *testing.T) {
	rop, mod := slices.Repeat([]float64{0.1}, 60), slices.Repeat([]float64{0.1}, 60)
	rop[20], mod[30], mod[59] = 0.2, 0.4, 0.9
	f := restorations(60, 0.3, []float64{1, 1}, rop, mod)
	list := f.contrasts()
	if len(list) != maxShown || list[0].test != 30 || list[1].test != 20 || list[2].test != 0 {
		t.Fatalf("%+v", list)
	}
	if got := f.explain(list); got != "They differ most on picture 30: rop has an error of 0.1000, mod an "+
		"error of 0.4000. The other pictures follow in the order of that difference. 48 pictures are not shown. " {
		t.Error(got)
	}
	f = restorations(2, 0.3, []float64{1}, []float64{0.1, 0.2}) // one learner
	if list := f.contrasts(); len(list) != 2 || list[0].test != 0 || f.explain(list) != "" {
		t.Errorf("%+v", list)
	}
}

// In a browser the report opens on the best learner beside the next, a finger moves the divider between them, and
// nothing is wider than a phone.
func TestReportInBrowser(t *testing.T) {
	b := consoletest.OpenBrowser(t)
	dir := t.TempDir()
	idx(t, filepath.Join(dir, "train-images-idx3-ubyte"), 10)
	program.Succeeds(t, dir, "compare", "--protocol", "pooled", "--images", "train-images-idx3-ubyte", "--index", "3",
		"--learners", "mod,rop,ksvd", "--seeds", "1", "--atoms", "16", "--patches", "60", "--iterations", "3", "-q",
		".", "-o", "out")
	b.Window(400, 800, true)
	b.Open(filepath.Join(dir, "out", "report.html"), "", "document.querySelector('.stage')")
	if got := b.Eval("document.documentElement.scrollWidth"); got != 400. {
		t.Errorf("the page is %v pixels wide", got)
	}
	if got := b.Eval("(s => [...document.querySelector('.viewer').querySelectorAll('select')].slice(1).every(" +
		"(e, i) => e.selectedOptions[0].text === [s.a, s.b][i]) && s.a !== s.b && s.a.endsWith(', as in the paper'))" +
		"(document.querySelector('.stage').closest('section').dataset)"); got != true {
		t.Error("the viewer does not open on the best learner and the next")
	}
	b.Eval("document.querySelector('.stage').scrollIntoView({block: 'center'})")
	at, _ := b.Eval("(r => [r.left, r.top, r.width])(document.querySelector('.stage').getBoundingClientRect())").([]any)
	left, top, width := at[0].(float64), at[1].(float64), at[2].(float64)
	b.Touch("touchStart", [2]float64{left + width/2, top + 50})
	b.Touch("touchMove", [2]float64{left + width/4, top + 50})
	b.Touch("touchEnd")
	split, _ := b.Eval("parseFloat(document.querySelector('.stage').style.getPropertyValue('--split'))").(float64)
	if split < 24 || split > 26 {
		t.Errorf("the divider is at %v %%", split)
	}
}

// A folder is one command's: the reports of another are not written over.
func TestFoldersOfReports(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "train-images-idx3-ubyte")
	idx(t, file, 30)
	commands := map[string][]string{
		"recover": {"recover", "--learners", "mod", "--panel", "8,12,2", "--n", "30", "--trials", "1", "--iterations",
			"2", "-q"},
		"compare": {"compare", "--protocol", "pooled", "--images", file, "--limit", "1", "--learners", "mod",
			"--seeds", "1", "--atoms", "4", "--patches", "9", "--iterations", "1", "-q", dir},
	}
	for first, args := range commands {
		out := filepath.Join(dir, first+"s")
		program.Succeeds(t, dir, append(slices.Clone(args), "-o", out)...)
		before := consoletest.Results(t, out)
		for second, args := range commands {
			_, stderr, code := call(t, dir, "", append(slices.Clone(args), "-o", out)...)
			if second == first && code != 0 {
				t.Errorf("%s again: exit %d, %s", first, code, stderr)
			}
			if want := "has the results of superres " + first + "; use another -o"; second != first &&
				(code != 5 || !strings.Contains(stderr, want)) {
				t.Errorf("%s after %s: exit %d, %s", second, first, code, stderr)
			}
		}
		if after := consoletest.Results(t, out); !maps.Equal(before, after) {
			t.Errorf("the report of %s was changed", first)
		}
	}
}

// The curves of errors have the axis of those that are above 0, and errors of 0 its foot.
func TestCurves(t *testing.T) {
	f := restorations(1, 0.3, []float64{1, 1}, []float64{0.1}, []float64{0.1})
	f.results[0].Curve = []curvePoint{{1, 0.1, 0.3}, {2, 0.2, 0.15}}
	f.results[1].Curve = []curvePoint{{1, 0.1, 0}}
	if c, below := f.curves(false); !below || math.Abs(c.Floor-0.05) > 1e-12 {
		t.Errorf("with an error of 0: floor %g, below %v", c.Floor, below)
	}
	f.results[1].Curve = []curvePoint{{1, 0.1, 0.002}}
	if c, below := f.curves(true); below || c.Floor > 0.002 {
		t.Errorf("without: floor %g, below %v", c.Floor, below)
	}
}
