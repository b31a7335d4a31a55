package models

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"io"
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

// networkFile is the network of another program, in one file or, in ncnn's format, in two.
type networkFile struct {
	name  string   // the name that the user gave
	files []string // the names of its files, that of ncnn's .param first
}

// asNetwork returns the network that the user means by the file name, or nil if the file is none: if its suffix is not
// of those of networks and it does not begin as their files do, or if it is a model file, whatever its suffix.
func asNetwork(name string) *networkFile {
	ext := strings.ToLower(filepath.Ext(name))
	if !slices.Contains(networkSuffixes, ext) && !beginsAsNetwork(name) || isModelFile(name) {
		return nil
	}
	return &networkFile{name, networks.Files(name)}
}

// isModelFile reports whether the file name is one that superres wrote.
func isModelFile(name string) bool {
	f, size, err := safefile.OpenRegular(name)
	if err != nil {
		return false
	}
	defer f.Close()
	z, err := safefile.OpenZip(f, size)
	return err == nil && slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Name == "model.json" })
}

// beginsAsNetwork reports whether the first bytes of the file name are those of ncnn's text, of safetensors, of
// TensorFlow.js's model.json or of the two forms of PyTorch's files. ONNX files have no such sign.
func beginsAsNetwork(name string) bool {
	f, size, err := safefile.OpenRegular(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [64]byte
	n, _ := io.ReadFull(f, head[:])
	text := string(head[:n])
	if strings.HasPrefix(text, "PK\x03\x04") {
		z, err := safefile.OpenZip(f, size)
		isPickle := func(f *zip.File) bool { return strings.HasSuffix(f.Name, "/data.pkl") }
		return err == nil && slices.ContainsFunc(z.File, isPickle)
	}
	return keras.IsModel(head[:n]) || strings.HasPrefix(text, "7767517") ||
		n > 9 && strings.HasPrefix(text[8:], "{\"") ||
		strings.HasPrefix(text, "\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.")
}

// openNetwork returns the model of the network n.
func (o Opener) openNetwork(ctx context.Context, n *networkFile) (m *superres.Model, err error) {
	for _, name := range n.files {
		f, _, err := safefile.OpenRegular(name)
		if err != nil {
			return nil, console.Fail(console.ExitModel, safefile.Unreadable(name, err))
		}
		f.Close()
	}
	err = console.Picture(n.name, func() (err error) {
		m, err = importNetwork(ctx, n, cmp.Or(o.Memory, usualMemory))
		return err
	})
	if err != nil {
		return nil, refused(ctx, n.name, err)
	}
	return m, nil
}

// usualMemory is the most memory, in bytes, that an import takes where no limit is given: the default of --max-memory.
const usualMemory = 2 << 30

// importNetwork reads the network n and returns it as a model. It takes no more than memory bytes, by an estimate.
// Tests replace it.
var importNetwork = func(ctx context.Context, n *networkFile, memory int64) (*superres.Model, error) {
	source, err := networks.Open(n.files[0], memory)
	if err != nil {
		return nil, err
	}
	network, err := networks.Import(ctx, source, memory)
	if err != nil {
		return nil, err
	}
	m := &superres.Model{Scale: network.Scale(), Degradation: resample.Cubic, Kernel: resample.Bicubic,
		Network: network}
	m.Provenance.Imported = &superres.Imported{File: filepath.Base(n.files[0]), SHA256: source.SHA256,
		Format: source.Format, Architecture: source.Architecture, Parameters: source.Graph.Parameters(),
		MACs: source.Graph.Measure().MACs, Range: network.Ranges().String(), Terms: source.Graph.Terms}
	return m, nil
}

// refused returns err about the network called name with its exit code, or the error of ctx.
func refused(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, networks.ErrMemory) {
		return console.Failf(console.ExitLimit, "network %s: %w; use --max-memory", name, err)
	}
	return console.Failf(console.ExitModel, "network %s: %w", name, err)
}
