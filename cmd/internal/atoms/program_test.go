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
	"superres/internal/npz"
	"superres/superres/coupled"
	embedded "superres/superres/models"
)

// program is the program of this package, and of what its tests need besides.
var program = consoletest.Of(Command, models.Command, upscale.Command, learn.Command, train.Command)

func TestMain(m *testing.M) { program.Main(m) }

var call, ok = program.Call, program.Succeeds

// Every way of asking for help shows it.
func TestDictHelp(t *testing.T) {
	for _, args := range [][]string{{"dict"}, {"dict", "help"}, {"dict", "--help"}, {"dict", "-h"}, {"help", "dict"}} {
		stdout, stderr := ok(t, ".", args...)
		consoletest.InOrder(t, stdout, "superres dict: ", "EXAMPLES\n   superres dict show ", "COMMANDS\n   show ",
			"   export ", "   import ")
		if stderr != "" {
			t.Errorf("%v: %s", args, stderr)
		}
	}
	for _, c := range []string{"show", "export", "import"} {
		for _, args := range [][]string{{"dict", c, "--help"}, {"dict", c, "-h", "x"}} {
			if stdout, stderr := ok(t, ".", args...); stderr != "" ||
				!strings.HasPrefix(stdout, "superres dict "+c+": ") ||
				!strings.Contains(stdout, "EXAMPLES\n   superres dict "+c) {
				t.Errorf("%v: %s%s", args, stdout, stderr)
			}
		}
	}
}

// hopper puts the test picture into a folder.
func hopper(t *testing.T, dir string) {
	t.Helper()
	consoletest.Put(t, filepath.Join(dir, "hopper.png"), consoletest.Read(t, golden.Root(t), "testdata", "hopper.png"))
}

// coupledBuiltins lists the models that need no file and are one coupled stage, and their scales.
func coupledBuiltins(t *testing.T) map[string]int {
	t.Helper()
	list := map[string]int{}
	for _, name := range embedded.Names() {
		m, err := models.Open(name)
		if err != nil {
			t.Fatal(err)
		}
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

// putHalves writes an .npz file with the halves, under names of their own.
func putHalves(t *testing.T, path, lowName, highName string, texts ...npz.Text) {
	t.Helper()
	low, high := halvesOf()
	var b bytes.Buffer
	if err := npz.Write(&b, texts, []npz.Matrix{{Name: lowName, Data: low}, {Name: highName, Data: high}}); err != nil {
		t.Fatal(err)
	}
	consoletest.Put(t, path, b.Bytes())
}

// putStacked writes D = [D_L; D_H].
func putStacked(t *testing.T, path string) {
	t.Helper()
	low, high := halvesOf()
	var d mat.Dense
	d.Stack(low, high)
	consoletest.PutMatrix(t, path, &d)
}
