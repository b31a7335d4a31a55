// Package models has the models that are part of the program, by their names: the trained
// ones, which are embedded files, and the plain interpolations. A program that only loads
// or scores does not import it, and so does not carry their megabytes. It registers all
// kinds of stage that come with superres.
package models

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"superres/internal/usage"
	"superres/superres"
	_ "superres/superres/convolutional"
	_ "superres/superres/coupled"
	"superres/superres/resample"
)

//go:embed *.npz fingerprints
var files embed.FS

// baselines are the plain interpolations, which stand wherever a model may.
var baselines = []resample.Kernel{resample.Bicubic, resample.Lanczos, resample.Nearest}

// Names lists the models: the trained ones, then the plain interpolations.
func Names() []string {
	var names []string
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the program
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".npz"); ok && !strings.Contains(name, ".") {
			names = append(names, name)
		}
	}
	for _, k := range baselines {
		names = append(names, string(k))
	}
	return names
}

// Open returns the model of a name, with its siblings for other scales and its smaller one. The error for an
// unknown name lists the known ones and wraps superres.ErrModel.
func Open(name string) (*superres.Model, error) {
	if k := resample.Kernel(name); slices.Contains(baselines, k) {
		return superres.Plain(k), nil
	}
	if !slices.Contains(Names(), name) {
		return nil, superres.Unusable(errors.New(usage.Unknown("model", name, Names())))
	}
	m, err := load(name)
	if err != nil {
		return nil, err
	}
	// photo.x3.npz is photo for scale 3.
	file := func(scale int) string { return fmt.Sprintf("%s.x%d", name, scale) }
	for scale := 2; scale <= 4; scale++ {
		if _, err := fs.Stat(files, file(scale)+".npz"); err == nil {
			m = m.WithLazy(scale, func() (*superres.Model, error) { return load(file(scale)) })
		}
	}
	// photo-fast is photo for the effort fast.
	smaller := name + "-fast"
	if slices.Contains(Names(), smaller) {
		m = m.WithFast(func() (*superres.Model, error) { return Open(smaller) })
	}
	return m, nil
}

// robust is what the names of the models for pictures with degradations begin with; clean is
// what those for pictures without begin with.
const (
	robust = "photo-real"
	clean  = "photo"
)

// load returns the model of a file. A robust model has the colour of a clean one where a file
// keeps colour at half the resolution: learned with degradations, that colour comes out pale.
// RGB PSNR in dB of 25 pictures (Set5, open-valid, a part of T91) reduced by 2, in JPEG files
// of 4:2:0, and of coloured strokes drawn 1 to 4 pixels wide, enlarged by photo-real at the
// level of each picture:
//
//	quality of the file               40     60     75     90     97
//	photographs, its own colour       26.57  27.37  28.17  29.49  30.57
//	photographs, the colour of photo  26.58  27.41  28.26  29.70  30.87
//	strokes, its own colour                  23.99  24.42  24.86
//	strokes, the colour of photo             25.07  25.63  26.06
func load(name string) (*superres.Model, error) {
	m, err := loadFile(name)
	rest, is := strings.CutPrefix(name, robust)
	if err != nil || !is {
		return m, err
	}
	other, err := loadFile(clean + rest)
	if err != nil {
		return nil, err
	}
	m.Subsampled = other.Subsampled
	return m, nil
}

func loadFile(name string) (*superres.Model, error) {
	file, err := files.Open(name + ".npz")
	if err != nil {
		return nil, superres.Unusable(err)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, superres.Unusable(err)
	}
	return superres.Load(file.(io.ReaderAt), info.Size()) // as package embed says
}

// Fingerprint returns the fingerprint of Open(name) for the models of a file, and nothing
// for others. It is kept beside them: to work it out takes longer than to enlarge a small
// picture.
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
