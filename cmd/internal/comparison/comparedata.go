package comparison

import (
	"crypto/sha256"
	"fmt"
	"io"
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

// readDigits reads MNIST's training file, and the digits to restore.
func (cmp *comparison) readDigits(bar *console.Progress) error {
	file, err := trainingFile(cmp.c.Args().First())
	if err != nil {
		return err
	}
	sum, err := mnist.FileSum(file)
	if err != nil {
		return console.Fail(console.ExitInput, err)
	}
	cmp.data = fmt.Sprintf("%x", sum[:8])
	if which, ok := mnist.Official(sum); !ok || !strings.HasPrefix(which, "train-images") {
		bar.Line("%s is not MNIST's training file as distributed: the digits of Table 1 may be others", file)
	}
	all, err := pictures.Sources{Limits: cmp.limits, BytesPerPixel: comparedBytes}.IDX(cmp.c.Context, file)
	if err != nil {
		return err
	}
	var kept []int // of Table 1, which nothing learns from
	for _, d := range mnist.Table1() {
		if d.Index >= len(all) {
			if cmp.c.String("images") == "" {
				return console.Fail(console.ExitInput, fmt.Errorf("%s has %d images, Table 1 needs image %d; give MNIST's training file, or --images", file, len(all), d.Index))
			}
			break
		}
		kept = append(kept, d.Candidates...)
		img, err := all[d.Index].Open(cmp.c.Context)
		if err != nil {
			return err
		}
		cmp.tests = append(cmp.tests, testPicture{fmt.Sprintf("digit %d", d.Digit), img, paperTable1[d.Digit]})
	}
	switch cmp.protocol.name {
	case "single":
		cmp.protocol.runs = min(cmp.protocol.runs, len(all))
		cmp.train = all[:cmp.protocol.runs]
	case "pooled":
		cmp.train = all[:min(2000, len(all))]
	default:
		for i, src := range all {
			if !slices.Contains(kept, i) {
				cmp.train = append(cmp.train, src)
			}
		}
	}
	return cmp.readTests()
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

// comparedBytes is how much memory a pixel takes while pictures are read.
const comparedBytes = 100

// sources lists pictures.
func (cmp *comparison) sources(names []string) ([]training.Source, error) {
	from, err := pictures.ReadSources(cmp.c, cmp.limits, comparedBytes)
	if err != nil {
		return nil, err
	}
	return from.List(cmp.c.Context, names)
}

// readPhotos lists the pictures to learn from, and reads those to restore: every fifth,
// which is not learned from, where --images names none.
func (cmp *comparison) readPhotos() error {
	list, err := cmp.sources(cmp.c.Args().Slice())
	if err != nil {
		return err
	}
	cmp.train = list
	if cmp.data, err = cmp.describe(cmp.c.Args().Slice()); err != nil {
		return err
	}
	if cmp.c.String("images") != "" {
		return cmp.readTests()
	}
	if len(list) < 3 {
		return console.Usage("two pictures to learn from and one to restore are needed at least, %d found; name more, or those to restore: --images PATH", len(list))
	}
	cmp.train = nil
	for i, src := range list {
		if i%5 != min(4, len(list)-1) {
			cmp.train = append(cmp.train, src)
		} else if err := cmp.addTest(src); err != nil {
			return err
		}
	}
	cmp.data += " | every fifth restored"
	return nil
}

// readTests reads the pictures of --images.
func (cmp *comparison) readTests() error {
	path := cmp.c.String("images")
	if path == "" {
		return nil
	}
	cmp.tests = nil
	tests, err := cmp.describe([]string{path})
	if err != nil {
		return err
	}
	cmp.data += " | " + tests
	list, err := cmp.sources([]string{path})
	if err != nil {
		return err
	}
	for _, src := range list {
		if err := cmp.addTest(src); err != nil {
			return err
		}
	}
	return nil
}

// addTest reads a picture to restore.
func (cmp *comparison) addTest(src training.Source) error {
	img, err := src.Open(cmp.c.Context)
	if err != nil {
		return err
	}
	name := filepath.Base(src.Name)
	cmp.tests = append(cmp.tests, testPicture{name: strings.TrimSuffix(name, filepath.Ext(name)), img: img})
	return nil
}

// describe names the arguments and sums the files they stand for up: results are those
// of the same names and bytes.
func (cmp *comparison) describe(args []string) (string, error) {
	sum := sha256.New()
	for _, arg := range args {
		files := []pictures.Input{{Path: arg}}
		if !pictures.IsIDX(arg) {
			var err error
			if files, err = pictures.Expand(arg, cmp.c.Bool("recursive")); err != nil {
				return "", err
			}
		}
		for _, file := range files {
			f, size, err := safefile.OpenRegular(file.Path)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(sum, "%s\x00%d\x00", file.Path, size)
			_, err = io.Copy(sum, f)
			f.Close() // of a file that was read
			if err == nil {
				err = cmp.c.Context.Err()
			}
			if err != nil {
				return "", console.Fail(console.ExitInput, fmt.Errorf("%s: %w", file.Path, err))
			}
		}
	}
	return fmt.Sprintf("%s (%x)", strings.Join(args, " "), sum.Sum(nil)[:8]), nil
}
