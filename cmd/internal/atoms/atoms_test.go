package atoms

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/learn"
	"superres/cmd/internal/models"
	"superres/cmd/internal/train"
	"superres/cmd/internal/upscale"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/internal/npz"
	"superres/superres/coupled"
	embedded "superres/superres/models"
)

// program has the command of this package and other commands that its tests use.
var program = consoletest.Of(Command, models.Command, upscale.Command, learn.Command, train.Command)

func TestMain(m *testing.M) { program.Main(m) }

var call, ok = program.Call, program.Succeeds

// hopper writes the test picture to the folder dir.
func hopper(t *testing.T, dir string) {
	t.Helper()
	consoletest.Put(t, filepath.Join(dir, "hopper.png"), consoletest.Read(t, golden.Root(t), "testdata", "hopper.png"))
}

// coupledBuiltins returns the scales of the embedded models that are one coupled stage, by name.
func coupledBuiltins(t *testing.T) map[string]int {
	t.Helper()
	list := map[string]int{}
	for _, name := range embedded.Names() {
		m := must.Get(models.Open(t.Context(), name))(t)
		if stages, err := coupledStages(name, m); err == nil && len(stages) == 1 {
			if _, whole := coupled.RecipeOf(m.Scale, m.Degradation, m.Kernel, m.Stages, stages[0]); whole {
				list[name] = m.Scale
			}
		}
	}
	return list
}

// halvesOf returns small halves D_L (4×3) and D_H (16×3) for 2×2 patches at scale 2: an edge, a dot, and what is
// nearly the edge again.
func halvesOf() (low, high *mat.Dense) {
	low, high = mat.NewDense(4, 3, nil), mat.NewDense(16, 3, nil)
	low.SetCol(0, []float64{1, -1, 1, -1})
	low.SetCol(1, []float64{0, 0, 0, 0.5})
	low.SetCol(2, []float64{1, -1, 1, -0.95})
	for i := range 16 {
		high.Set(i, 0, float64([]int{2, 2, -2, -2}[i%4]))
		high.Set(i, 1, float64(i/15))
		high.Set(i, 2, float64(3-i%4)/2)
	}
	return low, high
}

// putHalves writes the halves to the .npz file path, as arrays called lowName and highName, with texts.
func putHalves(t *testing.T, path, lowName, highName string, texts ...npz.Text) {
	t.Helper()
	low, high := halvesOf()
	var b bytes.Buffer
	must.Succeed(t, npz.Write(&b, texts, []npz.Matrix{{Name: lowName, Data: low}, {Name: highName, Data: high}}))
	consoletest.Put(t, path, b.Bytes())
}

// putStacked writes the halves to the file path as one matrix D = [D_L; D_H].
func putStacked(t *testing.T, path string) {
	t.Helper()
	low, high := halvesOf()
	var d mat.Dense
	d.Stack(low, high)
	consoletest.PutMatrix(t, path, &d)
}

