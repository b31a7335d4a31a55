package lines

import (
	"context"

	"superres/internal/parallel"
)

// wholeMargin is the number of columns of zeros beside rows that Compute makes.
const wholeMargin = maxTaps

// NewRows returns all rows of a picture of the given size in new memory, with values of 0.
func NewRows(s Size) *Rows {
	r := &Rows{Size: s, margin: wholeMargin, made: s.H}
	length := (s.columns() + 2*wholeMargin) * s.Step
	r.class = &class{length: length, hasFloats: s.Floats}
	r.class.take(s.H)
	for y := range s.H {
		r.offsets = append(r.offsets, (y+1)*length)
	}
	return r
}

// Compute returns what an operation makes of whole pictures, in new memory. It fails only with ctx.Err().
func Compute(ctx context.Context, op Op, in ...*Rows) (*Rows, error) {
	sizes := make([]Size, len(in))
	for i, r := range in {
		sizes[i] = r.Size
	}
	out, together := NewRows(op.Size(sizes)), op.Together()
	err := parallel.For(ctx, (out.H+together-1)/together, 1, func() func(lo, hi int) {
		t := &Task{Out: out, In: in}
		return func(lo, hi int) {
			for y := lo * together; y < min(hi*together, out.H); y += together {
				n := min(together, out.H-y)
				op.Make(t, y, n)
				out.clearMargins(y, n)
			}
		}
	})
	return out, err
}
