package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/safefile"
	"superres/internal/usage"
	"superres/superres"
	embedded "superres/superres/models"
)

// Opener opens models by name or from files.
type Opener struct {
	Auto   bool  // the name Auto is accepted
	Memory int64 // how many bytes the import of a network may take; 0: 2 GiB
}

// Open calls Opener.Open for the zero Opener.
func Open(ctx context.Context, name string) (*superres.Model, error) { return Opener{}.Open(ctx, name) }

// IsFile reports whether name, given in place of a model, is the path of a file: if it has a dot, a slash or a
// backslash. Other names are names of embedded models or of the user's models.
func IsFile(name string) bool { return strings.ContainsAny(name, `./\`) }

// Names returns the names of all models that need no file: the embedded models, then the user's models.
func Names() []string { return append(embedded.Names(), UserNames()...) }

// Open returns the embedded model or the user's model called name or, if IsFile(name), the model in the file at path
// name, which may be a model file or a network of another program. If ctx ends, it returns ctx.Err().
func (o Opener) Open(ctx context.Context, name string) (*superres.Model, error) {
	if !IsFile(name) {
		return o.openNamed(name)
	}
	if paths.IsFolder(name) {
		return nil, console.Failf(console.ExitModel, "model %s is a folder; name a file in it, or keep all of its "+
			"networks by superres models add", name)
	}
	return o.openFile(ctx, identify(name))
}

// openFile returns the model in f, which may be a model file or a network of another program.
func (o Opener) openFile(ctx context.Context, f file) (*superres.Model, error) {
	if len(f.network) > 0 {
		return o.openNetwork(ctx, f)
	}
	m, err := load(f.name)
	if err != nil {
		return nil, fmt.Errorf("model %s%w", f.name, err)
	}
	return m, nil
}

// openNamed returns the embedded model or the user's model called name. If there is none, the error names similar ones,
// or the file that is called name with a suffix of networks.
func (o Opener) openNamed(name string) (*superres.Model, error) {
	ours := embedded.Names()
	if o.Auto {
		ours = append(ours, Auto)
	}
	if slices.Contains(ours, name) {
		return embedded.Open(name)
	}
	if users := UserNames(); !slices.Contains(users, name) {
		text := usage.Unknown("model", name, append(ours, users...))
		for _, ext := range networkSuffixes {
			if _, err := os.Stat(name + ext); err == nil {
				return nil, superres.Unusable(fmt.Errorf("%s; the file is named -m %s%s", text, name, ext))
			}
		}
		return nil, superres.Unusable(errors.New(text + "; or give a file: of superres train, or the network of " +
			"another program"))
	}
	path, err := userPath(name)
	if err != nil {
		return nil, err
	}
	m, err := load(path)
	if err != nil {
		return nil, fmt.Errorf("model %s, in %s%w", name, path, err)
	}
	return m, nil
}

// load returns the model in the model file at path. The text of an error is for a caller to put after the file's name.
func load(path string) (*superres.Model, error) {
	f, size, err := safefile.OpenRegular(path)
	if err != nil {
		if e, ok := errors.AsType[*fs.PathError](err); ok {
			err = e.Err
		} else {
			err = errors.New("not a regular file")
		}
		return nil, console.Failf(console.ExitModel, " cannot be read: %w; give a file that superres train "+
			"wrote, or a name that superres models lists", err)
	}
	defer f.Close()
	m, err := superres.Load(f, size)
	if err != nil {
		return nil, fmt.Errorf(": %w", err)
	}
	return m, nil
}
