package learning

import (
	"context"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"superres/internal/degrade"
	"superres/internal/elementary"
	"superres/internal/picture"
	"superres/internal/synthetic"
	"superres/patches/plane"
	"superres/superres"
	"superres/superres/flaws"
	"superres/superres/models"
	"superres/superres/resample"
	"superres/superres/stage"
)

// scale is the factor by which samples are reduced and enlarged.
const scale = 2

// kinds are the kinds of degradation. A kind that is listed twice is picked twice as often.
var kinds = []string{"clean", "clean", "random", "random", "random", "sharpened", "sharpened JPEG", "blurred",
	"dithered", "decimated", "salt", "grain", "enlarged", "box", "middle", "noise", "JPEG"}

// sampler computes samples for learning from pictures.
type sampler struct {
	part
	pictures                              []*plane.Plane
	clean, robust, fast, bicubic, lanczos *superres.Model // fast: robust with the effort fast
	auto                                  *superres.Model
	isChecked                             bool // the samples are for Check
}

// newSampler returns a sampler for the PNG files in folders. Unless isChecked, its models have the effort fast, for
// which about the same shares are best.
func newSampler(folders []string, isChecked bool) (*sampler, error) {
	s := &sampler{isChecked: isChecked}
	for name, to := range map[string]**superres.Model{models.Photo: &s.clean, models.PhotoReal: &s.robust,
		models.Auto: &s.auto, "bicubic": &s.bicubic, "lanczos": &s.lanczos} {
		m, err := models.Open(name)
		if err != nil {
			return nil, err
		}
		*to = m
	}
	var err error
	if s.fast, err = s.robust.Effort("fast"); err != nil {
		return nil, err
	}
	if !isChecked {
		s.robust = s.fast
		if s.clean, err = s.clean.Effort("fast"); err != nil {
			return nil, err
		}
	}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(folder, "*.png"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			img, err := readPicture(file)
			if err != nil {
				return nil, err
			}
			s.pictures = append(s.pictures, picture.Split(img).Luma())
		}
	}
	if len(s.pictures) == 0 {
		return nil, fmt.Errorf("learning: there are no PNG files in %v: name folders of photographs", folders)
	}
	return s, nil
}

func readPicture(name string) (image.Image, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return img, nil
}

// shares returns a sample for the judge; number and the seed decide which sample.
func (s *sampler) shares(ctx context.Context, number int) (sample, error) {
	rng := rand.New(rand.NewPCG(s.seed, uint64(number)))
	truth, low, kind, damage := s.pickReduced(rng)
	damage.Apply(rng, low)
	out, err := s.measure(ctx, truth, low)
	out.Kind = kind
	return out, err
}

// pickReduced returns a part of a picture, or a drawing; a reduced copy; and how that copy is to be degraded.
func (s *sampler) pickReduced(rng *rand.Rand) (
	truth *plane.Plane, low *degrade.Plane, kind string, damage degrade.Degradation,
) {
	if s.drawn {
		truth, low, kind, damage = pickDrawing(rng)
		return truth, low, kind, damage
	}
	truth, kind = s.pick(rng, scale)
	low, damage = reduceAs(truth, scale, kind, rng)
	return truth, low, kind, damage
}

