package learning

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"superres/internal/degrade"
	"superres/internal/elementary"
	"superres/internal/parallel"
	"superres/superres/convolutional"
	"superres/superres/convolutional/learning"
	"superres/superres/flaws/learned"
	"superres/superres/flaws/repair"
	"superres/superres/resample"
)

// The classes of sharpening are: none; amounts up to each of sharpAmounts; pictures reduced by taking every second,
// third or fourth sample; and pictures reduced by block means.
var sharpAmounts = [...]float64{0.6, 0.9, 1.4}

const (
	leastAmount    = 0.3
	decimatedClass = len(sharpAmounts) + 1
	boxClass       = decimatedClass + 1
	classCount     = boxClass + 1
)

// reducedPicture holds the results of reducing a picture in four ways: by the bicubic kernel, by Lanczos, by taking
// single samples, and by block means. For a drawing, only low is set.
type reducedPicture struct{ low, lanczos, decimated, box *degrade.Plane }

// undone is, for each class, the share of the sharpening that is undone, and interpolated the share of plain
// interpolation in the result, since photo draws false detail from single samples. Gains on interpolation in dB of RGB
// at ×2, of 84 pictures in colour of open-valid, general-dev and T91, damaged by Pillow (left: undone, interpolated):
//
//	sharpened, of single samples      sharpened by 0.7   every second pixel
//	1 and 0, 1 and 0                  1.68               −0.14
//	0.85 and 0.15, 0.5 and 0.5        1.73               −0.10
//	0.7 and 0.3, 0.5 and 0.5          1.58               −0.10
var (
	undone       = [classCount]float64{1, 0.85, 0.85, 0.85, 0.5, 1}
	interpolated = [classCount]float64{0, 0.1, 0.1, 0.1, 0.5, 0}
)

// favours multiply the likelihoods of the classes: by them, a picture was sooner reduced by single samples or by block
// means than sharpened. The table has gains in dB, with strengths and a judge learned after each softener, of parts of
// general-dev and open-valid, 120 of means, 103 of single samples and 251 clean, and of 89 pictures in colour:
//
//	                          means  single  clean    colour: means  single  clean
//	1, 1                       1.73    0.03   3.44
//	2, 1                                                       1.50   −0.10   3.12
//	2.4, 1.3                   1.80    0.01   3.44             1.51   −0.09   3.12
//	2.6, 1.7                   1.81    0.03   3.43             1.49   −0.07   3.13
//	the twelve layers before   1.80    0.05   3.44             1.41   −0.06   3.14
var favours = [classCount]float64{1, 1, 1, 1, 1.7, 2.6}

// softenerSide is the side of the patches from which a softener learns.
const softenerSide = 64

// reduceAll returns all pictures in five sizes, reduced by 2, 3 and 4, less results with a side below 80.
func (s *sampler) reduceAll() (list []reducedPicture) {
	each := make([][]reducedPicture, len(s.pictures))
	parallel.Indices(len(s.pictures), func(i int) {
		p := s.pictures[i]
		for _, by := range []float64{1, 0.8, 0.62, 0.5, 0.38} {
			truth := p
			if by < 1 {
				truth = resize(p, int(float64(p.W)*by), int(float64(p.H)*by))
			}
			for scale := 2; scale <= 4; scale++ {
				w, h := truth.W/scale, truth.H/scale
				if min(w, h) < 80 {
					continue
				}
				truth := truth.Crop(0, 0, w*scale, h*scale)
				each[i] = append(each[i], reducedPicture{levelsOf(resample.Cubic.Reduce(truth, scale)),
					levelsOf(resample.Resize(truth, w, h, resample.Lanczos)), levelsOf(decimate(truth, scale)),
					levelsOf(resample.Box.Reduce(truth, scale))})
			}
		}
	})
	return slices.Concat(each...)
}

// softenerLesson is a patch from which a softener learns. part holds the patch and its surroundings.
type softenerLesson struct {
	part     *degrade.Plane
	x, y     int // position of the patch in part
	flips    int
	negative bool
	class    int
}

