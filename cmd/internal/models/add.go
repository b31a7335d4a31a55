package models

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/safefile"
	"superres/internal/settings"
	"superres/internal/usage"
	"superres/superres"
)

// addCommand returns the command superres models add.
func addCommand(s *console.Streams) *cli.Command {
	a := adding{out: s.Out}
	return console.Command(&cli.Command{
		Name: "add", Usage: "import networks of other programs, to be used by name", ArgsUsage: "[FLAGS] FILE...",
		Description: `   superres models add realesr-animevideov3-x4.param        and then -m realesr-animevideov3-x4
   superres models add 4x-UltraSharp.pth --name sharp
   superres models add ~/.config/upscayl/models/            all that are in the folder
   superres models add my.npz                               a model of superres train

Of ncnn's networks, NAME.param stands for NAME.bin too. ONNX, safetensors and PyTorch's
files are read as well; nothing in a file is ever called. What superres writes to the
folder of your models, ` + "$SUPERRES_MODELS" + ` or superres/models where the system keeps data
of programs, needs its file no more.
A network's terms of use are its author's: superres tells them where the file does.`,
		Flags: console.Flags(a.table()),
		Action: func(c *cli.Context) error {
			if !c.Bool("quiet") {
				a.notes = s.Err
			}
			a.opener.Memory = a.limits.Memory
			a.overwrite = console.Overwrites(c)
			return a.addAll(c.Context, c.Args().Slice())
		},
	})
}

// adding holds the options and the output of one call of superres models add.
type adding struct {
	opener    Opener
	notes     io.Writer      // receives a line about each file that cannot be added; nil: no lines
	limits    console.Limits // only limits.Memory is used
	name      string         // name for the model; empty: the base name of the file
	terms     string         // terms of use for a file that states none; empty: unknown
	overwrite bool           // replace a user's model of the same name; false: fail
	out       io.Writer
}

// table returns the options of superres models add. An option that is set sets a field of a.
func (a *adding) table() settings.Table {
	return settings.Table{
		{Name: "name", To: settings.Text(&a.name, ""),
			Help: "call the model `NAME`: letters, digits, _, + and -; by default as the file is called"},
		console.MemoryOption(&a.limits), console.OnExistOption("there is another model of that name"),
		console.QuietOption(nil),
	}
}

// addAll adds the models in the files and folders that args name. If a model cannot be added, the others still are.
func (a *adding) addAll(ctx context.Context, args []string) error {
	files, err := modelFiles(args)
	switch {
	case err != nil:
		return err
	case len(files) == 0:
		return console.Usage("no file to add; superres models add --help shows examples")
	case a.name != "" && len(files) > 1:
		return console.Usage("--name %s: there are %d files, and a name is for one", a.name, len(files))
	case a.name != "":
		if err := checkName(a.name); err != nil {
			return err
		}
	}
	var failed []string
	for _, file := range files {
		err := a.add(ctx, file)
		switch {
		case err == nil:
			continue
		case len(files) == 1 || ctx.Err() != nil:
			return err
		}
		failed = append(failed, file.name)
		if a.notes != nil {
			fmt.Fprintln(a.notes, "superres:", console.Message(err))
		}
	}
	switch {
	case len(failed) == len(files):
		return console.Failf(console.ExitModel, "none of the %d files can be added", len(files))
	case len(failed) > 0:
		return console.Failf(console.ExitSome, "%d of %d files cannot be added, the others are: %s", len(failed),
			len(files), console.FirstOf(failed))
	}
	return nil
}

// modelFiles returns the files among args and, sorted, the networks and models in each folder among args. The two files
// of an ncnn network become one element, so a .bin in a folder counts as part of a .param.
func modelFiles(args []string) (files []file, err error) {
	seen := map[string]bool{}
	take := func(name string) {
		f := identify(name)
		if key := paths.Real(f.parts()[0]); !seen[key] { // .param and .bin have the same first part
			seen[key] = true
			files = append(files, f)
		}
	}
	for _, name := range args {
		if !paths.IsFolder(name) {
			take(name)
			continue
		}
		entries, err := os.ReadDir(name) // sorted
		if err != nil {
			return nil, console.Fail(console.ExitModel, safefile.Unreadable(name, err))
		}
		before := len(files)
		for _, e := range entries {
			ext := strings.ToLower(filepath.Ext(e.Name()))
			if !e.IsDir() && (slices.Contains(networkSuffixes, ext) && ext != ".bin" || ext == suffix) {
				take(filepath.Join(name, e.Name()))
			}
		}
		if len(files) == before {
			return nil, console.Failf(console.ExitModel, "%s: there is no network in this folder (known: %s)", name,
				strings.Join(networkSuffixes, " "))
		}
	}
	return files, nil
}