// pick returns a random part of a picture, with sides that scale divides, and a random kind of degradation.
func (s *sampler) pick(rng *rand.Rand, scale int) (truth *plane.Plane, kind string) {
	i, kind := rng.IntN(len(s.pictures)), kinds[rng.IntN(len(kinds))]
	side, before := 64+8*rng.IntN(8), float64(1+rng.IntN(3)) // of the reduced picture; reduction of the truth
	if s.retouched && before > 1 {
		before = 1.15 + 2*rng.Float64()
	}
	if rng.IntN(6) == 0 {
		side = 128 + 16*rng.IntN(9)
	}
	p := s.pictures[i]
	if most := float64(min(p.W, p.H)-4) / float64(scale*side); before > most {
		if before = max(1, most); !s.retouched {
			before = math.Floor(before)
		}
	}
	outW, outH := scale*min(side, p.W/scale), scale*min(side, p.H/scale)
	w, h := min(int(before*float64(outW)), p.W), min(int(before*float64(outH)), p.H)
	x, y := rng.IntN(p.W-w+1), rng.IntN(p.H-h+1)
	switch truth = p.Crop(x, y, w, h); {
	case w == outW && h == outH:
	case s.retouched:
		truth = resize(truth, outW, outH)
	default:
		truth = resample.Cubic.Reduce(truth, int(before))
	}
	if s.retouched && rng.IntN(2) == 0 {
		retouch(truth, rng)
	}
	if s.vivid {
		sharp := levelsOf(truth)
		degrade.Degradation{Sharpen: 0.2 + rng.Float64(), Radius: 0.6 + rng.Float64()}.Apply(rng, sharp)
		truth = planeOf(sharp)
	}
	return truth, kind
}

// retouch changes the contrast and the gamma of p at random, so that a few pictures do the work of many.
func retouch(p *plane.Plane, rng *rand.Rand) {
	gamma, contrast := elementary.Exp2(1.4*rng.Float64()-0.7), 0.4+0.6*rng.Float64()
	black := (1 - contrast) * rng.Float64()
	for i, v := range p.Pix {
		p.Pix[i] = float32(black + contrast*elementary.Pow(float64(min(max(v, 0), 1)), gamma))
	}
}

// pickDrawing returns a drawing, a reduced copy, and how that copy is to be degraded. Small graphics that programs
// render look like block means of large graphics, so most drawings are reduced by block means.
func pickDrawing(rng *rand.Rand) (truth *plane.Plane, low *degrade.Plane, kind string, damage degrade.Degradation) {
	w, h := 72+8*rng.IntN(10), 72+8*rng.IntN(10)
	d := synthetic.Sample(rng, scale*w, scale*h, scale)
	truth = picture.Split(d.Image).Luma()
	by := resample.Box
	if !d.IsPixelArt && rng.IntN(3) == 0 {
		by = resample.Cubic
	}
	kind = "drawing"
	if rng.IntN(3) == 0 {
		kind = "drawing JPEG"
		damage.Files = []degrade.File{{Quality: 40 + rng.IntN(58), X: rng.IntN(8), Y: rng.IntN(8)}}
	}
	return truth, levelsOf(by.Reduce(truth, scale)), kind, damage
}

// reduce returns truth reduced by scale and degraded.
func reduce(truth *plane.Plane, scale int, kind string, rng *rand.Rand) *degrade.Plane {
	low, d := reduceAs(truth, scale, kind, rng)
	d.Apply(rng, low)
	return low
}

// reduceAs returns truth reduced by scale for the given kind of degradation, and the degradation to apply afterwards.
func reduceAs(truth *plane.Plane, scale int, kind string, rng *rand.Rand) (*degrade.Plane, degrade.Degradation) {
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	file := func(least, most int) degrade.File {
		return degrade.File{Quality: least + rng.IntN(most-least+1), X: rng.IntN(8), Y: rng.IntN(8)}
	}
	low := resample.Cubic.Reduce(truth, scale)
	var d degrade.Degradation
	switch kind {
	case "random":
		d = randomDegradation(rng)
	case "sharpened", "sharpened JPEG":
		d.Sharpen, d.Radius = between(0.2, 1.5), between(0.6, 1.4)
		if kind != "sharpened" {
			d.Files = []degrade.File{file(60, 95)}
		}
	case "blurred": // in a picture of the size of the result
		soft := levelsOf(truth)
		degrade.Degradation{Blur: between(0.5, 3)}.Apply(rng, soft)
		low = resample.Cubic.Reduce(planeOf(soft), scale)
	case "dithered":
		d.Tones = 4 + rng.IntN(14)
	case "decimated":
		low = decimate(truth, scale)
	case "salt":
		d.Salt = between(0.001, 0.02)
	case "grain":
		d.Noise, d.Grain = between(3, 18), between(0.4, 1.1)
	case "enlarged":
		by := between(1.25, 2.2)
		w, h := max(8, int(float64(low.W)/by)), max(8, int(float64(low.H)/by))
		low = resize(resize(low, w, h), low.W, low.H)
	case "box":
		low = resample.Box.Reduce(truth, scale)
	case "middle": // sharper than by the bicubic kernel, like the output of programs that read few samples
		low = resample.Box.Reduce(truth, scale)
		d.Sharpen, d.Radius = between(0, 0.4), 0.7
	case "noise":
		if d.Noise = between(2, 25); rng.IntN(2) == 0 {
			d.Shot = rng.Float64()
		}
	case "JPEG":
		d.Files = []degrade.File{file(25, 96)}
	}
	return levelsOf(low), d
}

