package flaws

import (
	"image"
	"testing"

	"superres/internal/must"
)

// examined returns the examination of img by the steps from first to last.
func examined(t *testing.T, img image.Image, first, last Step) *Examination {
	t.Helper()
	x := &Examination{Picture: img, MostCopies: 16}
	must.Succeed(t, x.Run(t.Context(), first, last))
	return x
}

// judged returns the examination of img that takes it to have the flaws f.
func judged(t *testing.T, img image.Image, f Flaws) *Examination {
	t.Helper()
	x := &Examination{Picture: img}
	x.judgeBy(f)
	must.Succeed(t, x.Run(t.Context(), StepBlur, StepSoftening))
	return x
}
