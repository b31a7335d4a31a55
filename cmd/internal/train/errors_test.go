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
	consoletest.Blobs(t, dir, 9, 7, "a.png", "b/a.png")
	consoletest.Put(t, filepath.Join(dir, "notes.png"), []byte("Dear all, this is a text"))
	consoletest.Put(t, filepath.Join(dir, "bad.npz"), []byte("PK no zip"))
	program.RefusesLines(t, dir, "train", []consoletest.RefusedLine{
		{"- -o m.npz", 2, "does not read standard input"},
		{"a.png", 2, "-o FILE.npz"},
		{"a.png -o m.txt", 2, "ends in .npz"},
		{"a.png -o " + strings.Repeat("x", 300) + ".npz", 5, "cannot be written"},
		{"a.png -o none/m.npz", 5, "none/m.npz: cannot be written"},
		{"a.png -o bad.npz", 5, "bad.npz exists"},
		{"notes.png -o m.npz", 4, "not an image"},
		{"a.png b/a.png -o m.npz --held-out 1", 4, "a held-out picture of 9×7"},
	})
	program.RefusesLines(t, dir, "train a.png -o m.npz", []consoletest.RefusedLine{
		{"--learner ksdv", 2, `did you mean "ksvd"?`},
		{"--learner exec:./none", 2, "./none: no such program"},
		{"--atoms 0", 2, "--atoms 0"},
		{"--scale 5", 2, "scale 5, expected 2 to 4"},
		{"--atoms 3 --sparsity 9", 2, "more than the 3 atoms"},
		{"--limit -1", 2, "--limit -1"},
		{"--index x", 2, "no whole number from 0 on"},
		{"--max-pixels 0", 2, "--max-pixels 0"},
		{"--degradation blur", 2, "unknown degradation"},
		{"--held-out 1", 2, "none is left to learn from"},
		{"--patch 5", 4, "no patch pair was found"},
		{"--flat NaN", 2, "--flat NaN"},
		{"--sparsity -1", 2, "--sparsity -1"},
		{"--coder opm", 2, `did you mean "omp"?`},
		{"--patch 16 --patches 40000000", 7, "--max-memory"},
		{"--learner rop --patches 20000 --atoms 128", 7, "needs 2.1 GiB"},
		{"--atoms 65536", 2, "number of atoms"},
		{"--symmetries none", 2, "--symmetries"},
		{"--stages 2", 2, "--stages"},
		{"--convolutional --symmetries some", 2, "some"},
	})
	program.Refuses(t, dir, []consoletest.Refusal{
		{Args: []string{"train", "a.png", "-o", "m.npz", "--coder", "exec:" + externaltest.Command("serve")},
			Code: 2, Want: "is a program, which no model may name"},
	})
}