// decimate returns the first sample of each square of by×by samples of p.
func decimate(p *plane.Plane, by int) *plane.Plane {
	out := plane.New(p.W/by, p.H/by)
	for y := range out.H {
		for x := range out.W {
			out.Row(y)[x] = p.Row(by * y)[by*x]
		}
	}
	return out
}

// randomDegradation returns a random degradation: no damage, or damage of one kind or of several kinds.
func randomDegradation(rng *rand.Rand) (d degrade.Degradation) {
	likely := func(p float64) bool { return rng.Float64() < p }
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	if likely(0.4) {
		d.Blur = between(0.25, 2.5)
	}
	if likely(0.3) {
		d.Sharpen, d.Radius = between(0.1, 1.5), between(0.5, 1.5)
	}
	if likely(0.4) {
		if d.Noise = between(0, 5) * between(0, 5); likely(0.4) {
			d.Shot = between(0.3, 1)
		}
		if likely(0.25) {
			d.Grain = between(0.4, 1.2)
		}
	}
	if likely(0.05) {
		d.Salt = between(0.001, 0.02)
	}
	if likely(0.05) {
		d.Tones = 4 + rng.IntN(28)
	}
	for len(d.Files) < 2 && likely(0.4) {
		d.Files = append(d.Files, degrade.File{Quality: 25 + rng.IntN(74), X: rng.IntN(8), Y: rng.IntN(8)})
	}
	return d
}

func resize(p *plane.Plane, w, h int) *plane.Plane {
	out := plane.New(w, h)
	resample.New(p.W, p.H, w, h, resample.Bicubic).Rows(out, p, 0, 0)
	return out
}

func levelsOf(p *plane.Plane) *degrade.Plane {
	q := &degrade.Plane{W: p.W, H: p.H, Pix: make([]float32, p.W*p.H)}
	for y := range p.H {
		for x, v := range p.Row(y) {
			q.Pix[y*p.W+x] = 255 * v
		}
	}
	return q
}

// greyOf returns q as a picture.
func greyOf(q *degrade.Plane) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, q.W, q.H))
	for i, v := range q.Pix {
		img.Pix[i] = uint8(v)
	}
	return img
}

func planeOf(q *degrade.Plane) *plane.Plane {
	p := plane.New(q.W, q.H)
	for i, v := range q.Pix {
		p.Pix[i] = v / 255
	}
	return p
}

// margin is how many samples along the edges of a result are left out of errors.
const margin = 6

