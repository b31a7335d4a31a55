package learning

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"superres/internal/must"
)

var (
	folders = flag.String("folders", "", "folders of photographs to learn from, as in a PATH: see .ci/estimators")
	file    = flag.String("file", "", "the file of package learned to make; bounds or check: to print")
	keep    = flag.String("keep", "", "the folder for checkpoints of the softener")
	share   = flag.Float64("share", 1, "the share of the samples to learn from")
)

// TestMakeEstimator makes a file that package learned has embedded again, for .ci/estimators.
func TestMakeEstimator(t *testing.T) {
	if *folders == "" {
		t.Skip("-folders is not given")
	}
	o := Options{Folders: filepath.SplitList(*folders), Share: *share, Report: os.Stdout, Checkpoints: *keep}
	slices.Sort(o.Folders)
	switch *file {
	case "check":
		must.Succeed(t, Check(t.Context(), os.Stdout, o))
	case "bounds":
		for _, w := range must.Get(Bounds(t.Context(), o))(t) {
			fmt.Printf("%.4f\n", w)
		}
	default:
		data := must.Get(Make(t.Context(), *file, o))(t)
		must.Succeed(t, os.WriteFile(filepath.Join("..", *file), data, 0o666))
	}
}
