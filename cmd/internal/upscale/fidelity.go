package upscale

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"path/filepath"
	"strings"

	"github.com/disintegration/imaging"

	"superres/cmd/internal/console"
	"superres/cmd/internal/enlarging"
	"superres/cmd/internal/pictures"
	"superres/internal/imagefile"
	"superres/superres"
	embedded "superres/superres/models"
)

// provenance is one line about what makes an output by a model. It names no folder
// and no time: the same call gives the same bytes everywhere. A model is told by its
// fingerprint too: that of all scales and stages for one that is part of the program,
// whichever are used.
func provenance(name string, model *superres.Model, opt Options) (string, error) {
	text := fmt.Sprintf("superres %s; model %s", console.Version, filepath.Base(name))
	sum := embedded.Fingerprint(name)
	if strings.ContainsAny(name, `./\`) {
		var err error
		if sum, err = model.Fingerprint(); err != nil {
			return "", err
		}
	}
	if sum != "" {
		text += fmt.Sprintf(" (sha256 %s)", sum[:16])
	}
	how := "size"
	if opt.Size.Fit {
		how = "fit"
	}
	text += fmt.Sprintf("; %s %s", how, pictures.SizeText(opt.Size))
	for _, flag := range opt.Given {
		text += "; " + flag
	}
	return text, nil
}

// checkDepth refuses outputs that cannot have the depth asked for.
func checkDepth(f enlarging.Fidelity, jobs []job) error {
	for _, j := range jobs {
		if f.Depth == 16 && !j.format.CanDeep() {
			return console.Usage("--depth 16: %s has 8 bits a sample; use --format png or tiff",
				strings.ToUpper(string(j.format)))
		}
	}
	return nil
}

// deepened is the header of a picture as if it had the depth of its output, for
// estimates.
func deepened(f enlarging.Fidelity, cfg image.Config) image.Config {
	if f.Depth == 16 {
		switch cfg.ColorModel {
		case color.GrayModel, color.Gray16Model:
			cfg.ColorModel = color.Gray16Model
		default:
			cfg.ColorModel = color.NRGBA64Model
		}
	}
	return cfg
}

// finish returns the enlargement out of pic as the format can have it, how it is to
// be written, and what is lost.
func finish(f enlarging.Fidelity, pic *imagefile.Picture, out image.Image, format imagefile.Format, quality int,
	software string) (image.Image, imagefile.EncodeOptions, []string) {
	grey := pic.GreyAlpha
	if !format.CanAlpha() {
		out = onWhite(out)
		if grey {
			flat := image.NewGray(out.Bounds())
			draw.Draw(flat, flat.Rect, out, out.Bounds().Min, draw.Src)
			out, grey = flat, false
		}
	}
	isGrey := grey && format.CanGreyAlpha()
	switch out.(type) {
	case *image.Gray, *image.Gray16:
		isGrey = true
	}
	_, lost := pic.Metadata.For(string(format), isGrey)
	warnings := append(pic.Warnings[:len(pic.Warnings):len(pic.Warnings)], lost...)
	return out, imagefile.EncodeOptions{Quality: quality, Metadata: pic.Metadata, Software: software,
		GreyAlpha: grey}, warnings
}

// onWhite puts a picture with transparency on a white ground, for formats that
// have none.
func onWhite(img image.Image) image.Image {
	if o, ok := img.(interface{ Opaque() bool }); ok && o.Opaque() {
		return img
	}
	return imaging.OverlayCenter(imaging.New(img.Bounds().Dx(), img.Bounds().Dy(), color.White), img, 1)
}
