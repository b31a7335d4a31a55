package superres

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/internal/npz"
	_ "superres/superres/coupled"
)

// openBuiltin and namesOfBuiltins are models.Open and models.Names, which models_test.go sets: a test of this package
// cannot import package models, which imports it.
var (
	openBuiltin     func(name string) (*Model, error)
	namesOfBuiltins func() []string
)

// UseModels takes open and names from the models that are part of the program.
func UseModels(open func(name string) (*Model, error), names func() []string) {
	openBuiltin, namesOfBuiltins = open, names
}

// builtin returns a model that is part of the program, which the test may change.
func builtin(t testing.TB, name string) *Model {
	t.Helper()
	return must.Get(openBuiltin(name))(t)
}

// builtinAtEffort returns the model that a name like "photo max" or "photo" calls: one of the program for an effort.
func builtinAtEffort(t *testing.T, name string) *Model {
	t.Helper()
	name, effort, ok := strings.Cut(name, " ")
	if !ok {
		return builtin(t, name)
	}
	return withEffort(t, builtin(t, name), effort)
}

// forge returns a model file with checksums that are right, with the given header and the matrices low, high, low,
// high and so on, of as many stages. A nil matrix is left out.
func forge(t testing.TB, head string, matrices ...*mat.Dense) []byte {
	t.Helper()
	var arrays []npz.Matrix
	for i, m := range matrices {
		if m != nil {
			name := fmt.Sprintf("stage%d.%s", i/2, []string{"low", "high"}[i%2])
			arrays = append(arrays, npz.Matrix{Name: name, Data: m})
		}
	}
	var b bytes.Buffer
	must.Succeed(t, npz.Write(&b, []npz.Text{{Name: "model.json", Data: []byte(head)}}, arrays))
	return b.Bytes()
}

// coupledHead is the header of a model of one coupled stage of the paper's form, at a scale.
func coupledHead(scale int) string {
	return fmt.Sprintf(`{"format":1,"scale":%d,"degradation":"bicubic","kernel":"bicubic","stages":[`+
		`{"kind":"coupled","params":{"patch":3,"mean":true,"detail":false,"coder":"omp:sparsity=2"}}]}`, scale)
}

// pattern returns a matrix of small whole numbers.
func pattern(rows, columns int) *mat.Dense {
	m := mat.NewDense(rows, columns, nil)
	m.Apply(func(i, j int, _ float64) float64 { return 1 + float64((i*7+j*3)%5) }, m)
	return m
}

// paperModel returns a model of the paper's form for a scale, with an arbitrary dictionary.
func paperModel(t testing.TB, scale int) *Model {
	t.Helper()
	data := forge(t, coupledHead(scale), pattern(9, 5), pattern(9*scale*scale, 5))
	return must.Get(Load(bytes.NewReader(data), int64(len(data))))(t)
}

// repeatedModel returns the model coupled with its stages twice, one after the other.
func repeatedModel(t testing.TB) *Model {
	m := *builtin(t, "coupled")
	m.Stages = append(slices.Clone(m.Stages), m.Stages...)
	return &m
}

func save(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Succeed(t, m.Save(&b))
	return b.Bytes()
}

func upscale(t testing.TB, m *Model, img image.Image, scale float64) image.Image {
	t.Helper()
	return upscaleWith(t, m, img, Options{Scale: scale})
}

func upscaleWith(t testing.TB, m *Model, img image.Image, opt Options) image.Image {
	t.Helper()
	return must.Get(m.Upscale(t.Context(), img, opt))(t)
}

// deep returns a copy of an image with four channels of 16 bits.
func deep(img image.Image) *image.NRGBA64 {
	out := image.NewNRGBA64(img.Bounds())
	draw.Draw(out, out.Rect, img, out.Rect.Min, draw.Src)
	return out
}

// deepUpscale enlarges a picture and returns the result with four channels of 16 bits.
func deepUpscale(t testing.TB, m *Model, img image.Image, opt Options) *image.NRGBA64 {
	t.Helper()
	opt.Depth = 16
	return deep(upscaleWith(t, m, img, opt))
}

// sampleAt returns sample i of a picture, 0 to 65535, counted over channels and pixels.
func sampleAt(p *image.NRGBA64, i int) float64 {
	return float64(int(p.Pix[2*i])<<8 | int(p.Pix[2*i+1]))
}

// grain returns a picture with 16 bits a sample, of random values from 0.47 to 0.53: grey for one channel, in colour
// for three, and with transparency for four.
func grain(w, h, channels int) image.Image {
	rng := rand.New(rand.NewPCG(uint64(w), uint64(h)))
	value := func() uint16 { return uint16(30801 + rng.IntN(3932)) }
	if channels == 1 {
		m := image.NewGray16(image.Rect(0, 0, w, h))
		for i := range w * h {
			m.SetGray16(i%w, i/w, color.Gray16{Y: value()})
		}
		return m
	}
	m := image.NewNRGBA64(image.Rect(0, 0, w, h))
	for i := range w * h {
		c := color.NRGBA64{R: value(), G: value(), B: value(), A: 0xffff}
		if channels == 4 {
			c.A = value()
		}
		m.SetNRGBA64(i%w, i/w, c)
	}
	return m
}
