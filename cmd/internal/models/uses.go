package models

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"superres/internal/settings"
	"superres/superres"
	embedded "superres/superres/models"
	"superres/superres/resample"
)

// uses holds a few words on what Auto and each embedded model are for.
var uses = map[string]string{
	Auto:              "the default: photo-real for noise or compression, else photo",
	Photo:             "clean photographs, drawings, text: keeps detail; ×2, ×3, ×4",
	PhotoReal:         "pictures with noise or compression: removes it; ×2, ×3, ×4",
	"photo-fast":      "photo for a quick look: what --effort fast takes",
	"photo-max":       "the finest form of photo: what --effort max takes; ×2, ×3, ×4",
	"photo-real-fast": "photo-real for a quick look: what --effort fast takes",
	"coupled":         "the paper's method, with dictionaries, for comparison; ×2",
	Digits:            "small grey pictures of digits, such as MNIST; ×2",
	"bicubic":         "plain interpolation, soft, for comparison; any scale",
	"lanczos":         "plain interpolation, crisper than bicubic; any scale",
	"nearest":         "repeats pixels as squares; any scale",
	embedded.Pixel:    "pixel art, which auto finds: no new colours; any scale",
}

// embeddedNames returns the names of the embedded models in the order in which users see them: the models that the
// default uses, their forms for other values of --effort, then all others.
func embeddedNames() []string {
	names := []string{Photo, PhotoReal, "photo-fast", "photo-real-fast", "photo-max"}
	for _, name := range embedded.Names() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Words returns Names, with the uses of the embedded models, for shell completion.
func Words() (words []settings.Word) {
	for _, name := range Names() {
		words = append(words, settings.Word{Text: name, About: uses[name]})
	}
	return words
}

// Compared returns the names of the models that a page offers for comparison: all except Digits, "coupled", which is
// the paper's model, and the forms for other values of --effort.
func Compared() []string {
	return slices.DeleteFunc(Names(), func(name string) bool {
		return name == Digits || name == "coupled" || strings.HasSuffix(name, "-fast") ||
			strings.HasSuffix(name, "-max")
	})
}

// About returns a line that says what the model called name is for, or "" if no model or network has this name.
func About(name string) string {
	if text, is := uses[name]; is {
		return text
	}
	if list, err := openCatalogue(context.Background(), nil); err == nil {
		for _, l := range list {
			if l.Name == name {
				return l.For
			}
		}
	}
	if !slices.Contains(UserNames(), name) {
		return ""
	}
	text, _, _ := strings.Cut(summaryOf(name), ", imported")
	return text
}

// WithAuto returns Words and Auto, for shell completion.
func WithAuto() []settings.Word { return append(Words(), settings.Word{Text: Auto, About: uses[Auto]}) }

// describeUse returns a line that says what m, a user's model trained by superres, does, and its score, if known.
func describeUse(m *superres.Model) string {
	text := fmt.Sprintf("enlarges ×%d", m.Scale)
	if m.Degradation == resample.Box {
		text += " what was reduced by means of blocks"
	}
	if m.IsGraded() {
		text += ", takes noise and compression away"
	}
	return text + ", learned by superres train" + scoreText(m)
}

// scoreText returns text that continues a line: the mean scores of m and bicubic on held-out pictures; "" if unknown.
// They are PSNR in dB (more is better) or, if m is for block means, the normalised squared error NFE (less is better).
func scoreText(m *superres.Model) string {
	p := m.Provenance
	if p.Score == nil {
		return ""
	}
	a, b := p.Score.Model, p.Score.Bicubic
	if m.Degradation == resample.Box {
		return fmt.Sprintf(", error %.4f on %d held-out pictures (bicubic %.4f)", a.NFE, p.HeldOut, b.NFE)
	}
	return fmt.Sprintf(", %.2f dB on %d held-out pictures (bicubic %.2f)", a.PSNR, p.HeldOut, b.PSNR)
}
