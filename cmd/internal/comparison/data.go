package comparison

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/pictures"
	"superres/internal/safefile"
	"superres/mnist"
	"superres/superres/training"
)

// paperTable1 holds the errors in the paper's Table 1, by digit and learner.
var paperTable1 = map[uint8]map[string]float64{
	5: {"rop": 0.0464, "blotless": 0.3519, "ksvd": 0.3264, "mod": 0.4757},
	0: {"rop": 0.0117, "blotless": 0.2919, "ksvd": 0.4493, "mod": 0.4626},
	9: {"rop": 0.0471, "blotless": 0.3693, "ksvd": 0.4229, "mod": 0.4710},
	2: {"rop": 0.0281, "blotless": 0.3528, "ksvd": 0.3738, "mod": 0.4302},
}

// data are the pictures of a comparison.
type data struct {
	train    []training.Source // the pictures to learn from
	tests    []testPicture     // the pictures to restore
	identity string            // the names and hashes of the files; it is part of every task
	// mode limits the permissions of the report's files: they get no permission that an input picture lacks.
	mode fs.FileMode
}

// testPicture is a picture to restore.
type testPicture struct {
	name  string             // the name of the picture in tables
	img   image.Image        // the picture before it is reduced
	paper map[string]float64 // the error in the paper, by learner; nil: the picture is not in the paper
}

// readDigits sets d.train to digits from MNIST's training file, and d.tests to the images of --images or, without this
// option, to the digits of the paper's Table 1. It adds both to d.identity.
func (d *data) readDigits(ctx context.Context, opt Options, bar *console.Progress) error {
	file, err := trainingFile(opt.Inputs[0])
	if err != nil {
		return err
	}
	which, sum, err := mnist.Verify(file)
	if err != nil && !errors.Is(err, mnist.ErrUnofficial) {
		return console.Fail(console.ExitInput, err)
	}
	d.identity = fmt.Sprintf("%x", sum[:8])
	d.mode &= safefile.ModeOf(file, opt.Images)
	if which != "train-images-idx3-ubyte" {
		bar.Line("%s is not MNIST's training file as distributed: the digits of Table 1 may be others", file)
	}
	sources := opt.Sources
	sources.Choice = pictures.Choice{} // --index and --limit choose among opt.Images, not here
	digits, err := sources.IDX(ctx, file)
	if err != nil {
		return err
	}
	var excluded []int // the digits of Table 1, not used for learning
	for _, digit := range mnist.Table1() {
		if digit.Index >= len(digits) {
			if opt.Images == "" {
				return console.Failf(console.ExitInput, "%s has %d images, Table 1 needs image %d; give MNIST's "+
					"training file, or --images", file, len(digits), digit.Index)
			}
			break
		}
		excluded = append(excluded, digit.Candidates...)
		img, err := digits[digit.Index].Open(ctx)
		if err != nil {
			return err
		}
		d.tests = append(d.tests, testPicture{fmt.Sprintf("digit %d", digit.Digit), img, paperTable1[digit.Digit]})
	}
	switch opt.Protocol.name {
	case "single":
		d.train = digits[:min(opt.Protocol.runs, len(digits))]
	case "pooled":
		d.train = digits[:min(2000, len(digits))]
	default:
		for i, src := range digits {
			if !slices.Contains(excluded, i) {
				d.train = append(d.train, src)
			}
		}
	}
	return d.readTests(ctx, opt)
}

// trainingFile returns path if it is an IDX file, else the path of MNIST's training file in the folder path.
func trainingFile(path string) (string, error) {
	if pictures.IsIDX(path) {
		return path, nil
	}
	if found := pictures.FindIDX(path, "train-images-idx3-ubyte", "train-images.idx3-ubyte"); found != "" {
		return found, nil
	}
	return "", console.Failf(console.ExitInput, "%s: no train-images-idx3-ubyte.gz there; name the folder of "+
		"MNIST's files", path)
}

// readTests sets d.tests to the pictures of --images, if this option is given.
func (d *data) readTests(ctx context.Context, opt Options) error {
	if opt.Images == "" {
		return nil
	}
	names := []string{opt.Images}
	identity, err := d.identify(ctx, names, opt.Sources.Recursive)
	if err != nil {
		return err
	}
	d.identity += " | " + identity
	list, err := opt.Sources.List(ctx, names)
	if err != nil {
		return err
	}
	d.tests = nil
	for _, src := range list {
		img, err := src.Open(ctx)
		if err != nil {
			return err
		}
		name := filepath.Base(src.Name)
		d.tests = append(d.tests, testPicture{name: strings.TrimSuffix(name, filepath.Ext(name)), img: img})
	}
	return nil
}

// identify returns args as text, with a hash of the names and bytes of the files that args name. From d.mode, with
// which the report is written, it removes the permissions that a file lacks.
func (d *data) identify(ctx context.Context, args []string, recursive bool) (string, error) {
	sum := sha256.New()
	for _, arg := range args {
		files := []pictures.Input{{Path: arg}}
		if !pictures.IsIDX(arg) {
			var err error
			if files, _, err = pictures.Expand(arg, recursive); err != nil {
				return "", err
			}
		}
		for _, file := range files {
			f, size, err := safefile.OpenRegular(file.Path)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(sum, "%s\x00%d\x00", file.Path, size)
			d.mode &= safefile.ModeOf(file.Path)
			_, err = io.Copy(sum, f)
			f.Close() // an error is harmless after reading
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return "", console.Failf(console.ExitInput, "%s: %w", file.Path, err)
			}
		}
	}
	return fmt.Sprintf("%s (%x)", strings.Join(args, " "), sum.Sum(nil)[:8]), nil
}
