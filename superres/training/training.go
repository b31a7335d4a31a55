package training

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"image"
	"math"
	"math/rand/v2"
	"slices"

	"superres/internal/usage"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
)

// Source is one training picture.
type Source struct {
	// Name is what messages call the picture.
	Name string
	// Open returns the picture. It may be called more than once and must give the same picture every time.
	Open func(context.Context) (image.Image, error)
}

// Progress is called with the name of a phase and how much of it is done, from one goroutine.
type Progress func(phase string, done, total int)

// Trainer learns stages from pictures. It is a plain value whose fields are its options.
type Trainer interface {
	// Target returns the scale of the stages that will be learned, and the degradation that they
	// undo. It fails when an option is wrong, before there is any work.
	Target() (scale int, d resample.Degradation, err error)
	// Memory estimates the bytes that Train takes at its peak, beside those of the pictures; 0
	// when an option is wrong.
	Memory() int64
	// Train learns the stages. The same pictures in the same order and the same options give the same bytes,
	// whatever the number of workers. progress may be nil. When ctx ends Train returns ctx.Err().
	Train(ctx context.Context, sources []Source, progress Progress) (*Result, error)
}

// Validated is a Trainer that reports on its way how well it restores validation pictures.
type Validated interface {
	Trainer
	// WithValidation returns the trainer with more validation pictures.
	WithValidation(held []Source) Trainer
}

// Result is what a Trainer has learned.
type Result struct {
	// Stages are what a model applies after its first enlargement, by bicubic interpolation.
	Stages []stage.Stage
	// Colour and Subsampled enlarge colour: see superres.Model; nil: it is interpolated.
	Colour, Subsampled stage.Colour
	// Record says how they were learned.
	Record Record
}

// Record says how stages were learned, for a reader of the model.
type Record struct {
	// Learner is the spec of what learned.
	Learner string
	// Coder is the spec of the sparse coder, of learning and enlarging; "": there is none.
	Coder string
	// Atoms is K, of each stage; 0: there are none.
	Atoms int
	// Iterations is how many were run.
	Iterations int
	// Stop says why learning ended.
	Stop string
	// Seed is that of all random sampling.
	Seed uint64
	// Warnings are what a reader of the model should know.
	Warnings []string
	// Pictures is how many were learned from.
	Pictures int
	// Patches is the number of patches that were sampled from them.
	Patches int
	// DataSHA256 is the Digest of the pictures.
	DataSHA256 string
	// RMSE is the root mean square error of what was learned from, in 0..1.
	RMSE float64
}

// ErrPictures is wrapped by errors about the training pictures: there are too few, or they hold too little.
var ErrPictures = errors.New("pictures cannot be learned from")

// ErrMemory is wrapped by errors about pictures that take more memory than a trainer may.
var ErrMemory = errors.New("learning from these pictures takes too much memory")

// HoldOut divides sources into those to train on and count random ones to hold out, which depend on
// the seed alone. Both parts keep their order.
func HoldOut(sources []Source, count int, seed uint64) (train, held []Source) {
	chosen := rand.New(rand.NewPCG(seed, 2)).Perm(len(sources))[:count]
	for i, s := range sources {
		if slices.Contains(chosen, i) {
			held = append(held, s)
		} else {
			train = append(train, s)
		}
	}
	return train, held
}

// Digest is the SHA-256 of the brightness of all pictures that are learned from, in their
// order. The zero value is ready.
type Digest struct{ sum hash.Hash }

// Add adds a picture.
func (d *Digest) Add(p *plane.Plane) {
	if d.sum == nil {
		d.sum = sha256.New()
	}
	buf := make([]byte, 0, 8+4*len(p.Pix))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(p.W))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(p.H))
	for _, v := range p.Pix {
		buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v))
	}
	d.sum.Write(buf)
}

// String returns the hash in hexadecimal.
func (d *Digest) String() string {
	if d.sum == nil {
		d.sum = sha256.New()
	}
	return hex.EncodeToString(d.sum.Sum(nil))
}

// Symmetries names the changes under which a patch remains a patch to learn from.
type Symmetries string

// The symmetries. AllSymmetries are the 16 of photographs: flips, quarter turns, and the negative.
// NoSymmetries leaves patches as they are: a digit is upright, and white on black.
const (
	AllSymmetries Symmetries = "all"
	NoSymmetries  Symmetries = "none"
)

// Check returns an error for a name that is not one of the symmetries.
func (s Symmetries) Check() error {
	if s == AllSymmetries || s == NoSymmetries {
		return nil
	}
	return usage.Errorf("training: %s", usage.Unknown("symmetries", string(s),
		[]string{string(AllSymmetries), string(NoSymmetries)}))
}

// CheckReductions returns an error for a factor that is not above 0 and below 1.
func CheckReductions(factors []float64) error {
	for _, r := range factors {
		if !(r > 0 && r < 1) {
			return usage.Errorf("training: reduction %g, expected more than 0 and less than 1", r)
		}
	}
	return nil
}

// Range is an option that must lie from Least to Most.
type Range struct {
	// Name is what an error calls the option.
	Name string
	// Value must not be less than Least nor more than Most.
	Value, Least, Most int
}

// CheckRanges returns an error for the first option that is out of its range.
func CheckRanges(ranges ...Range) error {
	for _, r := range ranges {
		if r.Value < r.Least || r.Value > r.Most {
			return usage.Errorf("training: %s %d, expected %d to %d", r.Name, r.Value, r.Least, r.Most)
		}
	}
	return nil
}