// Lessons in colour, from unchanged pictures and with other contrast, gamma and saturation, gained nothing. The table
// has four sets of pictures: 83 in colour reduced by 2, the same reduced by 4, 91 of T91 reduced by 2, and 83 that the
// softener learned from. It has the share of all pairs of a clean and a sharpened picture of each set in which the
// softener finds the sharpened picture likelier to be sharpened:
//
//	these lessons, 91,000 steps                                       97.2 %  99.0 %  98.9 %  98.8 %
//	12,600 more in colour, slightly retouched, rate 0.0012            97.7    98.6    98.1    99.1
//	the mean of the two                                               97.6    98.9    98.8
//	46,000 more in colour, strongly retouched, rate 0.005             96.4    97.9    98.4
//
// With the mean of the two, four of 83 clean pictures lose more than 0.3 dB, not two. More lessons only help with the
// pictures that the softener learns from, so it needs more pictures.
//
// Other networks, judged by 6,000 lessons from general-dev and open-valid: the loss, and the areas under the curves
// (AUC) of the three amounts of sharpening. One that sees blocks of 2×2 samples takes a quarter of the time:
//
//	12 layers of 32 channels, after 91,428 steps                    0.710  0.89  0.95  0.98
//	12 layers of 16 channels, after 68,571 steps                    0.787  0.84  0.92  0.96
//	12 layers of 32 channels that see blocks, after 91,428 steps    0.803  0.84  0.91  0.96
//
// 9 layers of 32 channels take a third less time than 12, and are no worse: for 3,000 lessons with all samples around
// the patch, losses are 0.621 and 0.628, and the areas 0.91, 0.97 and 0.99 for both.

// softenerLessons makes lessons, in pairs: a patch of a clean picture, then the same patch sharpened, or reduced by
// taking single samples or block means.
type softenerLessons struct {
	pictures []reducedPicture
	ends     []float64 // cumulative weights of the pictures
	seed     uint64
}

func (s *sampler) newSoftenerLessons() softenerLessons {
	l := softenerLessons{pictures: s.reduceAll(), seed: s.seed}
	sum := 0.0
	for _, p := range l.pictures {
		sum += math.Sqrt(float64(p.low.W * p.low.H))
		l.ends = append(l.ends, sum)
	}
	return l
}

