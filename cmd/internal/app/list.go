package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/learners"
	"superres/learners/plugin"
	"superres/learners/sparse"
	"superres/superres"
)

func learnersCommand(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "learners", Usage: "list the dictionary learners and their parameters",
		Description: "   superres learners\n   superres train --learner ksvd:exact=false -o my.npz photos/",
		Action:      func(*cli.Context) error { return list(s, learners.List()) },
	})
}

func codersCommand(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "coders", Usage: "list the sparse coders and their parameters",
		Description: "   superres coders\n   superres train --coder omp:sparsity=2 -o my.npz photos/",
		Action:      func(*cli.Context) error { return list(s, sparse.Coders()) },
	})
}

// list prints plug-ins with their parameters, defaults and papers.
func list[T any](s *console.Streams, infos []plugin.Info[T]) error {
	var b strings.Builder
	for _, info := range infos {
		fmt.Fprintf(&b, "%s\n   %s\n   %s\n", info.Name, info.Summary, info.Reference)
		for _, p := range info.Params() {
			fmt.Fprintf(&b, "   %s=%s  %s\n", p.Name, p.Default, p.Usage)
		}
	}
	_, err := fmt.Fprint(s.Out, b.String())
	return err
}

func modelsCommand(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "models", Usage: "list the models that need no file, or tell where a model comes from",
		ArgsUsage:   "[NAME|FILE...]",
		Description: "   superres models\n   superres models photo            its provenance, as JSON\n   superres models my.npz",
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				for _, name := range c.Args().Slice() {
					m, err := openModel(name)
					if err != nil {
						return err
					}
					enc := json.NewEncoder(s.Out)
					enc.SetIndent("", "  ")
					if err := enc.Encode(m.Describe()); err != nil {
						return err
					}
				}
				return nil
			}
			for _, name := range superres.Names() {
				m, err := superres.Builtin(name)
				if err != nil {
					return err
				}
				if _, err := fmt.Fprintf(s.Out, "%-10s %s\n", name, summary(m)); err != nil {
					return err
				}
			}
			return nil
		},
	})
}

// summary says in a line what a model is.
func summary(m *superres.Model) string {
	if len(m.Stages) == 0 {
		return "plain interpolation, any scale"
	}
	var kinds []string
	for _, s := range m.Stages {
		kinds = append(kinds, s.Kind())
	}
	p := m.Provenance
	text := fmt.Sprintf("×%d from %s, %s, %d atoms", m.Scale, m.Degradation, strings.Join(kinds, " + "), p.Atoms)
	if p.Imported != nil {
		return text + " imported from " + p.Imported.File
	}
	text += " by " + p.Learner
	if p.Score == nil {
		return text
	}
	a, b := p.Score.Model, p.Score.Bicubic
	if m.Degradation == superres.Box {
		return text + fmt.Sprintf(", error %.4f on %d held-out pictures (bicubic %.4f)", a.NFE, p.HeldOut, b.NFE)
	}
	return text + fmt.Sprintf(", %.2f dB on %d held-out pictures (bicubic %.2f)", a.PSNR, p.HeldOut, b.PSNR)
}

// openModel opens a model by the name of one that needs no file, or from a file.
func openModel(name string) (*superres.Model, error) {
	if !strings.ContainsAny(name, `./\`) {
		m, err := superres.Builtin(name)
		if err != nil {
			return nil, fmt.Errorf("%w; or give a file that superres train wrote", err)
		}
		return m, nil
	}
	// Stat first: to open a pipe would wait for ever.
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(name)
	}
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err
		}
		return nil, console.Fail(console.ExitModel, fmt.Errorf("model %s cannot be read: %w; give a file that superres train wrote, or a name that superres models lists", name, err))
	}
	defer f.Close()
	m, err := superres.Load(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	return m, nil
}
