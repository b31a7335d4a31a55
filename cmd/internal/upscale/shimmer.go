package upscale

import (
	"context"
	"image"
	"image/color"
	"io"
	"math"
	"slices"

	"superres/internal/imagefile"
	"superres/internal/safefile"
	"superres/internal/y4m"
)

// shimmers is the noise, in levels of 255, from which it is taken away from frames, and
// stillLevel the least level at which that leaves less of it than interpolation does.
const (
	shimmers   = 0.2
	stillLevel = 3.0 / 25
)

// ahead is the beginning of a stream, which decides by which model all of it is enlarged: its
// first frame, and the second, or why there is none.
type ahead struct {
	list []made[*y4m.Frame]
	in   *y4m.Reader
}

// readAhead reads the beginning. It fails only when there is no first frame.
func readAhead(in *y4m.Reader) (a ahead, err error) {
	a.in = in
	for range 2 {
		var m made[*y4m.Frame]
		if m.frame, m.err = in.Next(); len(a.list) == 0 && m.err == io.EOF {
			return a, safefile.Refuse(safefile.ErrInput, "", "has no frames")
		} else if len(a.list) == 0 && m.err != nil {
			return a, m.err
		}
		if a.list = append(a.list, m); m.err != nil {
			break
		}
	}
	return a, nil
}

// next returns the next frame of the stream, from the first.
func (a *ahead) next() (*y4m.Frame, error) {
	if len(a.list) == 0 {
		return a.in.Next()
	}
	m := a.list[0]
	if a.list = a.list[1:]; m.err != nil {
		a.list = []made[*y4m.Frame]{m} // it stays so
	}
	return m.frame, m.err
}

// ofFrames chooses what enlarges the frames of a stream.
func (e engines) ofFrames(ctx context.Context, a ahead) (c choice, err error) {
	first := &imagefile.Picture{Image: a.in.Brightness(a.list[0].frame)}
	if len(a.list) < 2 || a.list[1].err != nil {
		return e.ofMoving(ctx, first, nil)
	}
	return e.ofMoving(ctx, first, a.in.Brightness(a.list[1].frame))
}

// ofMoving is of for what moves: by its first frame, as by a picture. Noise that a picture is as
// well with is taken away, too, if it is another in the second frame, where there is one:
// sharpened, what stands still would shimmer more than with interpolation.
func (e engines) ofMoving(ctx context.Context, first *imagefile.Picture, second image.Image) (c choice, err error) {
	c, err = e.of(ctx, first)
	if err != nil || c.found == nil || c.level >= stillLevel || second == nil {
		return c, err
	}
	noise := min(c.found.Likely, change(first.Image, second))
	if noise < shimmers {
		return c, nil
	}
	c.found.Noise, c.found.Sharpened, c.shade = noise, false, 0
	c.level = max(stillLevel, c.found.Strength())
	c.engine, err = e.at(c.level)
	return c, err
}

// change is the noise that two frames have, each its own, in levels of 255: the root mean
// square of their difference in blocks, of which the lower quartile is taken, where nothing
// moves, over √2.
func change(a, b image.Image) float64 {
	at := func(img image.Image) func(x, y int) float64 {
		switch g := img.(type) {
		case *image.Gray:
			return func(x, y int) float64 { return float64(g.Pix[y*g.Stride+x]) }
		case *image.Gray16:
			return func(x, y int) float64 { return float64(g.Gray16At(x, y).Y) / 0x101 }
		}
		return func(x, y int) float64 {
			return float64(color.Gray16Model.Convert(img.At(x, y)).(color.Gray16).Y) / 0x101
		}
	}
	const side = 8
	before, after, size := at(a), at(b), a.Bounds().Size()
	var blocks []float64 // the mean squares
	for top := 0; top+side <= size.Y; top += side {
		for left := 0; left+side <= size.X; left += side {
			sum := 0.0
			for i := range side * side {
				d := before(left+i%side, top+i/side) - after(left+i%side, top+i/side)
				sum += float64(d * d)
			}
			blocks = append(blocks, sum/(side*side))
		}
	}
	if len(blocks) == 0 {
		return 0
	}
	slices.Sort(blocks)
	return math.Sqrt(blocks[len(blocks)/4] / 2)
}
