package mnist

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPair(t *testing.T) {
	imgs := pictures(5, 4, 3)
	images := file(t, packed(t, encodeImages(t, imgs, 4, 3)))
	labels := file(t, encodeLabels(t, []uint8{3, 1, 4, 1, 255}))
	for _, c := range []struct {
		labels string
		want   []int
	}{{labels, []int{3, 1, 4, 1, 255}}, {"", []int{NoLabel, NoLabel, NoLabel, NoLabel, NoLabel}}} {
		p := must(OpenPair(images, c.labels))(t)
		if p.Count() != 5 || p.Width() != 4 || p.Height() != 3 {
			t.Errorf("%d images of %d×%d", p.Count(), p.Width(), p.Height())
		}
		at := 0
		for item, err := range p.All() {
			if err != nil {
				t.Fatal(err)
			}
			if at == 2 { // go on in another loop
				break
			}
			if item.Index != at || item.Label != c.want[at] || !bytes.Equal(item.Image.Pix, imgs[at].Pix) {
				t.Errorf("item %d: index %d, label %d", at, item.Index, item.Label)
			}
			at++
		}
		for item, err := range p.All() {
			if at++; err != nil || item.Index != at || item.Label != c.want[at] {
				t.Errorf("item %d: index %d, label %d, error %v", at, item.Index, item.Label, err)
			}
		}
		if at != 4 {
			t.Errorf("ended at %d", at)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		for _, err := range p.All() {
			if !errors.Is(err, os.ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
		}
	}
}

func TestDamagedPairs(t *testing.T) {
	images := encodeImages(t, pictures(3, 4, 3), 4, 3)
	labels := packed(t, encodeLabels(t, []uint8{3, 1, 4}))
	badSum := bytes.Clone(labels)
	badSum[len(badSum)-5] ^= 1
	for _, c := range []struct {
		name           string
		images, labels []byte
		wraps          error
		words          string
	}{
		{"counts", images, encodeLabels(t, []uint8{1, 2}), nil, "got 3 images in "},
		{"swapped", labels, images, nil, "(IDX labels), expected 0x00000803 (IDX images)"},
		{"labels are images", images, images, nil, "(IDX images), expected 0x00000801 (IDX labels)"},
		{"short images", images[:len(images)-1], labels, io.ErrUnexpectedEOF,
			"image 2 of 3: file ends after 11 of 12 bytes"},
		{"long images", append(bytes.Clone(images), 0), labels, nil, "file goes on after the last of 3 images"},
		{"short labels", images, append(header(0x801, 3), 1, 2), io.ErrUnexpectedEOF, "label 2 of 3"},
		{"long labels", images, append(header(0x801, 3), 1, 2, 3, 4), nil, "file goes on after the last of 3 labels"},
		{"sum of the labels", images, badSum, gzip.ErrChecksum, "after the last of 3 labels"},
	} {
		p, err := OpenPair(file(t, c.images), file(t, c.labels))
		if err == nil {
			for _, e := range p.All() {
				if err = e; err != nil {
					break
				}
			}
			p.Close()
		}
		wantError(t, c.name, err, c.wraps, c.words)
	}
	_, err := OpenPair(file(t, images), "missing")
	wantError(t, "missing", err, fs.ErrNotExist, "missing")
}

func TestVerify(t *testing.T) {
	plain := encodeImages(t, pictures(3, 4, 3), 4, 3)
	dir := t.TempDir()
	for name, official := range map[string]bool{
		"t10k-images-idx3-ubyte.gz": true, "t10k-images-idx3-ubyte": true, "train-labels.idx1-ubyte": true,
		"digits-idx3-ubyte": false, "t10k-images": false,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, plain, 0o666); err != nil {
			t.Fatal(err)
		}
		which, err := Verify(path)
		if which != "" || official != errors.Is(err, ErrUnofficial) || err != nil && !official {
			t.Errorf("%s: got %q, %v", name, which, err)
		}
		if official {
			wantError(t, name, err, ErrUnofficial, name+": not the official MNIST file of this name", ", expected ")
		}
	}
	_, err := Verify(file(t, packed(t, plain)[:30]))
	wantError(t, "damaged", err, io.ErrUnexpectedEOF)
	_, err = Verify(dir)
	wantError(t, "folder", err, nil, "not a regular file")
}

// The official files are known whatever they are called and however they are packed.
func TestVerifyFiles(t *testing.T) {
	for _, f := range OfficialFiles() {
		path := realFile(t, f.Name)
		info, err := os.Stat(path)
		if err != nil || info.Size() != f.Size {
			t.Errorf("%s: %v, %d bytes, expected %d", f.Name, err, info.Size(), f.Size)
		}
		sum, err := FileSum(path)
		if which, ok := Official(sum); err != nil || sum != f.Sum || !ok || which != f.Name {
			t.Errorf("%s: %x is %s, %v", f.Name, sum, which, err)
		}
		if which, err := Verify(path); which+".gz" != f.Name || err != nil {
			t.Errorf("%s: got %q, %v", f.Name, which, err)
		}
	}
	labels := must(ReadLabels(realFile(t, "t10k-labels-idx1-ubyte.gz")))(t)
	plain := encodeLabels(t, labels)
	if which, err := Verify(file(t, plain)); which != "t10k-labels-idx1-ubyte" || err != nil {
		t.Errorf("unpacked: got %q, %v", which, err)
	}
	misnamed := filepath.Join(t.TempDir(), "train-labels-idx1-ubyte.gz")
	if err := os.WriteFile(misnamed, packed(t, plain), 0o666); err != nil {
		t.Fatal(err)
	}
	which, err := Verify(misnamed)
	if which != "t10k-labels-idx1-ubyte" || !errors.Is(err, ErrUnofficial) ||
		!strings.Contains(err.Error(), "and is that of t10k-labels-idx1-ubyte") {
		t.Errorf("misnamed: got %q, %v", which, err)
	}
}
