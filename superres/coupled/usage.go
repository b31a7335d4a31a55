package coupled

import (
	"context"
	"image"

	"superres/internal/picture"
	"superres/patches"
)

// Usage counts how often each atom is used when the stage enlarges a picture once: of count patches of its
// brightness, uses[k] have atom k in their code.
func (c *Stage) Usage(ctx context.Context, img image.Image) (uses []int, count int, err error) {
	whole := picture.Split(img).Luma().Extend(c.Patch, c.Patch)
	grid := patches.Grid{W: whole.W, H: whole.H, Size: c.Patch, Step: 1}
	_, k := c.Low.Dims()
	uses = make([]int, k)
	rows := max(1, togetherBytes/(grid.Cols()*c.patchBytes()))
	var cut []float32
	for from := 0; from < grid.Rows(); from += rows {
		cut = grid.ExtractRows(whole, from, min(from+rows, grid.Rows()), cut)
		codes, _, err := c.code(ctx, cut)
		if err != nil {
			return nil, 0, err
		}
		for i, n := range codes.Usage() {
			uses[i] += n
		}
	}
	return uses, grid.Len(), nil
}
