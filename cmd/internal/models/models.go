// Package models opens models by name or from a file, and imports networks of other programs. Its command, superres
// models, lists, describes, adds and removes models. Package superres/models, imported as embedded, has our own.
//
// Read it in this order: open.go, which finds a model by its name; folder.go, the folder of the user's models and their
// names; network.go, which imports networks; then the commands: models.go, uses.go, add.go, get.go with catalogue.go,
// info.go. head.go reads the part of a model file that a listing needs.
package models

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/internal/settings"
	"superres/superres"
	embedded "superres/superres/models"
)

// The names of embedded models that commands refer to.
const (
	Auto      = embedded.Auto
	Photo     = embedded.Photo
	PhotoReal = embedded.PhotoReal
	Digits    = embedded.Digits
)

// Command returns the command superres models.
func Command(s *console.Streams) *cli.Command {
	var asJSON bool
	c := console.Command(&cli.Command{
		Name: "models", Usage: "list, add and remove models, or tell where one comes from",
		ArgsUsage: "[NAME|FILE...]  or  add|info FILE...  or  get|remove NAME...",
		Description: `   superres models
   superres models photo
   superres models photo --json     and how it was made, each step of it
   superres models my.npz
   superres models get realesr-general-x4v3              fetches one that people like
   superres models add realesr-animevideov3-x4.param     a network of another program
   superres models info realesr-animevideov3-x4
   superres models remove realesr-animevideov3-x4

A model's provenance has the exact command that made it: in a folder with the same
pictures it gives the same bytes; init is where the model comes from that its --init
names. A model file is an .npz file: in Python, numpy.load("my.npz")["stage0.low"] is
D_L of a coupled stage, ["stage0.weights"] are the weights of a convolutional one, in
16 bits.`,
		Subcommands: []*cli.Command{getCommand(s), addCommand(s), removeCommand(), infoCommand(s)},
		Flags:       []cli.Flag{console.JSONOption(&asJSON, "print all that is known, as JSON")},
		Action: func(c *cli.Context) error {
			switch {
			case c.NArg() == 0:
				return list(c.Context, s.Out)
			case asJSON:
				return describe(c.Context, s.Out, c.Args().Slice())
			}
			return informAll(c.Context, s.Out, c.Args().Slice(), false)
		},
	})
	for _, sub := range c.Subcommands {
		sub.HelpName = "superres models " + sub.Name
	}
	return c
}

// Option returns the option called name, "model" (with the alias m) or "models". Shell completion offers Words for it.
func Option(name string, to settings.Value, help string) *settings.Option {
	o := &settings.Option{Name: name, To: to, Help: help, Words: Words}
	if name == "model" {
		o.Aliases = []string{"m"}
	}
	return o
}

// describe writes to w, as JSON, what Model.Describe says of each model in names: what it is and how it was made.
func describe(ctx context.Context, w io.Writer, names []string) error {
	for _, name := range names {
		m, err := Open(ctx, name)
		if err != nil {
			return err
		}
		if err := console.WriteJSON(w, m.Describe()); err != nil {
			return err
		}
	}
	return nil
}

// list writes to w one line for each model: Auto, the embedded models, the user's models, and the networks that
// superres models get offers and the user does not have. A catalogue that would have to be fetched is left out.
func list(ctx context.Context, w io.Writer) error {
	var ours, yours, others [][2]string
	for _, name := range append([]string{Auto}, embeddedNames()...) {
		ours = append(ours, [2]string{name, uses[name]})
	}
	names := UserNames()
	for _, name := range names {
		yours = append(yours, [2]string{name, summaryOf(name)})
	}
	dir, err := Folder()
	if err != nil && len(yours) > 0 {
		return err
	}
	catalogue, err := openCatalogue(ctx, nil)
	if err != nil {
		return err
	}
	for _, l := range catalogue {
		if !slices.Contains(names, l.Name) {
			others = append(others, [2]string{l.Name, safefile.OneLine(fmt.Sprintf("×%d, %s", l.Scale, l.For))})
		}
	}
	const width, wider = len("photo-real-fast"), 24 // of the column of names: for ours and yours, and for others
	return cmp.Or(writeLines(w, "", width, ours), writeLines(w, "\nyours, in "+dir+":\n", width, yours),
		writeLines(w, "\nto be had by superres models get:\n", wider, others))
}

// writeLines writes to w head and lines in two columns, the first at least width wide, or nothing if lines is empty.
func writeLines(w io.Writer, head string, width int, lines [][2]string) error {
	if len(lines) == 0 {
		return nil
	}
	for _, line := range lines {
		width = max(width, len(line[0]))
	}
	for _, line := range lines {
		head += fmt.Sprintf("%-*s %s\n", width, line[0], line[1])
	}
	_, err := io.WriteString(w, head)
	return err
}

// summaryOf returns a line that describes the user's model called name, or says why it cannot be used. For an imported
// network it reads only the head of the file. A model that superres trained is opened, to know what it can do.
func summaryOf(name string) string {
	path, err := userPath(name)
	if err != nil {
		return console.Message(err)
	}
	if h, err := readHead(path); err == nil && h.Provenance.Imported != nil {
		return h.String()
	}
	m, err := Opener{}.openNamed(name)
	if err != nil {
		return "cannot be used: " + console.Message(err)
	}
	if m.Provenance.Imported != nil {
		return Summary(m)
	}
	return describeUse(m)
}

// Summary returns a line that says how m was made: its scale, stages and training and, if known, its score.
func Summary(m *superres.Model) string {
	p := m.Provenance
	switch {
	case m.IsPlain():
		return "plain interpolation, any scale"
	case p.Imported != nil:
		text := head{m.Scale, p}.String()
		if p.Imported.Range != "" {
			text += ", samples of " + p.Imported.Range
		}
		return text
	}
	text := fmt.Sprintf("×%d from %s, %s", m.Scale, m.Degradation, stageKinds(m))
	if p.Atoms > 0 {
		text += fmt.Sprintf(", %d atoms", p.Atoms)
	}
	text += " by " + p.Learner
	if m.Colour != nil || m.Subsampled != nil {
		text += ", with colour"
	}
	return text + scoreText(m)
}
