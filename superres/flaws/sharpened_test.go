package flaws

import (
	"context"
	"errors"
	"image"
	"image/color"
	"testing"
)

// doubling repeats pixels, adds so many levels, and takes to a checkerboard of them so many more
// or less, which are gone when the picture is reduced again.
func doubling(levels, board int) Double {
	return func(_ context.Context, img image.Image) (image.Image, error) {
		b := img.Bounds()
		out := image.NewGray(image.Rect(0, 0, 2*b.Dx(), 2*b.Dy()))
		for y := range out.Rect.Dy() {
			for x := range out.Rect.Dx() {
				v := int(color.GrayModel.Convert(img.At(b.Min.X+x/2, b.Min.Y+y/2)).(color.Gray).Y)
				out.SetGray(x, y, color.Gray{uint8(v + levels + board*(1-2*((x+y)%2)))})
			}
		}
		return out, nil
	}
}

func flat(w, h int) *image.Gray {
	img := image.NewGray(image.Rect(3, 5, 3+w, 5+h))
	for i := range img.Pix {
		img.Pix[i] = 100
	}
	return img
}

// What both add and what is left decide, in pictures of all shapes, and nothing of what is
// narrow, or drawn. Interpolation is 10 levels off. Where trusting is still l levels off, on a
// board of 20, the share is 20·board/(20² + (10 − l)²), and l/10 is left.
func TestSharpened(t *testing.T) {
	ctx := context.Background()
	plain := doubling(10, 0)
	for _, size := range [][2]int{{16, 16}, {80, 30}, {79, 500}, {700, 400}} {
		img := flat(size[0], size[1])
		for _, c := range []struct {
			left, board int
			want        bool
		}{{0, -5, true}, {0, 0, true}, {0, 10, true}, {0, 11, false}, {0, 25, false}, {1, 12, true}, {1, 13, false},
			{3, 11, true}, {3, 12, false}, {5, 10, false}, {10, 0, false}} {
			got, err := Sharpened(ctx, img, plain, doubling(c.left, 20), doubling(10, c.board))
			if err != nil || got != c.want {
				t.Errorf("%v, %d of 20 levels, with %d of 10 left: %v, %v", size, c.board, c.left, got, err)
			}
		}
		if got, err := Sharpened(ctx, img, plain, plain, doubling(10, 8)); err != nil || got {
			t.Errorf("%v, nothing added: %v, %v", size, got, err)
		}
		if got, err := Sharpened(ctx, img, doubling(0, 0), doubling(0, 20), doubling(0, 8)); err != nil || got {
			t.Errorf("%v, nothing wrong with interpolation: %v, %v", size, got, err)
		}
	}
	for _, size := range [][2]int{{15, 300}, {300, 15}, {1, 1}} {
		if got, err := Sharpened(ctx, flat(size[0], size[1]), plain, doubling(0, 20), plain); err != nil || got {
			t.Errorf("%v: %v, %v", size, got, err)
		}
	}
}

func TestSharpenedErrors(t *testing.T) {
	ctx, img := context.Background(), flat(200, 200)
	broken := errors.New("broken")
	fails := func(context.Context, image.Image) (image.Image, error) { return nil, broken }
	same := func(_ context.Context, img image.Image) (image.Image, error) { return img, nil }
	if _, err := Sharpened(ctx, img, doubling(0, 0), doubling(0, 1), fails); !errors.Is(err, broken) {
		t.Error(err)
	}
	if _, err := Sharpened(ctx, img, doubling(0, 0), same, doubling(0, 0)); err == nil {
		t.Error("a picture that is not twice as large is taken")
	}
	ended, end := context.WithCancel(ctx)
	end()
	if _, err := Sharpened(ended, img, doubling(0, 0), doubling(0, 1), doubling(0, 1)); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
}

// The windows with the most detail are chosen, wherever they lie in the picture.
func TestBusiest(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 1000, 600))
	at := image.Pt(1000-50, 600-50) // in the last window
	for y := range 40 {
		for x := range 40 {
			img.SetGray(at.X+x, at.Y+y, color.Gray{uint8(255 * ((x + y) % 2))})
		}
	}
	list := findBusiest(img)
	if len(list) != sharpenedWindows || detail(list[0]) == 0 || detail(list[1]) != 0 {
		t.Errorf("%d windows, of which the first have %d and %d of detail", len(list), detail(list[0]), detail(list[1]))
	}
	for side, want := range map[int][]int{16: {0}, 100: {14}, 143: {35}, 144: {0, 72}, 288: {0, 72, 144, 216},
		3072: {0, 1000, 2000, 3000}} {
		got := listStarts(side)
		if len(got) != len(want) || got[0] != want[0] || got[len(got)-1] != want[len(want)-1] {
			t.Errorf("a side of %d: %v, expected %v", side, got, want)
		}
	}
}
