// Package models opens the models that are part of the program, by name: trained models, which are embedded files, and
// plain interpolations. Importing it registers all kinds of stage and of network that come with superres, and makes
// Auto the model of superres.Upscale. A program that only loads model files, or scores pictures, need not import it,
// and is then smaller by the size of the embedded files.
package models

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"superres/internal/usage"
	"superres/superres"
	_ "superres/superres/convolutional"
	_ "superres/superres/coupled"
	_ "superres/superres/networks"
	"superres/superres/resample"
	"superres/superres/stage"
)

//go:embed *.npz fingerprints
var files embed.FS

// interpolations are the plain interpolations, which can be used like models.
var interpolations = []resample.Kernel{resample.Bicubic, resample.Lanczos, resample.Nearest}

// Pixel is the name of the model for pixel art. The model Auto finds pixel art by itself.
const Pixel = "pixel"

// Names returns the names of the models: of trained models, sorted, then of plain interpolations, then Pixel.
func Names() []string {
	names := slices.DeleteFunc(fileNames(), func(name string) bool { return strings.Contains(name, ".") })
	for _, k := range interpolations {
		names = append(names, string(k))
	}
	return append(names, Pixel)
}

// fileNames returns the names of the embedded model files without their extension, sorted.
func fileNames() (names []string) {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the program
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".npz"); ok {
			names = append(names, name)
		}
	}
	return names
}

// Names of the models for most pictures, and of Digits.
const (
	// Auto is the name of a model that Open returns although Names lacks it: Photo, with PhotoReal as its robust model.
	// Auto chooses one by the noise and compression that it finds in a picture. It is the program's default.
	Auto = "auto"
	// Photo is for pictures without noise and compression.
	Photo = "photo"
	// PhotoReal is for pictures with noise and compression, as most people's files have.
	PhotoReal = "photo-real"
	// Digits is for small pictures of digits.
	Digits = "digits"
)

func init() {
	superres.SetDefault(func() (*superres.Model, error) { return Open(Auto) })
	for _, name := range fileNames() { // a file holds a model for one scale and effort; open joins the models of a name
		loaded[name] = sync.OnceValues(func() (*superres.Model, error) { return loadFile(name) })
	}
	for _, name := range Names() {
		opened[name] = sync.OnceValues(func() (*superres.Model, error) { return open(name) })
	}
}

// Open returns the model of the given name. Its variants for other scales and efforts are opened when they are needed.
// Each embedded file is read once in a program: all models of a name share stages, which must not be changed. The error
// for an unknown name lists the known names and wraps superres.ErrModel. Open may be called concurrently.
func Open(name string) (*superres.Model, error) {
	if name == Auto {
		m, err := Open(Photo)
		if err != nil {
			return nil, err
		}
		return m.WithRobust(func() (*superres.Model, error) { return Open(PhotoReal) }).WithJudge(), nil
	}
	if name == Pixel {
		return superres.PixelArt(), nil
	}
	if k := resample.Kernel(name); slices.Contains(interpolations, k) {
		return superres.Plain(k), nil
	}
	read := opened[name]
	if read == nil {
		return nil, superres.Unusable(errors.New(usage.Unknown("model", name, Names())))
	}
	m, err := read()
	if err != nil {
		return nil, err
	}
	own := *m // the caller may set its fields
	return &own, nil
}

// effortSuffix returns the end of the names of models for an effort.
func effortSuffix(effort string) string { return "-" + effort }

// opened holds, for each name of a model, a function that opens the model in its first call.
var opened = map[string]func() (*superres.Model, error){}

// open returns the trained model called name with its variants. The file photo.x3 holds photo for scale 3; the models
// photo-fast and photo-max are photo for the efforts fast and max.
func open(name string) (*superres.Model, error) {
	m, err := load(name)
	if err != nil {
		return nil, err
	}
	for scale := 3; scale <= 4; scale++ {
		if file := fmt.Sprintf("%s.x%d", name, scale); loaded[file] != nil {
			m = m.WithSibling(scale, func() (*superres.Model, error) { return load(file) })
		}
	}
	for _, effort := range superres.Efforts() {
		if other := name + effortSuffix(effort); opened[other] != nil {
			m = m.WithEffort(effort, func() (*superres.Model, error) { return Open(other) })
		}
	}
	return m, nil
}

// load returns the model of the embedded file with the given name. PhotoReal gets a choice of networks for subsampled
// colour: see byStrength. At the effort fast it gets only the network of Photo.
func load(name string) (*superres.Model, error) {
	m, err := loaded[name]()
	if err == nil && strings.Contains(name, effortSuffix("max")) {
		m = m.Large()
	}
	suffix, isRobust := strings.CutPrefix(name, PhotoReal)
	if err != nil || !isRobust {
		return m, err
	}
	cleanModel, err := loaded[Photo+suffix]()
	if err != nil {
		return nil, err
	}
	own := *m
	own.Subsampled = cleanModel.Subsampled
	if !strings.Contains(name, effortSuffix("fast")) {
		own.Subsampled = byStrength{cleanModel.Subsampled, cleanModel.Subsampled, m.Subsampled}
	}
	return &own, nil
}

// byStrength is the network for subsampled colour of PhotoReal. Tune chooses it by the strength of the degradation:
// from leastStrong on strong, PhotoReal's own, below that weak, the network of Photo. The embedded Colour is the
// network that Tune chose. Before the first Tune it is weak.
type byStrength struct {
	stage.Colour
	weak, strong stage.Colour
}

// leastStrong is the strength from which the network trained on degraded pictures enlarges colour. In good files that
// network makes colour pale. The table has the PSNR of RGB over the better of bicubic and Lanczos interpolation at ×2,
// in dB, of 26 pictures of open-valid and general-dev in JPEG files with 4:2:0 chroma, and their median strength:
//
//	quality of the file   95     90     85     80     75     60, as PNG
//	network of Photo      1.57   1.38   1.18   1.07   0.96   0.80
//	that network          1.42   1.27   1.17   1.13   1.06   0.94
//	strength              0.06   0.11   0.16   0.19   0.21
const leastStrong = 5. / 32

// Tune implements stage.Colour.
func (b byStrength) Tune(t stage.Tuning) (stage.Colour, error) {
	chosen := b.weak
	if t.Strength >= leastStrong {
		chosen = b.strong
	}
	tuned, err := chosen.Tune(t)
	if err != nil {
		return nil, err
	}
	return byStrength{tuned, b.weak, b.strong}, nil
}

// loaded holds, for each embedded file, a function that reads the file in its first call.
var loaded = map[string]func() (*superres.Model, error){}

// loadFile returns the model of the embedded file with the given name, unchanged.
func loadFile(name string) (*superres.Model, error) {
	file, err := files.Open(name + ".npz")
	if err != nil {
		return nil, superres.Unusable(err)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, superres.Unusable(err)
	}
	return superres.Load(file.(io.ReaderAt), info.Size()) // files of package embed are ReaderAts
}

// Fingerprint returns the fingerprint of the trained model called name, and "" for other names. It is read from a file
// beside the models, because computing it takes longer than enlarging a small picture.
func Fingerprint(name string) string {
	text, err := files.ReadFile("fingerprints")
	if err != nil {
		panic(err) // the file is part of the program
	}
	for line := range strings.Lines(string(text)) {
		if model, sum, ok := strings.Cut(strings.TrimSpace(line), " "); ok && model == name {
			return sum
		}
	}
	return ""
}
