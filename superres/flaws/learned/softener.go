package learned

import (
	"bytes"
	"context"
	_ "embed" // the softener
	"encoding/json"
	"fmt"
	"image"
	"io"
	"iter"
	"math"
	"slices"
	"sync"

	"superres/internal/parallel"
	"superres/patches/plane"
	"superres/superres/flaws/measure"
	"superres/superres/flaws/repair"
	"superres/superres/stage"
)

// Softener estimates how likely a picture was sharpened, and by how much. It is a network of convolutions with sixteen
// results for each sample, as if it enlarged by 4. The results are a first score for each class of sharpening, then a
// second score for each class, then a number from which the weight of the sample follows. The score of a class is the
// weighted mean of its first scores plus the plain mean of its second scores. The likelihoods of the classes are in
// proportion to the exponentials of the scores. Package learning makes softeners. Concurrent use is safe.
type Softener struct {
	network network
	classes []Sharpening
}

// network is a *convolutional.Stage: a stage that can be applied to a window of a picture.
type network interface {
	stage.Stage
	ApplyWithin(ctx context.Context, low *plane.Plane, window image.Rectangle, current *plane.Plane, w *stage.Work) (
		*plane.Plane, error)
}

// Sharpening says how to mend the pictures of a class.
type Sharpening struct {
	// Correction undoes the sharpening.
	Correction repair.Correction `json:"correction"`
	// Plain is the share of plain interpolation in the result, 0 to 1, in hundredths.
	Plain float64 `json:"plain"`
}

const (
	// SoftenerScale is the scale of the network, and SoftenerResults the number of its results for a sample.
	SoftenerScale   = 4
	SoftenerResults = SoftenerScale * SoftenerScale
	// A score is SoftenerRange times a result. As pixels are limited to 0 to 1, the network puts out results plus ½.
	SoftenerRange = 4
	// The weight of a sample is 1/(1 + e⁻ˣ), where x is TellingGain times the number after the scores.
	TellingGain = 10
	// ScoreGain times the score of a class is the natural logarithm of its likelihood, up to a common constant.
	ScoreGain = 20
)

const (
	// numberBits is the number of fractional bits in the integers that hold scores.
	numberBits = 16
	// softenerName and softenerText are the names of the network and of the text in the file of a softener.
	softenerName, softenerText = "network", "softener.json"
)

// NewSoftener returns a softener with a network of package convolutional for SoftenerScale. classes say how the
// pictures of each class are mended; the first, for clean pictures, must be zero.
func NewSoftener(of stage.Stage, classes []Sharpening) (*Softener, error) {
	network, is := of.(network)
	if !is {
		return nil, fmt.Errorf("learned: a softener of a %T", of)
	}
	if n := len(classes); n < 2 || 2*n >= SoftenerResults || classes[0] != (Sharpening{}) {
		return nil, fmt.Errorf("learned: a softener of %d classes, the first %v", n, classes[:min(n, 1)])
	}
	for _, class := range classes {
		if !(class.Plain >= 0 && class.Plain <= 1) {
			return nil, fmt.Errorf("learned: a softener with a share of %g", class.Plain)
		}
	}
	return &Softener{network, classes}, nil
}

// softenerHead is the content of the text in the file of a softener.
type softenerHead struct {
	Network stage.Head   `json:"network"`
	Classes []Sharpening `json:"classes"`
}

// Write writes s as an .npz file.
func (s *Softener) Write(w io.Writer) error {
	var m stage.Members
	head, err := m.Add(softenerName, s.network)
	if err != nil {
		return err
	}
	text, err := json.Marshal(softenerHead{head, s.classes})
	if err != nil {
		return err
	}
	return m.Write(w, softenerText, text)
}

// ReadSoftener returns the softener in a file that Write wrote.
func ReadSoftener(file []byte) (*Softener, error) {
	f, err := stage.Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, err
	}
	text, err := f.Text(softenerText, 1<<12)
	if err != nil {
		return nil, err
	}
	var head softenerHead
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, err
	}
	network, err := f.Stage(softenerName, SoftenerScale, head.Network)
	if err != nil {
		return nil, err
	}
	return NewSoftener(network, head.Classes)
}

//go:embed softener.npz
var softenerFile []byte

// OwnSoftener returns the softener of this program. It fails in programs without package convolutional.
var OwnSoftener = sync.OnceValues(func() (*Softener, error) { return ReadSoftener(softenerFile) })

// softenerTraits is the length of Softening.Traits: the number of classes of this program's softener, less 1.
const softenerTraits = 5

// Softening is the answer of a Softener for a picture.
type Softening struct {
	// Correction undoes the sharpening of the picture: the mean of the classes' corrections, weighted by likelihood.
	Correction repair.Correction
	// Plain is the share of plain interpolation in the result, 0 to 1, in steps of 1/32: such a mean, too.
	Plain float64
	// Traits holds, for each class but the first, the base-2 logarithm of the likelihood of the class divided by the
	// likelihood of the first class, clean pictures, in steps of 1/256.
	Traits []int32
	// IsDrawing is true for drawings, which are not softened.
	IsDrawing bool
}

