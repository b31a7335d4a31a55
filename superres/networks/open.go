package networks

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"superres/internal/safefile"
	"superres/superres/networks/architectures"
	"superres/superres/networks/graph"
	"superres/superres/networks/keras"
	"superres/superres/networks/ncnn"
	"superres/superres/networks/onnx"
	"superres/superres/networks/weights"
)

// mostBytes is the greatest size of a file that Open reads: 1.5 times the bytes of graph.MaxWeights weights in float64.
const mostBytes = 12 * graph.MaxWeights

// Files returns the names of all files of the network to which path belongs: for ncnn, the .param and then the .bin
// if both exist; for ONNX and TensorFlow.js, path and the files of weights that it names; else path alone.
func Files(path string) []string {
	ext := filepath.Ext(path)
	stem := strings.TrimSuffix(path, ext)
	param, bin := stem+".param", stem+".bin"
	switch strings.ToLower(ext) {
	case ".param":
		param = path
	case ".bin":
		bin = path
	case ".onnx":
		return append([]string{path}, filesBeside(path, onnx.FilesBeside)...)
	case ".json":
		return append([]string{path}, filesBeside(path, keras.FilesBeside)...)
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

// filesBeside returns the paths of the files of weights that namesIn finds in the file called path; none if unreadable.
func filesBeside(path string, namesIn func([]byte) []string) (names []string) {
	data, err := safefile.ReadRegular(path, mostBytes)
	if err != nil {
		return nil
	}
	for _, name := range namesIn(data) {
		if fs.ValidPath(name) { // names that lead out of the folder are ignored
			names = append(names, filepath.Join(filepath.Dir(path), filepath.FromSlash(name)))
		}
	}
	return names
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

// Open reads the network of a file: ncnn's NAME.param with NAME.bin beside it, .onnx, .safetensors, .pth, or the
// model.json of a layers-model of TensorFlow.js. The first bytes or the suffix tell the format; either of ncnn's two
// files may be named. The error for a network that cannot be run names the operation. Open fails with ErrMemory if it
// estimates that it would take more than memory bytes; 0 means no limit.
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
	var err error
	if strings.EqualFold(filepath.Ext(files[0]), ".param") && len(files) == 2 || beginsWith(files[0], ncnnMagic) {
		err = s.readNCNN(files)
	} else {
		err = s.readOne(path)
	}
	if err == nil {
		s.SHA256, err = hashOf(files)
	}
	if err != nil {
		return nil, fmt.Errorf("networks: %w", err)
	}
	if s.Architecture == "" {
		s.Architecture = describe(s.Graph)
	}
	return s, nil
}

// hashOf returns the SHA-256, in hexadecimal, of the bytes of the files, one after another.
func hashOf(files []string) (string, error) {
	sum := sha256.New()
	for _, name := range files {
		f, size, err := safefile.OpenRegular(name)
		if err == nil {
			_, err = io.Copy(sum, io.LimitReader(f, size))
			f.Close()
		}
		if err != nil {
			return "", safefile.Unreadable(name, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// readNCNN reads a network from the .param and the .bin of ncnn.
func (s *Source) readNCNN(files []string) error {
	if len(files) < 2 {
		return errors.New("the .bin of this .param is missing; it belongs beside it, under the same name")
	}
	var data [2][]byte
	for i, name := range files {
		var err error
		if data[i], err = safefile.ReadRegular(name, mostBytes); err != nil {
			return err
		}
		if err := refuseOther(data[i][:min(len(data[i]), headBytes)]); err != nil {
			return fmt.Errorf("%s %w", filepath.Base(name), err)
		}
	}
	var err error
	s.Format = "ncnn"
	s.Graph, err = ncnn.Read(data[0], data[1])
	return err
}

// readOne reads a network from one file, and from the files of weights in the same folder that this file refers to.
func (s *Source) readOne(path string) error {
	f, size, err := safefile.OpenRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if size > mostBytes {
		return safefile.Refuse(safefile.ErrLimit, path, "has %d bytes, expected at most %d", size, int64(mostBytes))
	}
	var all [headBytes]byte
	n, err := io.ReadFull(f, all[:])
	head := all[:n]
	if n == 0 && err != nil {
		return errors.New("the file is empty, or cannot be read")
	}
	if err := refuseOther(head); err != nil {
		return fmt.Errorf("the file %w", err)
	}
	switch {
	case looksLikeWeights(head):
		return s.readWeights(f, size)
	case looksLikeONNX(head), strings.EqualFold(filepath.Ext(path), ".onnx"), keras.IsModel(head):
		data, err := io.ReadAll(io.NewSectionReader(f, 0, size))
		if err != nil {
			return err
		}
		folder, err := os.OpenRoot(filepath.Dir(path))
		if err != nil {
			return err
		}
		defer folder.Close()
		if keras.IsModel(head) {
			s.Format = "keras"
			s.Graph, err = keras.Read(data, folder.FS())
			return err
		}
		s.Format = "onnx"
		s.Graph, err = onnx.Read(data, folder.FS())
		return err
	}
	return errors.New("no network that superres knows (known: ncnn, ONNX, safetensors, PyTorch's .pth, and " +
		"model.json of TensorFlow.js)")
}

// headBytes is the number of bytes at the beginning of a file by which its format is recognised.
const headBytes = 64

// refuseOther fails if head, the beginning of a file, shows that a download left something else in place of the
// network: the pointer that Git LFS stores for a large file (Git LFS Specification), or a web page.
func refuseOther(head []byte) error {
	text := strings.ToLower(strings.TrimLeft(string(head), "\ufeff \t\r\n"))
	switch {
	case strings.HasPrefix(text, "version https://git-lfs"):
		return errors.New("is a pointer of Git LFS to the network, not the network; git lfs pull fetches it, as does " +
			"the download of the file itself")
	case strings.HasPrefix(text, "<!doctype html"), strings.HasPrefix(text, "<html"), strings.HasPrefix(text, "<head"):
		return errors.New("is a web page, not a network; open it in a browser and download the file from there")
	}
	return nil
}

// looksLikeONNX reports whether a file that begins with head may be ONNX: a protobuf message with its version first.
func looksLikeONNX(head []byte) bool {
	return len(head) > 2 && head[0] == 1<<3 && head[1] > 0 && head[1] < 0x80
}

// looksLikeWeights reports whether a file that begins with head may be safetensors, or a zip file or pickle of PyTorch.
func looksLikeWeights(head []byte) bool {
	return len(head) > 8 && head[8] == '{' || bytes.HasPrefix(head, []byte("PK\x03\x04")) ||
		len(head) > 1 && head[0] == 0x80 && head[1] <= 5
}

// readWeights reads a file that holds only weights. The names of the weights identify the network.
func (s *Source) readWeights(r io.ReaderAt, size int64) error {
	w, err := weights.Read(r, size)
	if err != nil {
		return err
	}
	s.Format = w.Format
	s.Graph, s.Architecture, err = architectures.Build(w)
	return err
}