// digest returns a hexadecimal hash of all pictures.
func (l softenerLessons) digest() string {
	h := sha256.New()
	for _, p := range l.pictures {
		for _, plane := range []*degrade.Plane{p.low, p.lanczos, p.decimated, p.box} {
			fmt.Fprintln(h, plane.W, plane.H, plane.Pix)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// pick returns the lesson with the given number in a step. Only step, number and the seed decide which.
func (l softenerLessons) pick(step, number int) *softenerLesson {
	rng := rand.New(rand.NewPCG(l.seed, uint64(step)<<8|uint64(number/2)))
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	p := l.pictures[sort.SearchFloat64s(l.ends, l.ends[len(l.ends)-1]*rng.Float64())]
	if rng.IntN(16) == 0 {
		var damage degrade.Degradation
		_, p.low, _, damage = pickDrawing(rng)
		damage.Apply(rng, p.low)
		p = reducedPicture{low: p.low}
	}
	x, y := rng.IntN(p.low.W-softenerSide+1), rng.IntN(p.low.H-softenerSide+1)
	out := &softenerLesson{flips: rng.IntN(8), negative: rng.IntN(3) == 0}
	d := degrade.Degradation{Sharpen: between(leastAmount, sharpAmounts[len(sharpAmounts)-1]),
		Radius: 0.7 + 0.3*float64(rng.IntN(3))}
	from, how := p.low, rng.IntN(10)
	if p.lanczos != nil && rng.IntN(8) == 0 {
		from = p.lanczos
	}
	switch isChanged := number%2 > 0; {
	case isChanged && how < 2 && p.decimated != nil:
		from, d, out.class = p.decimated, degrade.Degradation{}, decimatedClass
	case isChanged && how < 4 && p.box != nil:
		from, d, out.class = p.box, degrade.Degradation{}, boxClass
	case isChanged:
		out.class = classOf(d.Sharpen)
	default:
		d = degrade.Degradation{}
	}
	contrast, black := 1.0, 0.0
	if rng.IntN(3) == 0 {
		contrast = between(0.5, 1)
		black = between(0, 255*(1-contrast))
	}
	switch rng.IntN(24) {
	case 0, 1:
		d.Noise, d.Grain = between(0.5, 3), float64(rng.IntN(2))*rng.Float64()
	case 2, 3:
		d.Files = []degrade.File{{Quality: 80 + rng.IntN(19), X: rng.IntN(8), Y: rng.IntN(8)}}
	case 4:
		switch rng.IntN(3) {
		case 0:
			d.Noise, d.Grain, d.Shot = between(3, 15), float64(rng.IntN(2))*rng.Float64(), rng.Float64()
		case 1:
			d.Salt = between(0.001, 0.02)
		default:
			d.Tones = 4 + rng.IntN(28)
		}
	case 5:
		if out.class == 0 {
			d.Blur = between(0.3, 1.3)
		}
	}
	const around = 24 // at least the reach of the network
	left, top := max(x-around, 0), max(y-around, 0)
	right, bottom := min(x+softenerSide+around, from.W), min(y+softenerSide+around, from.H)
	out.part = &degrade.Plane{W: right - left, H: bottom - top}
	for v := top; v < bottom; v++ {
		out.part.Pix = append(out.part.Pix, from.Pix[v*from.W+left:v*from.W+right]...)
	}
	out.x, out.y = x-left, y-top
	for i, v := range out.part.Pix {
		out.part.Pix[i] = float32(black) + float32(contrast)*v
	}
	degrade.Degradation{}.Apply(nil, out.part) // rounds
	d.Apply(rng, out.part)
	return out
}

// classOf returns the class of pictures that were sharpened by amount.
func classOf(amount float64) int {
	class := 1
	for class < len(sharpAmounts) && amount > sharpAmounts[class-1] {
		class++
	}
	return class
}

// Fill implements learning.Lesson.
func (l *softenerLesson) Fill(window []float32, side int) {
	margin := (side - softenerSide) / 2
	for y := range side {
		for x := range side {
			u, v := x, y
			if l.flips&1 > 0 {
				u = side - 1 - u
			}
			if l.flips&2 > 0 {
				v = side - 1 - v
			}
			if l.flips&4 > 0 {
				u, v = v, u
			}
			u, v = min(max(l.x-margin+u, 0), l.part.W-1), min(max(l.y-margin+v, 0), l.part.H-1)
			level := l.part.Pix[v*l.part.W+u]
			if l.negative {
				level = 255 - level
			}
			window[y*side+x] = level / 255
		}
	}
}

// Grade implements learning.Lesson. The loss is the cross entropy of the classes, with the likelihoods that
// learned.Softener computes.
func (l *softenerLesson) Grade(results, slopes []float32) float64 {
	const each = learned.SoftenerResults
	tells := func(of []float32) float64 {
		return 1 / (1 + elementary.Exp(-learned.TellingGain*float64(of[2*classCount])))
	}
	var weighted, scores, slope [classCount]float64
	weight, count := 0.0, float64(len(results)/each)
	for of := range slices.Chunk(results, each) {
		t := tells(of)
		weight += t
		for c := range classCount {
			weighted[c] += t * float64(of[c])
			scores[c] += float64(of[classCount+c]) / count
		}
	}
	for c := range classCount {
		weighted[c] /= weight
		scores[c] = learned.ScoreGain * (scores[c] + weighted[c])
	}
	sum := 0.0
	for c := range classCount {
		slope[c] = elementary.Exp(scores[c] - scores[l.class])
		sum += slope[c]
	}
	for c := range classCount {
		if slope[c] /= sum; c == l.class {
			slope[c]--
		}
		slope[c] *= learned.ScoreGain
	}
	clear(slopes)
	for at := 0; at < len(results); at += each {
		of, to := results[at:][:each], slopes[at:][:each]
		t, byWeight := tells(of), 0.0
		for c, s := range slope {
			to[c], to[classCount+c] = float32(s*t/weight), float32(s/count)
			byWeight += s * (float64(of[c]) - weighted[c]) / weight
		}
		to[2*classCount] = float32(byWeight * learned.TellingGain * t * (1 - t))
	}
	return elementary.Log(sum)
}

// sharpenings returns how to mend pictures of each class, learned from count pairs of patches. A correction is the mean
// of the gains that turn the second patch of a pair back into the first, times its share in undone.
func (l softenerLessons) sharpenings(count int) []learned.Sharpening {
	all, classes := make([][len(repair.Correction{})]float64, count), make([]int, count)
	parallel.Indices(count, func(i int) {
		before, after := l.pick(math.MaxInt32, 2*i), l.pick(math.MaxInt32, 2*i+1)
		all[i], _ = gainsOf(after.part, before.part)
		classes[i] = after.class
	})
	var sums [classCount][len(repair.Correction{})]float64
	var counts [classCount]float64
	for i, class := range classes {
		counts[class]++
		for k, v := range all[i] {
			sums[class][k] += v
		}
	}
	list := make([]learned.Sharpening, classCount)
	for class := 1; class < classCount; class++ {
		for k, v := range sums[class] {
			list[class].Correction[k] = whole(256 * v / counts[class])
		}
		all := list[class].Correction
		list[class] = learned.Sharpening{Correction: all.Partly(undone[class]), Plain: interpolated[class]}
	}
	return list
}

// uncompressed is a softener that is written without compression. Compression would save a fifth of the file, and take
// 2 ms of processor time whenever a program needs it.
type uncompressed struct{ *learned.Softener }

func (u uncompressed) Write(w io.Writer) error {
	var b bytes.Buffer
	if err := u.Softener.Write(&b); err != nil {
		return err
	}
	from, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		return err
	}
	to := zip.NewWriter(w)
	for _, m := range from.File {
		content, err := m.Open()
		if err != nil {
			return err
		}
		member, err := to.CreateHeader(&zip.FileHeader{Name: m.Name})
		if err != nil {
			return err
		}
		if _, err := io.Copy(member, content); err != nil {
			return err
		}
	}
	return to.Close()
}

// learnSoftener returns a softener learned from the pictures of s.
func (s *sampler) learnSoftener(ctx context.Context, o Options) (written, error) {
	steps := o.of(80_000)
	t := learning.Defaults()
	t.Scale, t.Channels, t.Depth, t.Skip = learned.SoftenerScale, 32, 9, 3
	t.Steps, t.Batch, t.Patch, t.LearningRate = steps, 8, softenerSide, 0.005
	t.Seed, t.Interval = s.seed, cmp.Or(steps/40, 1)
	t.Report = func(r learning.Report) {
		fmt.Fprintf(o.Report, "step %d of %d: loss %.3f, %v left\n", r.Step, r.Steps, r.Loss, r.Left.Round(time.Second))
	}
	lessons := s.newSoftenerLessons()
	if len(lessons.pictures) == 0 {
		return nil, errors.New("learning: all photographs are smaller than 160×160 pixels, too small for patches")
	}
	digest := lessons.digest()
	teach := func(name string, past int) (*convolutional.Stage, error) {
		if o.Checkpoints != "" {
			file := filepath.Join(o.Checkpoints, name)
			t.Keep = func(checkpoint []byte) error {
				if err := os.WriteFile(file+".new", checkpoint, 0o666); err != nil {
					return err
				}
				return os.Rename(file+".new", file)
			}
			t.Kept, _ = os.ReadFile(file) // there is none before the first step
		}
		return t.Teach(ctx, digest, func(step, number int) (learning.Lesson, error) {
			return lessons.pick(past+step, number), nil
		})
	}
	network, err := teach("softener-first.npz", 0)
	if err != nil {
		return nil, err
	}
	// In the first steps, patches are surrounded by zeros, which takes half the time; in the last, by the picture.
	t.From, t.Margin, t.Steps, t.LearningRate = network, o.of(128), max(steps/7, 1), 0.002
	if network, err = teach("softener-last.npz", steps); err != nil {
		return nil, err
	}
	// A stage limits its results to 0 to 1 like pixels, so scores are scaled down: see learned.SoftenerRange.
	scaled := network.Network()
	last := scaled.Layers[len(scaled.Layers)-1]
	for class, favour := range favours {
		last.Bias[classCount+class] += float32(elementary.Log(favour) / learned.ScoreGain)
	}
	for _, list := range [][]float32{last.Weight, last.Bias} {
		for i := range list {
			list[i] /= learned.SoftenerRange
		}
	}
	if network, err = convolutional.NewStage(scaled); err != nil {
		return nil, err
	}
	made, err := learned.NewSoftener(network, lessons.sharpenings(max(100, o.of(2000))))
	return uncompressed{made}, err
}
