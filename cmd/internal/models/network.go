package models

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/superres"
	"superres/superres/networks"
	"superres/superres/networks/keras"
	"superres/superres/resample"
)

// networkSuffixes are the suffixes of files with networks, in the order in which messages suggest them.
var networkSuffixes = []string{".param", ".onnx", ".safetensors", ".pth", ".pt", ".ckpt", ".bin"}

// file says how to read the file that a user named in place of a model.
type file struct {
	name string // the name that the user gave
	// network holds the names of the files of a network of another program: one file, or ncnn's .param and .bin. It is
	// empty for a model file of superres and for a file that cannot be used.
	network []string
}

// parts returns the names of all files of f: both files of an ncnn network, else one file.
func (f file) parts() []string {
	if len(f.network) > 0 {
		return f.network
	}
	return []string{f.name}
}

// identify returns the file for name. The file counts as a network of another program if its suffix or its first bytes
// say so, unless superres wrote it: model files of superres may have any suffix.
func identify(name string) file {
	f := file{name: name}
	model, network := sniff(name)
	if !model && (network || slices.Contains(networkSuffixes, strings.ToLower(filepath.Ext(name)))) {
		f.network = networks.Files(name)
	}
	return f
}

// IsModel reports whether the file called name is a model file that superres wrote.
func IsModel(name string) bool {
	model, _ := sniff(name)
	return model
}

// sniff reports whether superres wrote the file called name (model), and whether its content is like a file of ncnn,
// safetensors, TensorFlow.js (model.json) or one of PyTorch's two formats (network). ONNX files have no such mark.
func sniff(name string) (model, network bool) {
	f, size, err := safefile.OpenRegular(name)
	if err != nil {
		return false, false
	}
	defer f.Close()
	if z, err := safefile.OpenZip(f, size); err == nil {
		for _, entry := range z.File {
			model = model || entry.Name == "model.json"
			network = network || strings.HasSuffix(entry.Name, "/data.pkl") // PyTorch since version 1.6
		}
		return model, network
	}
	var head [64]byte
	n, _ := f.ReadAt(head[:], 0)
	text := string(head[:n])
	return false, keras.IsModel(head[:n]) || strings.HasPrefix(text, "7767517") || // the number in which ncnn begins
		n > 9 && strings.HasPrefix(text[8:], "{\"") || // safetensors: a length, and JSON
		strings.HasPrefix(text, "\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.") // PyTorch before version 1.6
}

// openNetwork imports the network in f and returns the network as a model. A panic of the import becomes an error.
func (o Opener) openNetwork(ctx context.Context, f file) (m *superres.Model, err error) {
	for _, name := range f.network {
		f, _, err := safefile.OpenRegular(name) // for an error that names the file
		if err != nil {
			return nil, console.Fail(console.ExitModel, safefile.Unreadable(name, err))
		}
		f.Close()
	}
	err = console.Picture(f.name, func() (err error) {
		m, err = importNetwork(ctx, f.network, cmp.Or(o.Memory, usualMemory))
		return err
	})
	switch {
	case err == nil:
		return m, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, networks.ErrMemory):
		return nil, console.Failf(console.ExitLimit, "network %s: %w; use --max-memory", f.name, err)
	}
	return nil, console.Failf(console.ExitModel, "network %s: %w", f.name, err)
}

// usualMemory is the memory, in bytes, that an import may take if no limit is given: the default of --max-memory.
const usualMemory = 2 << 30

// importNetwork returns the network in files as a model. It fails for an estimate above memory bytes. Tests replace it.
var importNetwork = func(ctx context.Context, files []string, memory int64) (*superres.Model, error) {
	source, err := networks.Open(files[0], memory)
	if err != nil {
		return nil, err
	}
	network, err := networks.Import(ctx, source, memory)
	if err != nil {
		return nil, err
	}
	m := &superres.Model{Scale: network.Scale(), Degradation: resample.Cubic, Kernel: resample.Bicubic,
		Network: network}
	m.Provenance.Imported = &superres.Imported{File: filepath.Base(files[0]), SHA256: source.SHA256,
		Format: source.Format, Architecture: source.Architecture, Parameters: source.Graph.Parameters(),
		MACs: source.Graph.Measure().MACs, Range: network.Ranges().String(), Terms: source.Graph.Terms}
	return m, nil
}
