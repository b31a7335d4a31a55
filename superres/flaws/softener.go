package flaws

import (
	"bytes"
	"context"
	_ "embed" // the softener
	"encoding/json"
	"fmt"
	"image"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/disintegration/imaging"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/stage"
)

// Softener tells how likely a picture was sharpened, and by how much. It is a network of convolutions that says
// numbers, instead of the sixteen pixels by which it would enlarge a sample by 4: for each of some classes of
// sharpening two scores, then how much the sample tells. A class has the mean of its first score over all samples,
// weighted by what they tell, plus that of its second, unweighted. The exponentials of these are in the proportion of
// the likelihoods. cmd/internal/judge makes softeners. A Softener may be used concurrently.
type Softener struct {
	network stage.Stage
	classes []Sharpening
}

// Sharpening is what is done to a picture of a class.
type Sharpening struct {
	// Correction undoes the sharpening.
	Correction Correction `json:"correction"`
	// Plain is the share of plain interpolation in the result, 0 to 1, in hundredths.
	Plain float64 `json:"plain"`
}

const (
	// SoftenerScale is the scale of the network, and SoftenerResults the number of its results for a sample.
	SoftenerScale   = 4
	SoftenerResults = SoftenerScale * SoftenerScale
	// SoftenerRange times a result is a number of the network. As pixels are limited to 0 to 1, ½ is added to results.
	SoftenerRange = 4
	// A sample tells 1/(1 + e⁻ˣ), with x the number after the scores times TellingGain.
	TellingGain = 10
	// ScoreGain times the score of a class is the natural logarithm of its likelihood, but for a constant.
	ScoreGain = 20
)

const (
	// numberBits are the bits after the point of a number as an integer.
	numberBits = 16
	// softenerName and softenerText are names in the file of a softener.
	softenerName, softenerText = "network", "softener.json"
)

// NewSoftener returns a softener of a network for SoftenerScale, whose results are to be multiplied by SoftenerRange,
// and of what is done to pictures of each class; to those of the first nothing.
func NewSoftener(network stage.Stage, classes []Sharpening) (*Softener, error) {
	if n := len(classes); n < 2 || 2*n >= SoftenerResults || classes[0] != (Sharpening{}) {
		return nil, fmt.Errorf("flaws: a softener of %d classes, the first %v", n, classes[:min(n, 1)])
	}
	for _, class := range classes {
		if !(class.Plain >= 0 && class.Plain <= 1) {
			return nil, fmt.Errorf("flaws: a softener with a share of %g", class.Plain)
		}
	}
	return &Softener{network, classes}, nil
}

// Network returns the network of s, which may not be changed.
func (s *Softener) Network() stage.Stage { return s.network }

// softenerHead is the text in the file of a softener.
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

// ReadSoftener reads what Write wrote.
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

// softener returns that of this program. It fails in programs without package convolutional, which reads its network.
var softener = sync.OnceValues(func() (*Softener, error) { return ReadSoftener(softenerFile) })

// softenerTraits is the number of traits of a Softening, one for each class of this program's softener but the first.
const softenerTraits = 5

// Softening is what a Softener says of a picture.
type Softening struct {
	// Correction undoes the sharpening of the picture as far as it is likely: the mean of what is undone of each class,
	// by how likely they are.
	Correction Correction
	// Plain is the share of plain interpolation in the result, 0 to 1, in steps of 1/32: the mean over the classes.
	Plain float64
	// traits are the base-2 logarithms of the likelihoods of the classes, each divided by that of none, in steps of
	// 1/256.
	traits []int32
	// isDrawing is true for drawings, which are not softened.
	isDrawing bool
}

// Soften tells how a picture was sharpened. It fails only with ctx.Err().
func (s *Softener) Soften(ctx context.Context, img image.Image) (to Softening, err error) {
	all := s.newSaid()
	err = parallel.Each(ctx, listWindows(img.Bounds()), func(ctx context.Context, w image.Rectangle) (said, error) {
		return s.look(ctx, img, w)
	}, func(one said) error {
		for i := range all.scores {
			all.scores[i] += one.scores[i]
			all.plain[i] += one.plain[i]
		}
		all.weight, all.count = all.weight+one.weight, all.count+one.count
		all.equal, all.pairs = all.equal+one.equal, all.pairs+one.pairs
		return nil
	})
	if err != nil {
		return to, err
	}
	to.isDrawing = float64(all.equal) > mostEqual*float64(all.pairs)
	likely := all.likelihoods()
	most := slices.Max(likely)
	var gains [correctionBands]int64
	total, plain := int64(0), int64(0)
	for i, class := range s.classes {
		share := powerOfTwo(likely[i] - most)
		if i == 0 {
			share *= cleanFavour
		} else {
			to.traits = append(to.traits, int32(min(max(likely[i]-likely[0], -mostGain), mostGain)))
		}
		total += share
		plain += share * int64(math.Round(100*class.Plain))
		for k, v := range class.Correction {
			gains[k] += share * (powerOfTwo(int64(v)) >> 4)
		}
	}
	if to.isDrawing {
		return to, nil
	}
	for k, v := range gains {
		to.Correction[k] = logarithmOf(v / (total >> 4))
	}
	to.Plain = float64((plain*shareSteps/100+total/2)/total) / shareSteps
	return to, nil
}

