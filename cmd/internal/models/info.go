package models

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/superres"
	embedded "superres/superres/models"
)

// infoCommand returns the command superres models info.
func infoCommand(s *console.Streams) *cli.Command {
	var asJSON bool
	return console.Command(&cli.Command{
		Name: "info", Usage: "say what a model is: architecture, size, reach, terms", ArgsUsage: "[FLAGS] NAME|FILE...",
		Description: `   superres models info realesr-animevideov3-x4
   superres models info 4x-UltraSharp.pth --json

MACs are products for one pixel of the picture that is enlarged. A pixel of the result
depends on as many rows and columns on each side as the reach says.`,
		Flags: []cli.Flag{console.JSONOption(&asJSON, "print JSON")},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return console.Usage("no model; superres models lists them")
			}
			return informAll(c.Context, s.Out, c.Args().Slice(), asJSON)
		},
	})
}

// informAll writes to w the information about the models called names, as JSON if asJSON is true, else as text.
func informAll(ctx context.Context, w io.Writer, names []string, asJSON bool) error {
	for _, name := range names {
		i, err := inform(ctx, name)
		if err == nil && asJSON {
			err = console.WriteJSON(w, i)
		} else if err == nil {
			_, err = io.WriteString(w, i.String())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// information is what superres models info says about a model. Fields that do not apply are empty.
type information struct {
	Name string `json:"name"` // the name or the file that the user gave
	// Kind is "network" if another program trained the model, "model" if superres did, or "interpolation".
	Kind         string `json:"kind"`
	Architecture string `json:"architecture,omitempty"` // the name of the architecture, or the kinds of the stages
	// Scale is the factor by which the model enlarges without a reduction afterwards; 0: any factor.
	Scale int `json:"scale"`
	// Colour says how colour is enlarged: "red, green and blue together", or "brightness, and colour by" other means.
	Colour     string  `json:"colour,omitempty"`
	Parameters int     `json:"parameters,omitempty"`     // the number of weights, biases and slopes
	MACs       float64 `json:"macs_per_pixel,omitempty"` // the number of multiplications for each pixel of the input
	// Reach is the number of rows and columns of the input picture, on each side, that influence a pixel of the result.
	Reach int `json:"reach,omitempty"`
	// Range is the range of the network's samples, such as "0..1", or "0..255 in and 0..1 out".
	Range string `json:"range,omitempty"`
	// File is the base name of the file that was imported, Format its format, and SHA256 the hash of its bytes. If a
	// network comes as two files, such as .param and .bin of ncnn, the hash is of the bytes of both.
	File    string `json:"file,omitempty"`
	Format  string `json:"format,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
	Trainer string `json:"trainer,omitempty"` // the programs that trained the model; empty: the model was not learned
	// Trained says on which pictures superres trained the model, and Command is the (last) command that did so.
	Trained string `json:"trained_on,omitempty"`
	Command string `json:"command,omitempty"`
	// Fingerprint is the hash of everything that decides the pixels of results, which record its first digits.
	Fingerprint string `json:"fingerprint"`
	Terms       string `json:"terms"` // the terms of use, or a sentence that says that they are unknown
}

const unknownTerms = "superres does not know its terms; ask its author"

// inform returns the information about the model called name.
func inform(ctx context.Context, name string) (i information, err error) {
	m, err := Open(ctx, name)
	if err != nil {
		return i, err
	}
	i = information{Name: name, Kind: "model", Scale: m.Scale, Terms: unknownTerms}
	if i.Fingerprint, err = m.Fingerprint(); err != nil {
		return i, err
	}
	if m.Provenance.Command != "" {
		i.Trainer = cmp.Or(m.Provenance.Trainer, "superres")
	}
	if slices.Contains(embedded.Names(), name) {
		i.Terms = "those of superres, BSD 3-Clause"
	}
	n := m.Provenance.Imported
	switch {
	case m.IsPlain():
		i.Kind = "interpolation"
	case n == nil:
		i.Architecture, i.Colour = stageKinds(m), "brightness, and colour by interpolation"
		if p := m.Provenance; p.Command != "" {
			i.Trained, i.Command = fmt.Sprintf("%d pictures of %s", p.Pictures, strings.Join(p.Data, ", ")), p.Command
		}
		if m.Colour != nil {
			i.Colour = "brightness, and colour by a network of its own"
		}
	default:
		if m.Network != nil {
			i.Reach, i.Colour = m.Network.Reach(), "red, green and blue together"
			if m.Network.Channels() == 1 {
				i.Colour = "brightness, and colour by interpolation"
			}
		}
		i.Kind, i.Architecture, i.Parameters, i.MACs = "network", n.Architecture, n.Parameters, n.MACs
		i.Range, i.File, i.Format, i.SHA256 = n.Range, n.File, n.Format, n.SHA256
		if n.Terms != "" {
			i.Terms = n.Terms
		}
	}
	return i, nil
}

// stageKinds returns the kinds of the stages of m, joined by " + ".
func stageKinds(m *superres.Model) string {
	var kinds []string
	for _, s := range m.Stages {
		kinds = append(kinds, s.Kind())
	}
	return strings.Join(kinds, " + ")
}

// String returns i as lines of text.
func (i information) String() string {
	var b strings.Builder
	line := func(what, format string, args ...any) {
		fmt.Fprintf(&b, "  %-13s%s\n", what, safefile.OneLine(fmt.Sprintf(format, args...))) // it may come from a file
	}
	fmt.Fprintf(&b, "%s: %s\n", safefile.OneLine(i.Name), i.Kind)
	if i.Architecture != "" {
		line("architecture", "%s", i.Architecture)
	}
	if i.Scale == 0 {
		line("scale", "any")
	} else {
		line("scale", "×%d of its own; any other is reached from it", i.Scale)
	}
	if i.Colour != "" {
		line("enlarges", "%s", i.Colour)
	}
	if i.Kind == "network" {
		line("parameters", "%s", console.Quantity(float64(i.Parameters)))
		line("MACs", "%s a pixel", console.Quantity(i.MACs))
		line("reach", "%d pixels", i.Reach)
		if i.Range != "" {
			line("samples", "%s", i.Range)
		}
		line("file", "%s (%s)", i.File, i.Format)
		line("SHA-256", "%s", i.SHA256)
	}
	if i.Trained != "" {
		line("trained on", "%s", i.Trained)
		line("by", "%s", i.Command)
	}
	if i.Trainer != "" {
		line("trained by", "%s", i.Trainer)
	}
	line("fingerprint", "%s", i.Fingerprint)
	line("terms", "%s", i.Terms)
	return b.String()
}