// Wrong input, wrong usage and wrong files are refused with one clear line, the right exit code and no new file.
func TestDictErrors(t *testing.T) {
	dir := t.TempDir()
	text := func(s string) npz.Text { return npz.StringArray("parameters", s) }
	at := func(name string) string { return filepath.Join(dir, name) }
	hopper(t, dir)
	putHalves(t, at("good.npz"), "low", "high")
	putHalves(t, at("odd.npz"), "Dl", "Dh")
	putHalves(t, at("swapped.npz"), "high", "low")
	for name, parameters := range map[string]string{
		"typo":  `{"maen": true}`,
		"text":  `Dear all`,
		"newer": `{"format": 2}`,
		"scale": `{"scale": 3}`,
		"blur":  `{"degradation": "blur"}`,
		"coder": `{"coder": "opm"}`,
		"many":  `{"coder": "omp:sparsity=9"}`,
	} {
		putHalves(t, at(name+".npz"), "low", "high", text(parameters))
	}
	putHalves(t, at("long.npz"), "low", "high", text(`{"provenance": {"command": "`+strings.Repeat("x", 1<<20-1000)+
		`"}}`))
	putHalves(t, at("number.npz"), "low", "high",
		npz.Text{Name: "parameters.npy", Data: consoletest.Read(t, writeNPY(t, dir))})
	putStacked(t, at("D.npy"))
	consoletest.PutMatrix(t, at("rows.npy"), mat.NewDense(21, 3, nil))
	consoletest.PutMatrix(t, at("atoms.npy"), mat.NewDense(20, 4097, nil))
	consoletest.PutMatrix(t, at("huge.npy"), constant(20, 3, 1e200))
	consoletest.PutMatrix(t, at("large.npy"), constant(20, 3, 1e100))
	consoletest.PutMatrix(t, at("big.npy"), mat.NewDense(2, 20000, nil))
	consoletest.Put(t, at("nan.csv"), []byte("1,2\n3,NaN\n"))
	consoletest.Put(t, at("bad.npz"), []byte("PK\x03\x04 no zip"))
	consoletest.Put(t, at("exists.npz"), []byte("old"))
	consoletest.Put(t, at("exists.png"), []byte("old"))
	ok(t, dir, "dict", "import", "good.npz", "-o", "m.npz")
	half := consoletest.Read(t, dir, "m.npz")
	consoletest.Put(t, at("half.npz"), half[:len(half)/2])
	program.RefusesLines(t, dir, "dict", []consoletest.RefusedLine{
		{"shwo photo", 2, `unknown dict command "shwo"; did you mean "show"?`},
		{"--json photo", 2, "expected show, export, import first"},
		{"show", 2, "no model to show"},
		{"show --jsno photo", 2, `did you mean "--json"?`},
		{"show foto", 6, `did you mean "photo"?`},
		{"show none.npz", 6, "none.npz cannot be read"},
		{"show none.npy", 4, "none.npy: does not exist"},
		{"show bad.npz", 6, "bad.npz: not an .npz file"},
		{"show half.npz", 6, "half.npz: not an .npz file"},
		{"show .", 4, "is a folder"},
		{"show bicubic", 2, "bicubic is a plain interpolation and has no atoms; name a trained model"},
		{"show m.npz none.png", 4, "none.png: does not exist"},
		{"show D.npy hopper.png", 2, "D.npy does not say how pictures are coded over it"},
		{"show good.npz hopper.png", 2, "superres dict import"},
		{"show odd.npz", 2, "holds 2 arrays (Dl Dh), expected one"},
		{"show D.npy --zoom 2", 2, "say where it goes with -o"},
		{"show D.npy -o new.gif", 2, "-o new.gif: expected a name that ends in .png"},
		{"show D.npy -o exists.png", 5, "exists.png exists; use --on-exist overwrite"},
		{"show D.npy -o none/new.png", 5, "none/new.png: cannot be written"},
		{"show big.npy --zoom 64 -o new.png", 7, "needs 3.0 GiB, the limit is 2.0 GiB; use --max-memory or fewer"},
		{"show atoms.npy --zoom 64 -o new.png", 7,
			"new.png: the atoms take 22544×18040 pixels, more than 100 million; use a smaller --zoom"},
		{"show nan.csv", 4, "NaN is not finite"},
		{"export", 2, "no model; superres dict export --help shows examples"},
		{"export m.npz", 2, "say where the atoms go with -o"},
		{"export photo digits -o new.npy", 2, `2 names, expected one model: "photo" and "digits"`},
		{"export m.npz -o new.txt", 2, "-o new.txt: its extension says no format"},
		{"export m.npz -o exists.npz", 5, "exists.npz exists; use --on-exist overwrite"},
		{"export m.npz -o m.npz --on-exist overwrite", 5, "m.npz: -o would write over the input"},
		{"export lanczos -o new.npy", 2, "plain interpolation"},
		{"export D.npy -o new.npy", 6, "D.npy: not an .npz file"},
		{"export good.npz -o new.npy", 6, "not a superres model"},
		{"import", 2, "no dictionary; superres dict import --help shows examples"},
		{"import D.npy", 2, "say where the model goes with -o"},
		{"import D.npy -o new.npy", 2, "a model file ends in .npz"},
		{"import D.npy -o exists.npz", 5, "exists.npz exists; use --on-exist overwrite"},
		{"import good.npz -o good.npz --on-exist overwrite", 5, "would write over the input"},
		{"import D.npy -o new.npz --degradation blur", 2, "unknown degradation"},
		{"import D.npy -o new.npz --coder opm", 2, `did you mean "omp"?`},
		{"import D.npy -o new.npz --sparsity 40", 2, "sparsity 40 is more than the 3 atoms"},
		{"import D.npy -o new.npz --back-projection 1001", 2, "1001 back-projections, expected 0 to 1000"},
		{"import odd.npz -o new.npz", 2, "holds the arrays Dl Dh, but not both low and high"},
		{"import swapped.npz -o new.npz", 4, "arrays low and high: halves of 16 and 4 rows are no pair of patches"},
		{"import typo.npz -o new.npz", 4, `unknown field "maen"`},
		{"import text.npz -o new.npz", 4, "array parameters: damaged; expected the JSON"},
		{"import newer.npz -o new.npz", 4, "array parameters has format 2, this program knows up to 1; use a newer " +
			"superres"},
		{"import scale.npz -o new.npz", 4, "array parameters says another scale"},
		{"import blur.npz -o new.npz", 4, "array parameters: unknown degradation"},
		{"import coder.npz -o new.npz", 4, `array parameters: unknown coder "opm"`},
		{"import many.npz -o new.npz --sparsity 9", 2, "sparsity 9"},
		{"import blur.npz -o new.npz --degradation blru", 2, "unknown degradation"},
		{"import many.npz -o new.npz", 4, "sparsity 9 is more than the 3 atoms"},
		{"import long.npz -o new.npz", 4, "makes a model that cannot be loaded"},
		{"import number.npz -o new.npz", 4, "expected a single text"},
		{"import m.npz -o new.npz", 4, "is a model already; use it with superres upscale -m"},
		{"import rows.npy -o new.npz", 4, "is 21×3: 21 rows are no patch above another, expected P²·(1 + S²)"},
		{"import atoms.npy -o new.npz", 4, "4097 atoms, a model has up to 4096"},
		{"import huge.npy -o new.npz", 4, "huge.npy: the low half: atom 0 of the dictionary is not finite"},
		{"import large.npy -o new.npz", 4, "large.npy: the low half: atom 0 of the dictionary is not finite"},
		{"import nan.csv -o new.npz", 4, "nan.csv"},
		{"import bad.npz -o new.npz", 4, "bad.npz: not an .npz file"},
		{"import none.npz -o new.npz", 4, "none.npz: does not exist"},
		{"import hopper.png -o new.npz", 4, "is neither .npy nor .npz nor text"},
		{"import atoms.npy -o new.npz --max-memory 1", 7, "more than half of the limit"},
		{"import - -o new.npz", 4, "standard input: is empty"},
	})
	t.Chdir(dir)
	for _, args := range [][]string{{"export", "m.npz"}, {"show", "m.npz"}} {
		errs, code := program.Into(consoletest.Broken{}, append([]string{"dict"}, append(args, "-o", "-")...)...)
		if code != 5 || !strings.Contains(errs, "standard output cannot be written") {
			t.Errorf("%v to a broken pipe: exit %d, %s", args, code, errs)
		}
	}
}

func constant(rows, cols int, v float64) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	m.Apply(func(_, _ int, _ float64) float64 { return v }, m)
	return m
}

// writeNPY writes a number where a text is expected and returns its path.
func writeNPY(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "one.npy")
	consoletest.PutMatrix(t, path, mat.NewDense(1, 1, []float64{1}))
	return path
}
