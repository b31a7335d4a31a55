package networks

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"

	"superres/internal/safefile"
	"superres/superres/networks/architectures"
	"superres/superres/networks/graph"
	"superres/superres/networks/ncnn"
	"superres/superres/networks/onnx"
	"superres/superres/networks/weights"
)

// mostBytes is the most bytes of a file that Open reads: as much as the most weights take in float64, and a half more.
const mostBytes = 12 * graph.MaxWeights

// Files returns the names of the files of the network of which path names one, the .param of ncnn's two first.
func Files(path string) []string {
	ext := filepath.Ext(path)
	stem := strings.TrimSuffix(path, ext)
	param, bin := stem+".param", stem+".bin"
	switch strings.ToLower(ext) {
	case ".param":
		param = path
	case ".bin":
		bin = path
	default:
		if !beginsWith(path, ncnnMagic) {
			return []string{path}
		}
		param = path
	}
	for _, name := range []string{param, bin} {
		if _, err := os.Stat(name); err != nil {
			return []string{path}
		}
	}
	return []string{param, bin}
}

// ncnnMagic is the first line of a .param of ncnn.
const ncnnMagic = "7767517"

// beginsWith reports whether the file called path begins with text.
func beginsWith(path, text string) bool {
	f, _, err := safefile.OpenRegular(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(text))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == text
}

// Open reads the network of a file: ncnn's NAME.param with NAME.bin beside it, or .onnx, .safetensors, .pth. What the
// file holds tells its format; either of ncnn's two files may be named. The error for a network that cannot be run
// names the operation. Open fails with ErrMemory if by its estimate it would take more than memory bytes; 0: any
// memory will do.
func Open(path string, memory int64) (*Source, error) {
	files := Files(path)
	bytes := int64(0)
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			bytes += info.Size()
		}
	}
	if err := enough(memory, readingMemory(bytes)); err != nil {
		return nil, fmt.Errorf("networks: %w", err)
	}
	base := filepath.Base(files[0])
	s := &Source{Name: strings.TrimSuffix(base, filepath.Ext(base))}
	sum := sha256.New()
	var err error
	if len(files) == 2 {
		err = s.readNCNN(files, sum)
	} else {
		err = s.readOne(path, sum)
	}
	if err != nil {
		return nil, fmt.Errorf("networks: %w", err)
	}
	s.SHA256 = hex.EncodeToString(sum.Sum(nil))
	if s.Architecture == "" {
		s.Architecture = describe(s.Graph)
	}
	return s, nil
}

// readNCNN reads the .param and the .bin of ncnn, and adds their bytes to sum.
func (s *Source) readNCNN(files []string, sum hash.Hash) error {
	var data [2][]byte
	for i, name := range files {
		var err error
		if data[i], err = safefile.ReadRegular(name, mostBytes); err != nil {
			return err
		}
		sum.Write(data[i])
	}
	var err error
	s.Format = "ncnn"
	s.Graph, err = ncnn.Read(data[0], data[1])
	return err
}

// readOne reads a network that is in one file, and adds its bytes to sum.
func (s *Source) readOne(path string, sum hash.Hash) error {
	f, size, err := safefile.OpenRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if size > mostBytes {
		return safefile.Refuse(safefile.ErrLimit, path, "has %d bytes, expected at most %d", size, int64(mostBytes))
	}
	var head [16]byte
	n, err := io.ReadFull(f, head[:])
	switch {
	case n == 0 && err != nil:
		return errors.New("the file is empty")
	case bytes.HasPrefix(head[:n], []byte(ncnnMagic)):
		return errors.New("the .bin of this .param is missing; it belongs beside it, under the same name")
	case looksLikeWeights(head[:n]):
		err = s.readWeights(f, size)
	case looksLikeONNX(head[:n]), strings.EqualFold(filepath.Ext(path), ".onnx"):
		var data []byte
		if data, err = io.ReadAll(io.NewSectionReader(f, 0, size)); err != nil {
			return err
		}
		s.Format = "onnx"
		s.Graph, err = onnx.Read(data)
	default:
		return errors.New("no network that superres knows (known: ncnn, ONNX, safetensors, PyTorch's .pth)")
	}
	if err == nil {
		_, err = io.Copy(sum, io.NewSectionReader(f, 0, size))
	}
	return err
}

// looksLikeONNX reports whether a file that begins with head may be ONNX: a protobuf message whose first field is the
// number of its version.
func looksLikeONNX(head []byte) bool {
	return len(head) > 2 && head[0] == 1<<3 && head[1] > 0 && head[1] < 0x80
}

// looksLikeWeights reports whether a file that begins with head is one of package weights: of safetensors, or a zip
// file or a pickle, as PyTorch writes.
func looksLikeWeights(head []byte) bool {
	return len(head) > 8 && head[8] == '{' || bytes.HasPrefix(head, []byte("PK\x03\x04")) ||
		len(head) > 1 && head[0] == 0x80 && head[1] <= 5
}

// readWeights reads a file of weights, whose names tell the network.
func (s *Source) readWeights(r io.ReaderAt, size int64) error {
	w, err := weights.Read(r, size)
	if err != nil {
		return err
	}
	s.Format = w.Format
	s.Graph, s.Architecture, err = architectures.Build(w)
	return err
}