// Soften estimates how img was sharpened. It fails only with ctx.Err().
func (s *Softener) Soften(ctx context.Context, img image.Image) (to Softening, err error) {
	all, shares, total := s.newSaid(), []int64(nil), int64(0)
	for group := range listWindows(img.Bounds()) {
		err := parallel.Each(ctx, group, func(ctx context.Context, w image.Rectangle) (said, error) {
			return s.sumWindow(ctx, img, w)
		}, all.add)
		if err != nil {
			return to, err
		}
		if shares, total = all.shares(); total-shares[0] < total/surelyClean && 4*all.equal < all.pairs {
			break
		}
	}
	to.IsDrawing = float64(all.equal) > mostEqual*float64(all.pairs) || all.outlines.AreDrawn()
	likely := all.likelihoods()
	var gains [repair.Bands]int64
	plain := int64(0)
	for i, class := range s.classes {
		if i > 0 {
			to.Traits = append(to.Traits, int32(min(max(likely[i]-likely[0], -repair.MostGain), repair.MostGain)))
		}
		plain += shares[i] * int64(math.Round(100*class.Plain))
		for k, v := range class.Correction {
			gains[k] += shares[i] * (repair.PowerOfTwo(int64(v)) >> 4)
		}
	}
	if to.IsDrawing {
		return to, nil
	}
	for k, v := range gains {
		to.Correction[k] = repair.LogarithmOf(v / (total >> 4))
	}
	to.Plain = float64((plain*ShareSteps/100+total/2)/total) / ShareSteps
	return to, nil
}

// The likelihoods hold for a patch of learnedSamples samples. A mean over n times as many samples varies less, so the
// logarithms are multiplied by √n. Half of the patches that were learned from are clean; a picture is taken to be
// cleanFavour·n^¾ times as likely to be clean. The gains in dB of RGB on interpolation of 83 pictures in colour of
// open-valid, general-dev and T91 at ×2, and of 91 of T91 at ×4, most of them with fewer samples than a patch, damaged
// by Pillow; the gains of clean pictures on photo, and how many lose more than 0.3 dB:
//
//	logarithms, favour   sharpened by 0.7   JPEG 85 after it   every second, fourth   clean
//	1, 9                 1.20  0.76         0.71               −0.08  −0.06           −0.030, 2   −0.003, 0
//	√n, 5·n^¾            1.38  1.07         0.84               −0.08  −0.07           −0.033, 2   −0.009, 0
//	small pictures examined as a whole, not a window of 80×80 in their middle:
//	√n, 5·n^¾            1.33  1.07         0.77               −0.09  −0.07           −0.016, 0   −0.009, 0
//	√n, 6·n^¾            1.29  1.01         0.74               −0.09  −0.07           −0.013, 0   −0.008, 0
//	√n, 8·n^¾            1.25  0.92         0.67               −0.10  −0.07           −0.013, 0   −0.005, 0
//
// By the last row but one, none of 78 whole pictures of open-valid and general-dev loses more than 0.25 dB of
// brightness on photo, and the mean loss is 0.016 dB. At ×2, two of the 91 pictures of T91 lose 1.7 dB.
// That was a softener of twelve layers. Package learning has a table for the softener of nine.
//
// The favour counts for pictures with noise or compression, too. With 2 in place of 4 there, 134 parts that were
// sharpened, then saved as JPEG, gain 0.12 dB more, and 125 that were only saved as JPEG lose 0.02.
const (
	learnedSamples = 64 * 64
	cleanFavour    = 6
)

// said holds sums over samples. For each class, scores is the weighted sum of the first scores, and plain the sum of
// the second scores; weight is the sum of the weights, and count the number of samples.
type said struct {
	scores, plain []int64
	weight, count int64
	equal, pairs  int64 // pairs of neighbours that are equal, and all pairs
	outlines      measure.Outlines
}

// mostEqual is the share of equal neighbours above which a picture is a drawing; Outlines.AreDrawn finds other
// drawings. A softener takes the hard edges of drawings for sharpening, and the judge may take them for damage. Of 83
// photographs in grey and in colour, reduced by 2, none has more than 0.48; of 100 synthetic drawings of 60 to 120
// samples a side, reduced by block means, 95 have. With model auto the 100 drawings lost 0.36 dB on photo in the mean,
// the worst 12; now that photo enlarges the 95, the mean loss is 0.22, nearly all from two drawings.
const mostEqual = 0.5

func (s *Softener) newSaid() said {
	n := len(s.classes)
	return said{scores: make([]int64, n), plain: make([]int64, n)}
}

// likelihoods returns the base-2 logarithms of the likelihoods of the classes, in steps of 1/256, up to a constant.
func (s said) likelihoods() (list []int64) {
	const perStep = ScoreGain * math.Log2E * traitOne / (1 << numberBits)
	for i, v := range s.scores {
		score := float64(v)/float64(s.weight) + float64(s.plain[i])/float64(s.count)
		list = append(list, int64(math.Floor(score*perStep)))
	}
	return list
}

