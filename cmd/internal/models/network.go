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

// networkSuffixes are the suffixes of files of networks, in the order in which they are suggested.
var networkSuffixes = []string{".param", ".onnx", ".safetensors", ".pth", ".pt", ".ckpt", ".bin"}

// file is what a user means by the name of a file where a model is expected.
type file struct {
	name string // the name that the user gave
	// network has the names of the files where another program keeps its network: one, or the .param and the .bin of
	// ncnn. It is empty where the file is a model, or cannot be used.
	network []string
}

// parts returns the names of all files that f consists of.
func (f file) parts() []string {
	if len(f.network) > 0 {
		return f.network
	}
	return []string{f.name}
}

// identify tells networks of other programs, by the suffix or by how the file begins, from the model files that
// superres wrote, which may have any suffix.
func identify(name string) file {
	f := file{name: name}
	model, network := look(name)
	if !model && (network || slices.Contains(networkSuffixes, strings.ToLower(filepath.Ext(name)))) {
		f.network = networks.Files(name)
	}
	return f
}

// IsModel reports whether the file called name is a model file that superres wrote.
func IsModel(name string) bool {
	model, _ := look(name)
	return model
}

// look reports whether the file called name is one that superres wrote, or begins as ncnn's text, safetensors,
// TensorFlow.js's model.json or the two forms of PyTorch's files do. ONNX files have no such sign.
func look(name string) (model, network bool) {
	f, size, err := safefile.OpenRegular(name)
	if err != nil {
		return false, false
	}
	defer f.Close()
	if z, err := safefile.OpenZip(f, size); err == nil {
		for _, entry := range z.File {
			model = model || entry.Name == "model.json"
			network = network || strings.HasSuffix(entry.Name, "/data.pkl")
		}
		return model, network
	}
	var head [64]byte
	n, _ := f.ReadAt(head[:], 0)
	text := string(head[:n])
	return false, keras.IsModel(head[:n]) || strings.HasPrefix(text, "7767517") ||
		n > 9 && strings.HasPrefix(text[8:], "{\"") ||
		strings.HasPrefix(text, "\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.")
}

// openNetwork returns the model of the network in f.
func (o Opener) openNetwork(ctx context.Context, f file) (m *superres.Model, err error) {
	for _, name := range f.network {
		f, _, err := safefile.OpenRegular(name)
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

// usualMemory is the most memory, in bytes, that an import takes where no limit is given: the default of --max-memory.
const usualMemory = 2 << 30

// importNetwork reads the network in files and returns it as a model. It takes no more than memory bytes, by an
// estimate. Tests replace it.
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