// add adds the model in the file from to the user's models and writes a line about the model to a.out. If the user has
// the model already, under any name or, with --name, under this name, the line says so, and nothing is added.
func (a *adding) add(ctx context.Context, from file) error {
	name := a.name
	if name == "" {
		base := filepath.Base(from.name)
		name = nameFor(strings.TrimSuffix(base, filepath.Ext(base)))
		if err := checkName(name); err != nil {
			return fmt.Errorf("%s: %w", from.name, err)
		}
	}
	m, err := a.opener.openFile(ctx, from)
	if err != nil {
		return err
	}
	if i := m.Provenance.Imported; i != nil && i.Terms == "" {
		i.Terms = a.terms
	}
	known, err := sameModel(m)
	if err != nil {
		return err
	}
	if known != "" && (a.name == "" || a.name == known) {
		_, err := fmt.Fprintf(a.out, "%s: is there already, as %s\n", from.name, known)
		return err
	}
	if err := write(name, m, safefile.ModeOf(from.parts()...), a.overwrite); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.out, "%s: %s\n", name, Summary(m))
	return err
}

// write saves m as the user's model called name, with no permission that most lacks. overwrite lets it replace a model.
// It refuses a name that differs from another in case alone, since some systems take both for one file.
func write(name string, m *superres.Model, most os.FileMode, overwrite bool) error {
	path, err := userPath(name)
	if err != nil {
		return err
	}
	others := UserNames()
	i := slices.IndexFunc(others, func(other string) bool { return strings.EqualFold(other, name) })
	if i >= 0 && (!overwrite || others[i] != name) {
		return console.Failf(console.ExitOutput, "there is another model %s; give a --name, or use "+
			"--on-exist overwrite", others[i])
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return safefile.Unwritable(filepath.Dir(path), err)
	}
	return safefile.WriteAtomicMode(most, path, overwrite, m.Save)
}

// sameModel returns the name of a user's model that equals m: if m is an imported network, a network imported from the
// same bytes, else a model with the same Fingerprint. It returns "" if there is no such model.
func sameModel(m *superres.Model) (string, error) {
	want, err := m.Fingerprint()
	if err != nil {
		return "", err
	}
	for _, name := range UserNames() {
		path, err := userPath(name)
		if err != nil {
			return "", err
		}
		h, err := readHead(path)
		if err != nil || (h.Provenance.Imported == nil) != (m.Provenance.Imported == nil) {
			continue // a damaged file counts as different
		}
		if n := h.Provenance.Imported; n != nil {
			if n.SHA256 == m.Provenance.Imported.SHA256 {
				return name, nil
			}
			continue
		}
		if other, err := (Opener{}).openNamed(name); err == nil {
			if sum, err := other.Fingerprint(); err == nil && sum == want {
				return name, nil
			}
		}
	}
	return "", nil
}

// removeCommand returns the command superres models remove.
func removeCommand() *cli.Command {
	return console.Command(&cli.Command{
		Name: "remove", Usage: "remove models that superres models add has added", ArgsUsage: "NAME...",
		Description: `   superres models remove realesr-animevideov3-x4`,
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return console.Usage("no name; superres models lists them")
			}
			return remove(c.Args().Slice())
		},
	})
}

// remove removes the user's models called names. If a name has no model, it removes nothing.
func remove(names []string) error {
	users := UserNames()
	for _, name := range names {
		switch {
		case slices.Contains(users, name):
		case slices.Contains(Names(), name):
			return console.Usage("%s is part of the program and stays", name)
		default:
			return superres.Unusable(errors.New(usage.Unknown("model", name, users)))
		}
	}
	for _, name := range names {
		path, err := userPath(name)
		if err != nil {
			return err
		}
		if err := os.Remove(path); err != nil {
			return safefile.Unwritable(path, err)
		}
	}
	return nil
}
