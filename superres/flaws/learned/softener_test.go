package learned

import (
	"bytes"
	"image"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/disintegration/imaging"

	"superres/internal/degrade"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/superres/convolutional"
	"superres/superres/flaws/repair"
)

// A photograph is softened if it was sharpened, the more the more it was, and nearly left alone if it was not.
func TestSoftenFollowsSharpening(t *testing.T) {
	photo := golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png"))
	clean := imaging.Grayscale(imaging.Resize(photo, 96, 96, imaging.CatmullRom))
	const least = 1.1
	last := least
	for _, amount := range []float64{0, 0.4, 0.8, 1.3} {
		p := &degrade.Plane{W: 96, H: 96}
		for i := 0; i < len(clean.Pix); i += 4 {
			p.Pix = append(p.Pix, float32(clean.Pix[i]))
		}
		degrade.Degradation{Sharpen: amount}.Apply(nil, p)
		img := image.NewGray(image.Rect(0, 0, 96, 96))
		for i, v := range p.Pix {
			img.Pix[i] = uint8(v)
		}
		said := must.Get(must.Get(OwnSoftener())(t).Soften(t.Context(), img))(t)
		got := said.Correction.Sharpening()
		if amount == 0 && got > least || amount > 0 && got < last {
			t.Errorf("sharpened by %g: a sharpening of %.2f, the one before has %.2f", amount, got, last)
		}
		if amount > 0 {
			last = got
		}
	}
}

// A softener is the same after it was written and read, and damaged files are refused.
func TestSoftenerFile(t *testing.T) {
	var file bytes.Buffer
	ours := must.Get(OwnSoftener())(t)
	must.Succeed(t, ours.Write(&file))
	read := must.Get(ReadSoftener(file.Bytes()))(t)
	img := imaging.Sharpen(golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png")), 1)
	a := must.Get(read.Soften(t.Context(), img))(t)
	b := must.Get(ours.Soften(t.Context(), img))(t)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%v and, as it was written, %v", a, b)
	}
	if _, err := ReadSoftener(file.Bytes()[:file.Len()/2]); err == nil {
		t.Error("half a file was read")
	}
	network := must.Get(convolutional.NewStage(convolutional.NewNetwork(convolutional.Architecture{
		Scale: SoftenerScale, Channels: 16, Depth: 1,
	})))(t)
	one := Sharpening{Correction: repair.Correction{repair.Octave}}
	for _, classes := range [][]Sharpening{
		nil, {{}}, {one, one}, {{}, {Plain: 2}}, make([]Sharpening, SoftenerResults/2),
	} {
		if _, err := NewSoftener(network, classes); err == nil {
			t.Errorf("classes %v were taken", classes)
		}
	}
	if _, err := NewSoftener(network, make([]Sharpening, SoftenerResults/2-1)); err != nil {
		t.Error(err)
	}
}

// How much a sample tells rises from 0 to 1 as the logistic function does.
func TestTells(t *testing.T) {
	for _, x := range []float64{-9, -0.3, -0.05, 0, 0.01, 0.2, 1, 9} {
		got := float64(weightOf(int64(x*(1<<numberBits)))) / repair.One
		if want := 1 / (1 + math.Exp(-TellingGain*x)); math.Abs(got-want) > 0.003 {
			t.Errorf("%g tells %.4f, expected %.4f", x, got, want)
		}
	}
}

// The parts that are looked at lie in the picture; of a large one they reach all edges, of a small one they are all.
func TestSoftenerWindows(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {56, 300}, {80, 80}, {160, 191}, {200, 2000}} {
		bounds := image.Rectangle{Max: size}.Add(image.Pt(5, 7))
		var union image.Rectangle
		area := 0
		for group := range listWindows(bounds) {
			if isLarge := max(size.X, size.Y) > 160; isLarge && len(group) > 1 {
				t.Errorf("%v: %d windows before it may end", bounds, len(group))
			}
			for _, w := range group {
				if !w.In(bounds) || w.Empty() {
					t.Errorf("%v: %v", bounds, w)
				}
				union, area = union.Union(w), area+w.Dx()*w.Dy()
			}
		}
		if min(size.X, size.Y) >= 160 && union != bounds || union.Empty() {
			t.Errorf("%v: windows over %v", bounds, union)
		}
		if area > 4*80*80 {
			t.Errorf("%v: %d samples", bounds, area)
		}
	}
}