// add adds the sums of another window to s.
func (s *said) add(other said) error {
	for i := range s.scores {
		s.scores[i] += other.scores[i]
		s.plain[i] += other.plain[i]
	}
	s.weight, s.count = s.weight+other.weight, s.count+other.count
	s.equal, s.pairs = s.equal+other.equal, s.pairs+other.pairs
	s.outlines.Join(other.outlines)
	return nil
}

// shares returns numbers in proportion to how likely the classes are, and their total.
func (s said) shares() (list []int64, total int64) {
	likely := s.likelihoods()
	most := slices.Max(likely)
	sharper := math.Sqrt(float64(s.count) / learnedSamples)
	for i, v := range likely {
		share := repair.PowerOfTwo(int64(math.Floor(sharper * float64(v-most))))
		if i == 0 {
			share = share * int64(256*cleanFavour*sharper*math.Sqrt(sharper)) / 256
		}
		list, total = append(list, share), total+share
	}
	return list, total
}

// surelyClean ends the examination of a large picture: no more windows are examined once all classes but the first,
// clean pictures, have less than one part in surelyClean, unless many equal neighbours may tell a drawing. Of 97 clean
// pictures, of general-dev, open-valid and Kodak reduced by 2, 42 end after the first of four windows, and 77 after
// two at the latest; of the same pictures sharpened by 0.4 and by 0.8, 10 and 2 do. None of these has more than 0.3 %
// by four windows; a limit of 1 % would miss a sharpened picture. Of 102 results, half of clean pictures and half of
// sharpened ones, 5 differ, by −0.04 to 0.04 dB.
const surelyClean = 300

// sumWindow returns the sums over the samples in a window of img.
func (s *Softener) sumWindow(ctx context.Context, img image.Image, window image.Rectangle) (all said, err error) {
	defer parallel.Task()() // several windows are examined concurrently
	shown := window.Inset(-s.network.Reach()).Intersect(img.Bounds())
	whole := measure.Cut(img, shown)
	low := whole.Luma()
	window = window.Sub(shown.Min)
	size := window.Size().Mul(SoftenerScale)
	half := &plane.Plane{W: size.X, H: size.Y, Pix: slices.Repeat([]float32{0.5}, size.X*size.Y)}
	var work stage.Work
	work.Overwrite() // with the result
	out, err := s.network.ApplyWithin(ctx, low, window, half, &work)
	if err != nil {
		return all, err
	}
	all = s.newSaid()
	classes := len(s.classes)
	all.equal, all.pairs = measure.CountEqual(whole.Channels, window)
	all.outlines.Add(whole, window)
	all.count = int64(window.Dx() * window.Dy())
	weights, ones := make([]int64, window.Dx()), slices.Repeat([]int64{1}, window.Dx())
	// sum returns the weighted sum of every SoftenerScale-th result: one result for each sample of a row.
	sum := func(results []float32, weights []int64) (sum int64) {
		for x, weight := range weights {
			sum += weight * numberOf(results[SoftenerScale*x])
		}
		return sum
	}
	for y := range window.Dy() {
		// results returns result k of the first sample, and all results after it.
		results := func(k int) []float32 { return out.Row(SoftenerScale*y + k/SoftenerScale)[k%SoftenerScale:] }
		telling := results(2 * classes)
		for x := range weights {
			weights[x] = weightOf(numberOf(telling[SoftenerScale*x]))
			all.weight += weights[x]
		}
		for i := range classes {
			all.scores[i] += sum(results(i), weights)
			all.plain[i] += sum(results(classes+i), ones)
		}
	}
	return all, nil
}

// numberOf returns the number that the network put out as the pixel v, 0 to 1, in steps of 1/2^numberBits.
func numberOf(v float32) int64 {
	return int64(v*(SoftenerRange<<numberBits)) - SoftenerRange<<numberBits/2
}

// weightOf returns the weight of a sample, in steps of 1/repair.One, from the number after its scores.
func weightOf(number int64) int64 {
	const perStep, most = TellingGain * math.Log2E * traitOne / (1 << numberBits), 16 * traitOne
	power := repair.PowerOfTwo(min(max(int64(float64(number)*perStep), -most), most))
	return repair.One * power / (repair.One + power)
}

// listWindows returns the parts of a picture that are examined, at most four, each of at most 80×80 samples. Parts that
// cover the picture, as they do up to 160×160 samples, come together; others come one after another, the first two from
// opposite corners.
func listWindows(b image.Rectangle) iter.Seq[[]image.Rectangle] {
	const most = 80
	starts := func(side int) (list []int, each int) {
		if side <= most {
			return []int{0}, side
		}
		each = min((side+1)/2, most)
		return []int{0, side - each}, each
	}
	across, w := starts(b.Dx())
	down, h := starts(b.Dy())
	var list []image.Rectangle
	for turn := range across {
		for i, y := range down {
			x := across[(turn+i)%len(across)]
			list = append(list, image.Rect(x, y, x+w, y+h).Add(b.Min))
		}
	}
	if max(b.Dx(), b.Dy()) <= 2*most {
		return slices.Chunk(list, len(list))
	}
	return slices.Chunk(list, 1)
}
