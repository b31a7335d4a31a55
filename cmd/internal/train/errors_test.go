package train

import (
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/learners/external/externaltest"
)

// Wrong input, wrong usage, wrong models: one clear line, the right exit code, no new file.
func TestTrainErrors(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(9, 7))
	consoletest.WritePicture(t, filepath.Join(dir, "b/a.png"), consoletest.Blob(9, 7))
	consoletest.Put(t, filepath.Join(dir, "notes.png"), []byte("Dear all, this is a text"))
	consoletest.Put(t, filepath.Join(dir, "bad.npz"), []byte("PK no zip"))
	program.Refuses(t, dir, []consoletest.Refusal{
		{Args: []string{"train", "-", "-o", "m.npz"}, Code: 2, Want: "does not read standard input"},
		{Args: []string{"train", "a.png", "-o", "m.npz", "--learner", "ksdv"}, Code: 2, Want: `did you mean "ksvd"?`},
		{Args: []string{"train", "a.png", "-o", "m.npz", "--coder", "exec:" + externaltest.Command("serve")},
			Code: 2, Want: "is a program, which no model may name"},
		{Args: []string{"train", "a.png", "-o", "m.npz", "--learner", "exec:./none"}, Code: 2,
			Want: "./none: no such program"},
		{Args: []string{"train", "a.png", "-o", "m.npz", "--atoms", "0"}, Code: 2, Want: "--atoms 0"},
		{Args: []string{"train", "a.png", "-o", "m.npz", "--scale", "5"}, Code: 2, Want: "scale 5, expected 2 to 4"},
		{Args: []string{"train", "a.png", "-o", "m.npz", "--atoms", "3", "--sparsity", "9"}, Code: 2,
			Want: "more than the 3 atoms"},
		{Args: []string{"train", "a.png", "-o", "m.npz", "--limit", "-1"}, Code: 2, Want: "--limit -1"},
		{Args: []string{"train", "a.png", "-o", "m.npz", "--index", "x"}, Code: 2, Want: "no whole number from 0 on"},
		{Args: []string{"train", "a.png", "-o", "m.npz", "--max-pixels", "0"}, Code: 2, Want: "--max-pixels 0"},
		{Args: []string{"train", "a.png", "-o", strings.Repeat("x", 300) + ".npz"}, Code: 5, Want: "cannot be written"},
		{Args: []string{"train", "a.png", "-o", "m.txt"}, Code: 2, Want: "ends in .npz"},
		{Args: []string{"train", "a.png", "-o", "none/m.npz"}, Code: 5, Want: "none/m.npz: cannot be written"},
		{Args: []string{"train", "a.png", "-o", "m.npz", "--degradation", "blur"}, Code: 2,
			Want: "unknown degradation"},
		{Args: []string{"train", "a.png", "-o", "m.npz", "--held-out", "1"}, Code: 2,
			Want: "none is left to learn from"},
		{Args: []string{"train", "a.png", "b/a.png", "-o", "m.npz", "--held-out", "1"}, Code: 4,
			Want: "a held-out picture of 9×7"},
		{Args: []string{"train", "a.png", "-o", "m.npz", "--patch", "5"}, Code: 4, Want: "no patch pair was found"},
		{Args: []string{"train", "a.png", "-o", "m.npz", "--flat", "NaN"}, Code: 2, Want: "--flat NaN"},
		{Args: []string{"train", "a.png", "-o", "m.npz", "--sparsity", "-1"}, Code: 2, Want: "--sparsity -1"},
		{Args: []string{"train", "a.png", "-o", "m.npz", "--coder", "opm"}, Code: 2, Want: `did you mean "omp"?`},
		{Args: []string{"train", "a.png", "-o", "m.npz", "--patch", "16", "--patches", "40000000"}, Code: 7,
			Want: "--max-memory"},
		{Args: []string{"train", "a.png", "-o", "m.npz", "--learner", "rop", "--patches", "20000", "--atoms", "128"},
			Code: 7, Want: "needs 2.1 GiB"},
		{Args: []string{"train", "a.png", "-o", "m.npz", "--atoms", "65536"}, Code: 2, Want: "number of atoms"},
		{Args: []string{"train", "a.png"}, Code: 2, Want: "-o FILE.npz"},
		{Args: []string{"train", "notes.png", "-o", "m.npz"}, Code: 4, Want: "not an image"},
		{Args: []string{"train", "a.png", "-o", "bad.npz"}, Code: 5, Want: "bad.npz exists"},
	})
}
