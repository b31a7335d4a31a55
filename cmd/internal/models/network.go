package models

import (
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

// file is what a user means by the name of a file where a model is expected.
type file struct {
	name    string       // the name that the user gave
	network *networkFile // the network of another program; nil: the file is a model, or cannot be used
}

// networkFile is the network of another program, in one file or, in ncnn's format, in two.
type networkFile struct {
	name  string   // the name that the user gave
	files []string // the names of its files, that of ncnn's .param first
}

// parts returns the names of all files that f consists of.
func (f file) parts() []string {
	if f.network != nil {
		return f.network.files
	}
	return []string{f.name}
}

// identify tells networks of other programs, by the suffix or by how the file begins, from the model files that
// superres wrote, which may have any suffix.
func identify(name string) file {
	f := file{name: name}
	model, network := look(name)
	if !model && (network || slices.Contains(networkSuffixes, strings.ToLower(filepath.Ext(name)))) {
		f.network = &networkFile{name, networks.Files(name)}
	}
	return f
}

// look reports whether the file called name is one that superres wrote, or begins as ncnn's text, safetensors or the
// two forms of PyTorch's files do. ONNX files have no such sign.
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
	return false, strings.HasPrefix(text, "7767517") || n > 9 && strings.HasPrefix(text[8:], "{\"") ||
		strings.HasPrefix(text, "\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.")
}

// hash returns the SHA-256, in hexadecimal, of the bytes of the files, one after another.
func (n *networkFile) hash() (string, error) {
	sum := sha256.New()
	for _, name := range n.files {
		f, size, err := safefile.OpenRegular(name)
		if err == nil {
			_, err = io.Copy(sum, io.LimitReader(f, size))
			f.Close()
		}
		if err != nil {
			return "", console.Fail(console.ExitModel, safefile.Unreadable(name, err))
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// openNetwork returns the model of the network n, from the cache or imported anew.
func (o Opener) openNetwork(ctx context.Context, n *networkFile) (*superres.Model, error) {
	sum, err := n.hash()
	if err != nil {
		return nil, err
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