// cleanFavour is how many times as likely a picture is clean as among the patches that were learned from, of which half
// are. The gains in dB of RGB at ×2 on interpolation of 84 pictures in colour of open-valid, general-dev and T91,
// damaged by Pillow, and how many clean ones lose more than 0.3 dB on what they had by the softener of before, of 16
// channels:
//
//	      sharpened by 0.7  every second pixel  block means  clean
//	3     1.70              −0.08               1.67         3.24, n = 4
//	6     1.37              −0.09               1.56         3.27, n = 4
//	9     1.23              −0.10               1.55         3.28
//	12    1.11              −0.10               1.54         3.29, n = 3
//	then  1.26              −0.17               1.64         3.28
//
// Of 86 whole clean pictures 3, 2 and 1 lose more than 0.3 dB of brightness on photo by 6, 9 and 12, the worst 0.85,
// 0.57 and 0.41, all of them 0.037, 0.030 and 0.025 in the mean.
const cleanFavour = 9

// said has the sums over samples of the scores of each class, weighted and unweighted, the sum of the weights, the
// number of samples, and the numbers of neighbours.
type said struct {
	scores, plain []int64
	weight, count int64
	equal, pairs  int64 // neighbours that are equal, and all
}

// mostEqual is the share of equal neighbours from which a picture is a drawing. A softener takes the hard edges of
// drawings for sharpening, and the judge may take them for damage. Of 83 photographs in grey and in colour, reduced by
// 2, none has more than 0.48; of 100 synthetic drawings of 60 to 120 samples a side, reduced by block means, 95 have.
// By auto these lost 0.36 dB on photo in the mean, the worst 12; told by this, they lose 0.21, all of it in two.
const mostEqual = 0.5

func (s *Softener) newSaid() said {
	n := len(s.classes)
	return said{scores: make([]int64, n), plain: make([]int64, n)}
}

// likelihoods returns the base-2 logarithms of the likelihoods of the classes, in steps of 1/256, but for a constant.
func (s said) likelihoods() (list []int64) {
	const unit = ScoreGain * math.Log2E * traitOne / (1 << numberBits)
	for i, v := range s.scores {
		score := float64(v)/float64(s.weight) + float64(s.plain[i])/float64(s.count)
		list = append(list, int64(math.Floor(score*unit)))
	}
	return list
}

// look returns what the network says of a window of img.
func (s *Softener) look(ctx context.Context, img image.Image, window image.Rectangle) (all said, err error) {
	shown := window.Inset(-s.network.Reach()).Intersect(img.Bounds())
	whole := picture.Split(imaging.Crop(img, shown))
	low := whole.Luma()
	half := plane.New(SoftenerScale*low.W, SoftenerScale*low.H)
	for i := range half.Pix {
		half.Pix[i] = 0.5
	}
	out, err := s.network.Apply(ctx, low, half, nil)
	if err != nil {
		return all, err
	}
	all = s.newSaid()
	classes := len(s.classes)
	window = window.Sub(shown.Min)
	all.equal, all.pairs = countEqual(whole.Channels, window)
	for y := window.Min.Y; y < window.Max.Y; y++ {
		for x := window.Min.X; x < window.Max.X; x++ {
			number := func(k int) int64 {
				v := out.Row(SoftenerScale*y + k/SoftenerScale)[SoftenerScale*x+k%SoftenerScale]
				return int64(math.Floor((float64(v) - 0.5) * (SoftenerRange << numberBits)))
			}
			weight := tells(number(2 * classes))
			for i := range classes {
				all.scores[i] += weight * number(i)
				all.plain[i] += number(classes + i)
			}
			all.weight, all.count = all.weight+weight, all.count+1
		}
	}
	return all, nil
}

// countEqual returns how many neighbours in a part of a picture are equal, across and down, and how many there are.
func countEqual(channels []*plane.Plane, part image.Rectangle) (equal, pairs int64) {
	count := func(x, y, dx, dy int) {
		for _, c := range channels {
			if c.Row(y)[x] != c.Row(y + dy)[x+dx] {
				return
			}
		}
		equal++
	}
	for y := part.Min.Y; y < part.Max.Y-1; y++ {
		for x := part.Min.X; x < part.Max.X-1; x++ {
			count(x, y, 1, 0)
			count(x, y, 0, 1)
			pairs += 2
		}
	}
	return equal, pairs
}

// tells returns how much a sample tells, of one, from the number that says it.
func tells(number int64) int64 {
	const unit, most = TellingGain * math.Log2E * traitOne / (1 << numberBits), 16 * traitOne
	power := powerOfTwo(min(max(int64(float64(number)*unit), -most), most))
	return one * power / (one + power)
}

// listWindows returns the parts of a picture that are looked at: at most four squares.
func listWindows(b image.Rectangle) (list []image.Rectangle) {
	const side, most = 80, 2
	w, h := min(b.Dx(), side), min(b.Dy(), side)
	for _, y := range listStarts(b.Dy(), side, most) {
		for _, x := range listStarts(b.Dx(), side, most) {
			list = append(list, image.Rect(x, y, x+w, y+h).Add(b.Min))
		}
	}
	return list
}

// listStarts returns the offsets, in samples, of at most most windows along a side.
func listStarts(side, window, most int) (list []int) {
	free := max(side-window, 0)
	n := min(max(side/window, 1), most)
	for i := range n {
		if n == 1 {
			return []int{free / 2}
		}
		list = append(list, i*free/(n-1))
	}
	return list
}
