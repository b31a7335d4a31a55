package training

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
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
	// Name is the name of the picture in messages.
	Name string
	// Open returns the picture. It may be called more than once and must give the same picture every time.
	Open func(context.Context) (image.Image, error)
}

// Read opens the sources one after another and calls add with the index and the picture of each source. It keeps no
// picture. progress gets the phase and the number of pictures read. Errors of add get the name of the picture.
func Read(
	ctx context.Context, sources []Source, phase string, progress Progress, add func(i int, img image.Image) error,
) error {
	for i, src := range sources {
		if err := ctx.Err(); err != nil {
			return err
		}
		progress(phase, i, len(sources))
		img, err := src.Open(ctx)
		if err != nil {
			return err
		}
		if err := add(i, img); err != nil {
			return fmt.Errorf("%s: %w", src.Name, err)
		}
	}
	progress(phase, len(sources), len(sources))
	return nil
}

// Progress is called, from one goroutine, with the name of a phase and how many of its total steps are done.
type Progress func(phase string, done, total int)

// OrNone returns p, or a function that does nothing if p is nil.
func (p Progress) OrNone() Progress {
	if p == nil {
		return func(string, int, int) {}
	}
	return p
}

// Trainer learns stages from pictures. Its fields are its options.
type Trainer interface {
	// Target returns the scale of the stages and the degradation that they undo. It fails if an option is wrong.
	Target() (scale int, d resample.Degradation, err error)
	// Memory estimates the bytes that Train takes at its peak, without the pictures. 0: an option is wrong.
	Memory() int64
	// Train learns the stages. The same pictures in the same order and the same options give the same bytes, with any
	// number of workers. progress may be nil. When ctx ends, Train returns ctx.Err().
	Train(ctx context.Context, sources []Source, progress Progress) (*Result, error)
}

// Validated is a Trainer that reports during training how well it restores validation pictures.
type Validated interface {
	Trainer
	// WithValidation returns a trainer that uses the pictures in held for validation, too.
	WithValidation(held []Source) Trainer
}

// Result is the outcome of a training.
type Result struct {
	// Stages are applied in this order to the bicubic enlargement of a picture.
	Stages []stage.Stage
	// Colour and Subsampled enlarge colour: see superres.Model. nil: colour is interpolated.
	Colour, Subsampled stage.Colour
	// Record says how the stages were learned.
	Record Record
}

// Record says how stages were learned. Models hold it for their users.
type Record struct {
	// Learner is the spec of the learning method: its name and parameters.
	Learner string
	// Coder is the spec of the sparse coder, for training and enlarging; "": none was used.
	Coder string
	// Atoms is the number of atoms K of each stage; 0: there are none.
	Atoms int
	// Iterations is the number of iterations that were made.
	Iterations int
	// Stop is the reason why the learning ended.
	Stop string
	// Seed is the seed of all random sampling.
	Seed uint64
	// Warnings are warnings to the users of the model.
	Warnings []string
	// Pictures is the number of training pictures.
	Pictures int
	// Patches is the number of patches that were sampled from the pictures.
	Patches int
	// Pixels is the number of low-resolution pixels in these patches, for a network; 0: they were not counted.
	Pixels int64
	// DataSHA256 is the Digest of the pictures.
	DataSHA256 string
	// Trainer names the programs that made the steps; empty: only this program.
	Trainer string
	// RMSE is the root mean square error over the training patches, in units of white.
	RMSE float64
}

// ErrPictures is wrapped by errors about training pictures that are too few, too small or too flat.
var ErrPictures = errors.New("pictures cannot be learned from")

// ErrMemory is wrapped by errors about pictures that take more memory than the trainer may use.
var ErrMemory = errors.New("learning from these pictures takes too much memory")

// HoldOut splits sources into pictures to train on and held-out pictures. count is the number of held-out pictures,
// which the seed chooses. Each part keeps the order of sources.
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

// Digest is the SHA-256 of the brightness of all training pictures in their order. The zero value is ready for use.
type Digest struct{ sum hash.Hash }

// Add adds the brightness of a picture.
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

// Symmetries names the flips and rotations that turn a patch into one that is equally good to learn from.
type Symmetries string

// AllSymmetries are the 16 symmetries of photographs: flips, quarter turns, and the negative. With NoSymmetries patches
// keep their orientation, as they must for digits, which are upright and white on black.
const (
	AllSymmetries Symmetries = "all"
	NoSymmetries  Symmetries = "none"
)

// Check returns an error unless s is AllSymmetries or NoSymmetries.
func (s Symmetries) Check() error {
	if s == AllSymmetries || s == NoSymmetries {
		return nil
	}
	return usage.Errorf("training: %s", usage.Unknown("symmetries", string(s),
		[]string{string(AllSymmetries), string(NoSymmetries)}))
}

// CheckReductions returns an error for the first factor that is not above 0 and below 1.
func CheckReductions(factors []float64) error {
	for _, r := range factors {
		if !(r > 0 && r < 1) {
			return usage.Errorf("training: reduction %g, expected more than 0 and less than 1", r)
		}
	}
	return nil
}

// Range is an integer option with its allowed range.
type Range struct {
	// Name is the name of the option in an error.
	Name string
	// Value must be at least Least and at most Most.
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
