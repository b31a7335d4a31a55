package models

import (
	"archive/zip"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/superres"
	"superres/superres/networks"
	"superres/superres/resample"
)

// leastPSNR is the least agreement, in dB, of the integers with float32 of a network that is used without being asked
// for in particular.
const leastPSNR = networks.DefaultLeastPSNR

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

// beginsAsNetwork reports whether the first bytes of the file name are those of ncnn's text, of safetensors or of the
// two forms of PyTorch's files. ONNX files have no such sign.
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
	return strings.HasPrefix(text, "7767517") || n > 9 && strings.HasPrefix(text[8:], "{\"") ||
		strings.HasPrefix(text, "\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.")
}

// openNetwork returns the model of the network n, from the cache or imported anew.
func (o Opener) openNetwork(ctx context.Context, n *networkFile) (*superres.Model, error) {
	sum, err := networks.Hash(n.files)
	if err != nil {
		return nil, console.Fail(console.ExitModel, err)
	}
	m := cached(sum)
	if m == nil {
		o.note("%s: importing the network, once", n.name)
		began := time.Now()
		err := console.Picture(n.name, func() (err error) {
			m, err = importNetwork(ctx, n, cmp.Or(o.Memory, usualMemory))
			return err
		})
		if err != nil {
			return nil, refused(ctx, n.name, err)
		}
		facts := m.Provenance.Imported
		o.note("%s: %s, imported in %s, agrees with float32 to %.1f dB; %s", n.name, facts.Architecture,
			console.Elapsed(time.Since(began).Seconds()), facts.PSNR, keepCached(sum, m))
	}
	own := *m // with the name that the file has now
	imported := *m.Provenance.Imported
	imported.File = filepath.Base(n.files[0])
	own.Provenance.Imported = &imported
	if imported.PSNR < leastPSNR && !o.Imprecise {
		return nil, console.Failf(console.ExitModel, "network %s: its integers agree with float32 to %.1f dB only, "+
			"less than %d; --allow-imprecise of superres upscale and superres models add takes it all the same", n.name,
			imported.PSNR, leastPSNR)
	}
	return &own, nil
}

// note writes a line to o.Notes.
func (o Opener) note(format string, args ...any) {
	if o.Notes != nil {
		fmt.Fprintln(o.Notes, "superres:", safefile.OneLine(fmt.Sprintf(format, args...)))
	}
}

// usualMemory is the most memory, in bytes, that an import takes where no limit is given: the default of --max-memory.
const usualMemory = 2 << 30

// importNetwork reads the network n, rounds it to integers, however far these are from float32, and returns it as a
// model. It takes no more than memory bytes, by an estimate. Tests replace it.
var importNetwork = func(ctx context.Context, n *networkFile, memory int64) (*superres.Model, error) {
	source, err := networks.Open(n.files[0], memory)
	if err != nil {
		return nil, err
	}
	network, report, err := networks.Import(ctx, source, networks.Options{LeastPSNR: -1, Memory: memory})
	if err != nil {
		return nil, err
	}
	measure := source.Graph.Measure()
	m := &superres.Model{Scale: network.Scale(), Degradation: resample.Cubic, Kernel: resample.Bicubic,
		Network: network}
	m.Provenance.Imported = &superres.Imported{File: filepath.Base(n.files[0]), SHA256: source.SHA256,
		Format: source.Format, Architecture: source.Architecture, Parameters: source.Graph.Parameters(),
		MACs: measure.MACs, PSNR: min(report.PSNR, mostPSNR), Greatest: report.Greatest, Range: report.Ranges.String(),
		Terms: source.Graph.Terms}
	return m, nil
}

// mostPSNR stands for more, in dB, as JSON has no infinity.
const mostPSNR = 200

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
