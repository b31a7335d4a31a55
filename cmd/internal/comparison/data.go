package comparison

import (
	"context"
	"crypto/sha256"
	"fmt"
	"image"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/safefile"
	"superres/mnist"
	"superres/superres/training"
)

// paperTable1 are the figures of the paper's Table 1, by digit and learner.
var paperTable1 = map[uint8]map[string]float64{
	5: {"rop": 0.0464, "blotless": 0.3519, "ksvd": 0.3264, "mod": 0.4757},
	0: {"rop": 0.0117, "blotless": 0.2919, "ksvd": 0.4493, "mod": 0.4626},
	9: {"rop": 0.0471, "blotless": 0.3693, "ksvd": 0.4229, "mod": 0.4710},
	2: {"rop": 0.0281, "blotless": 0.3528, "ksvd": 0.3738, "mod": 0.4302},
}

// data are the pictures of a comparison.
type data struct {
	// train are those that may be learned from.
	train []training.Source
	// tests are those that are restored.
	tests []testPicture
	// identity names the files and hashes them: results are those of the same names and
	// bytes.
	identity string
	// most is the mode that new files with pictures get at most, by the files.
	most fs.FileMode
}

// testPicture is a picture to be restored.
type testPicture struct {
	// name is what tables call it.
	name string
	// img is the picture itself, the truth.
	img image.Image
	// paper has the paper's errors by learner. It is nil where the paper has none.
	paper map[string]float64
}

// readData reads what the protocol and the flags ask for.
func readData(ctx context.Context, opt Options, bar *console.Progress) (d data, err error) {
	d.most = safefile.AnyMode
	if opt.Protocol.photo {
		err = d.readPhotos(ctx, opt)
	} else {
		err = d.readDigits(ctx, opt, bar)
	}
	return d, err
}

// readDigits reads MNIST's training file and the digits to restore: those of Table 1, where
// --images names no others.
func (d *data) readDigits(ctx context.Context, opt Options, bar *console.Progress) error {
	file, err := trainingFile(opt.Inputs[0])
	if err != nil {
		return err
	}
	sum, err := mnist.FileSum(file)
	if err != nil {
		return console.Fail(console.ExitInput, err)
	}
	d.identity = fmt.Sprintf("%x", sum[:8])
	d.most &= safefile.ModeOf(file, opt.Images)
	if which, ok := mnist.Official(sum); !ok || !strings.HasPrefix(which, "train-images") {
		bar.Line("%s is not MNIST's training file as distributed: the digits of Table 1 may be others", file)
	}
	whole := opt.Sources
	whole.Choice = pictures.Choice{} // which is among Images
	all, err := whole.IDX(ctx, file)
	if err != nil {
		return err
	}
	var kept []int // of Table 1, which nothing learns from
	for _, digit := range mnist.Table1() {
		if digit.Index >= len(all) {
			if opt.Images == "" {
				return console.Fail(console.ExitInput, fmt.Errorf("%s has %d images, Table 1 needs image %d; give MNIST's training file, or --images", file, len(all), digit.Index))
			}
			break
		}
		kept = append(kept, digit.Candidates...)
		img, err := all[digit.Index].Open(ctx)
		if err != nil {
			return err
		}
		d.tests = append(d.tests, testPicture{fmt.Sprintf("digit %d", digit.Digit), img, paperTable1[digit.Digit]})
	}
	switch opt.Protocol.name {
	case "single":
		d.train = all[:min(opt.Protocol.runs, len(all))]
	case "pooled":
		d.train = all[:min(2000, len(all))]
	default:
		for i, src := range all {
			if !slices.Contains(kept, i) {
				d.train = append(d.train, src)
			}
		}
	}
	return d.readTests(ctx, opt)
}

// trainingFile finds MNIST's training file in a folder.
func trainingFile(path string) (string, error) {
	if pictures.IsIDX(path) {
		return path, nil
	}
	for _, name := range []string{"train-images-idx3-ubyte.gz", "train-images-idx3-ubyte", "train-images.idx3-ubyte"} {
		found, err := filepath.Glob(filepath.Join(paths.GlobQuote(path), name))
		if err == nil && len(found) == 1 {
			return found[0], nil
		}
	}
	return "", console.Fail(console.ExitInput, fmt.Errorf("%s: no train-images-idx3-ubyte.gz there; name the folder of MNIST's files", path))
}

// readPhotos lists the pictures to learn from, and reads those to restore: every fifth,
// which is not learned from, where --images names none.
func (d *data) readPhotos(ctx context.Context, opt Options) error {
	list, err := opt.Sources.List(ctx, opt.Inputs)
	if err != nil {
		return err
	}
	d.train = list
	if d.identity, err = d.identify(ctx, opt.Inputs, opt.Sources.Recursive); err != nil {
		return err
	}
	if opt.Images != "" {
		return d.readTests(ctx, opt)
	}
	if len(list) < 3 {
		return console.Usage("two pictures to learn from and one to restore are needed at least, %d found; name more, or those to restore: --images PATH", len(list))
	}
	d.train = nil
	for i, src := range list {
		if i%5 != min(4, len(list)-1) {
			d.train = append(d.train, src)
		} else if err := d.addTest(ctx, src); err != nil {
			return err
		}
	}
	d.identity += " | every fifth restored"
	return nil
}

// readTests reads the pictures of --images, if there are any, in place of others.
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
		if err := d.addTest(ctx, src); err != nil {
			return err
		}
	}
	return nil
}

// addTest reads a picture to restore.
func (d *data) addTest(ctx context.Context, src training.Source) error {
	img, err := src.Open(ctx)
	if err != nil {
		return err
	}
	name := filepath.Base(src.Name)
	d.tests = append(d.tests, testPicture{name: strings.TrimSuffix(name, filepath.Ext(name)), img: img})
	return nil
}

// identify names the arguments, hashes the files they stand for and notes their mode.
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
			d.most &= safefile.ModeOf(file.Path)
			_, err = io.Copy(sum, f)
			f.Close() // of a file that was read
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return "", console.Fail(console.ExitInput, fmt.Errorf("%s: %w", file.Path, err))
			}
		}
	}
	return fmt.Sprintf("%s (%x)", strings.Join(args, " "), sum.Sum(nil)[:8]), nil
}