// measure returns the sample for low, a reduced picture, with the errors of its enlargements against truth.
func (s *sampler) measure(ctx context.Context, truth *plane.Plane, low *degrade.Plane) (out sample, err error) {
	original := greyOf(low)
	x := &flaws.Examination{Picture: original, AsClean: true}
	if err := x.Run(ctx, flaws.StepMeasure, flaws.StepStrength); err != nil {
		return out, err
	}
	if out.Traits = x.AllTraits(); out.Traits == nil {
		return out, nil
	}
	if err := x.Run(ctx, flaws.StepSoftening, flaws.StepSoftening); err != nil {
		return out, err
	}
	corrected, err := s.enlarge(ctx, x.Picture, x.Strength)
	if err != nil {
		return out, err
	}
	for i, m := range []*superres.Model{s.bicubic, s.lanczos} {
		if out.Interpolated[i], err = s.errorBy(ctx, m, original, truth); err != nil {
			return out, err
		}
	}
	if s.isChecked {
		if out.checked, err = s.check(ctx, original, truth, x.Found.Strength()); err != nil {
			return out, err
		}
	}
	all := [results]*image.Gray{corrected.clean, corrected.robust}
	count := float64((truth.W - 2*margin) * (truth.H - 2*margin))
	for y := margin; y < truth.H-margin; y++ {
		for x, v := range truth.Row(y)[margin : truth.W-margin] {
			at := func(g *image.Gray) float64 { return float64(g.Pix[y*g.Stride+margin+x]) }
			t := 255 * float64(v)
			base := at(corrected.bicubic)
			var add [results]float64
			for i, g := range all {
				add[i] = at(g) - base
			}
			out.Truth += (t - base) * (t - base) / count
			for i, a := range add {
				out.WithTruth[i] += a * (t - base) / count
				for j, b := range add {
					out.Products[i][j] += a * b / count
				}
			}
		}
	}
	return out, nil
}

// check returns the errors of several models for img, which is not corrected; strength was measured in img.
func (s *sampler) check(ctx context.Context, img image.Image, truth *plane.Plane, strength float64) (
	c checked, err error,
) {
	robust, err := s.robust.Tune(stage.Tuning{Strength: strength})
	if err != nil {
		return c, err
	}
	for m, squared := range map[*superres.Model]*float64{s.clean: &c.Clean, robust: &c.Robust, s.auto: &c.Auto} {
		if *squared, err = s.errorBy(ctx, m, img, truth); err != nil {
			return c, err
		}
	}
	if c.Choice = c.Clean; strength >= flaws.LeastStrength {
		c.Choice = c.Robust
	}
	return c, nil
}

// errorBy enlarges img by m and returns the mean squared error of the result against truth.
func (s *sampler) errorBy(ctx context.Context, m *superres.Model, img image.Image, truth *plane.Plane) (
	float64, error,
) {
	big, err := enlargeGrey(ctx, m, img)
	if err != nil {
		return 0, err
	}
	return meanSquare(big, truth), nil
}

// meanSquare returns the mean squared error of big against truth, in levels², leaving out the margin.
func meanSquare(big *image.Gray, truth *plane.Plane) (mean float64) {
	count := float64((truth.W - 2*margin) * (truth.H - 2*margin))
	for y := margin; y < truth.H-margin; y++ {
		for x, v := range truth.Row(y)[margin : truth.W-margin] {
			d := 255*float64(v) - float64(big.Pix[y*big.Stride+margin+x])
			mean += d * d / count
		}
	}
	return mean
}

// enlarged holds the enlargements of a picture by bicubic interpolation, photo and photo-real.
type enlarged struct{ bicubic, clean, robust *image.Gray }

// enlarge returns the results of the models for img. photo-real works at the given strength.
func (s *sampler) enlarge(ctx context.Context, img image.Image, strength float64) (out enlarged, err error) {
	robust, err := s.robust.Tune(stage.Tuning{Strength: strength})
	if err != nil {
		return out, err
	}
	if out.bicubic, err = enlargeGrey(ctx, s.bicubic, img); err != nil {
		return out, err
	}
	if out.clean, err = enlargeGrey(ctx, s.clean, img); err != nil {
		return out, err
	}
	out.robust, err = enlargeGrey(ctx, robust, img)
	return out, err
}

// enlargeGrey returns img, which must be grey, enlarged by m to scale.
func enlargeGrey(ctx context.Context, m *superres.Model, img image.Image) (*image.Gray, error) {
	big, err := m.Upscale(ctx, img, superres.Options{Scale: scale})
	if err != nil {
		return nil, err
	}
	return big.(*image.Gray), nil
}
