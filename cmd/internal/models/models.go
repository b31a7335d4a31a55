// Package models opens models by name or from a file and describes them; its command is superres models. The
// models embedded in the program are in package superres/models, which packages in cmd import as embedded.
package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/settings"
	"superres/internal/safefile"
	"superres/superres"
	embedded "superres/superres/models"
	"superres/superres/resample"
)

// The names of models that commands refer to.
const (
	// Auto lets a command choose for each picture: PhotoReal if it finds noise or compression, otherwise Photo.
	Auto = "auto"
	// Photo is for pictures without noise and compression.
	Photo = "photo"
	// PhotoReal is for pictures with the noise and compression that people's files have.
	PhotoReal = "photo-real"
	// Digits is for small pictures of digits.
	Digits = "digits"
)

// Command returns the command superres models.
func Command(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "models", Usage: "list the models that need no file, or tell where a model comes from",
		ArgsUsage: "[NAME|FILE...]",
		Description: `   superres models
   superres models photo            its provenance, as JSON
   superres models my.npz

A model's provenance has the exact command that made it: in a folder with the same
pictures it gives the same bytes; init is where the model comes from that its --init
names. A model file is an .npz file: in Python, numpy.load("my.npz")["stage0.low"] is
D_L of a coupled stage, ["stage0.weights"] are the weights of a convolutional one, in
16 bits.`,
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return describe(s.Out, c.Args().Slice())
			}
			return list(s.Out)
		},
	})
}

// Option returns the option called name, "model" or "models"; "model" has the alias m. It completes embedded models.
func Option(name string, to settings.Value, help string) *settings.Option {
	o := &settings.Option{Name: name, To: to, Help: help,
		Words: func() []settings.Word { return settings.Plain(embedded.Names()) }}
	if name == "model" {
		o.Aliases = []string{"m"}
	}
	return o
}

// WithAuto returns the names of the embedded models, and Auto, for completion.
func WithAuto() []settings.Word {
	return append(settings.Plain(embedded.Names()), settings.Word{Text: Auto, About: "the best for each picture"})
}

// describe writes the descriptions of models, with their provenance, as JSON.
func describe(w io.Writer, names []string) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	for _, name := range names {
		m, err := Open(name)
		if err != nil {
			return err
		}
		if err := enc.Encode(m.Describe()); err != nil {
			return err
		}
	}
	return nil
}

// list writes one line for each embedded model.
func list(w io.Writer) error {
	for _, name := range embedded.Names() {
		m, err := embedded.Open(name)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%-10s %s\n", name, Summary(m)); err != nil {
			return err
		}
	}
	return nil
}

// Summary returns one line that describes m: its scale, stages and training and, if known, its score.
func Summary(m *superres.Model) string {
	if len(m.Stages) == 0 {
		return "plain interpolation, any scale"
	}
	var kinds []string
	for _, s := range m.Stages {
		kinds = append(kinds, s.Kind())
	}
	p := m.Provenance
	text := fmt.Sprintf("×%d from %s, %s", m.Scale, m.Degradation, strings.Join(kinds, " + "))
	if p.Atoms > 0 {
		text += fmt.Sprintf(", %d atoms", p.Atoms)
	}
	if p.Imported != nil {
		return text + " imported from " + p.Imported.File
	}
	text += " by " + p.Learner
	if m.Colour != nil || m.Subsampled != nil {
		text += ", with colour"
	}
	if p.Score == nil {
		return text
	}
	a, b := p.Score.Model, p.Score.Bicubic
	if m.Degradation == resample.Box {
		return text + fmt.Sprintf(", error %.4f on %d held-out pictures (bicubic %.4f)", a.NFE, p.HeldOut, b.NFE)
	}
	return text + fmt.Sprintf(", %.2f dB on %d held-out pictures (bicubic %.2f)", a.PSNR, p.HeldOut, b.PSNR)
}

// Open returns the model in the file name, if name has a dot or a slash, else the embedded model of that name.
func Open(name string) (*superres.Model, error) {
	if !strings.ContainsAny(name, `./\`) {
		m, err := embedded.Open(name)
		if err != nil {
			return nil, fmt.Errorf("%w; or give a file that superres train wrote", err)
		}
		return m, nil
	}
	f, size, err := safefile.OpenRegular(name)
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err
		} else {
			err = errors.New("not a regular file")
		}
		return nil, console.Failf(console.ExitModel, "model %s cannot be read: %w; give a file that superres train "+
			"wrote, or a name that superres models lists", name, err)
	}
	defer f.Close()
	m, err := superres.Load(f, size)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	return m, nil
}
