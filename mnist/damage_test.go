package mnist

import (
	"bytes"
	"compress/gzip"
	"errors"
	"image"
	"io"
	"io/fs"
	"math"
	"runtime"
	"slices"
	"testing"
	"testing/iotest"
)

func TestDamagedImages(t *testing.T) {
	complete := encodeImages(t, pictures(20, 28, 28), 28, 28)
	badSum := packed(t, complete)
	badSum[len(badSum)-5] ^= 1 // the CRC is the four bytes before the size
	badSize := packed(t, complete)
	badSize[len(badSize)-1] ^= 1
	z := packed(t, complete)
	const images, labels = uint32(imageMagic), uint32(labelMagic)

	for _, c := range []struct {
		name  string
		data  []byte
		wraps error
		words []string
	}{
		{"empty", nil, io.ErrUnexpectedEOF, []string{"file is empty"}},
		{"three bytes", complete[:3], io.ErrUnexpectedEOF, []string{"header: file ends after 3 of 16 bytes"}},
		{"short header", complete[:15], io.ErrUnexpectedEOF, []string{"header: file ends after 15 of 16 bytes"}},
		{"no image", complete[:16], io.ErrUnexpectedEOF, []string{"image 0 of 20: file ends after 0 of 784 bytes"}},
		{"short image", complete[:16+17*784+300], io.ErrUnexpectedEOF,
			[]string{"image 17 of 20: file ends after 300 of 784 bytes"}},
		{"long", append(bytes.Clone(complete), 0), nil, []string{"file goes on after the last of 20 images"}},
		{"labels", header(labels, 0), nil, []string{"got 0x00000801 (IDX labels), expected 0x00000803 (IDX images)"}},
		{"floats", header(0xD02, 1, 1), nil, []string{"got 0x00000d02 (IDX, dimensions: 2, elements: float32)"}},
		{"signed", header(0x903, 1, 1, 1), nil, []string{"(IDX, dimensions: 3, elements: int8)"}},
		{"text", []byte("<!DOCTYPE html>"), nil, []string{"got 0x3c21444f (not IDX)"}},
		{"packed twice", packed(t, z), nil, []string{"(gzip inside gzip)"}},
		{"no rows", header(images, 1, 0, 28), nil, []string{"header: rows: got 0, expected 1 to 65535"}},
		{"no columns", header(images, 1, 28, 0), nil, []string{"header: columns: got 0, expected 1 to 65535"}},
		{"none of nothing", header(images, 0, 0, 0), nil, []string{"header: rows: got 0"}},
		{"tall", header(images, 1, 65536, 1), nil, []string{"header: rows: got 65536"}},
		{"wide", header(images, 1, 1, math.MaxUint32), nil, []string{"header: columns: got 4294967295"}},
		{"large", header(images, 1, 4096, 4097), nil,
			[]string{"image of 4097×4096: got 16781312 pixels, expected at most 16777216"}},
		{"many", header(images, 1<<31, 1, 1), nil, []string{"header: count: got 2147483648, expected 0 to 2147483647"}},
		{"many large", header(images, 1<<31-1, 4096, 4096), nil,
			[]string{"got 36028797002186752 bytes, expected at most 1099511627776"}},
		{"gzip sum", badSum, gzip.ErrChecksum, []string{"after the last of 20 images"}},
		{"gzip size", badSize, gzip.ErrChecksum, []string{"after the last of 20 images"}},
		{"gzip without trailer", z[:len(z)-8], io.ErrUnexpectedEOF, []string{"after the last of 20 images"}},
		{"gzip cut", z[:len(z)/2], io.ErrUnexpectedEOF, []string{" of 20: file ends after "}},
		{"gzip header cut", z[:5], io.ErrUnexpectedEOF, []string{"gzip header"}},
		{"gzip method", append([]byte{0x1f, 0x8b, 7}, z[3:]...), gzip.ErrHeader, []string{"gzip header"}},
		{"gzip, then more", append(bytes.Clone(z), "more words"...), gzip.ErrHeader,
			[]string{"after the last of 20 images"}},
	} {
		_, err := decodeImages(c.data)
		wantError(t, c.name, err, c.wraps, c.words...)
	}
}

func TestDamagedPairs(t *testing.T) {
	images := encodeImages(t, pictures(3, 4, 3), 4, 3)
	labels := encodeLabels([]uint8{3, 1, 4})
	badSum := packed(t, labels)
	badSum[len(badSum)-5] ^= 1
	for _, c := range []struct {
		name           string
		images, labels []byte
		wraps          error
		words          string
	}{
		{"counts", images, encodeLabels([]uint8{1, 2}), nil, "got 3 images in "},
		{"swapped", labels, images, nil, "(IDX labels), expected 0x00000803 (IDX images)"},
		{"labels are images", images, images, nil, "got 0x00000803 (IDX images), expected 0x00000801 (IDX labels)"},
		{"short images", images[:len(images)-1], labels, io.ErrUnexpectedEOF,
			"image 2 of 3: file ends after 11 of 12 bytes"},
		{"long images", append(bytes.Clone(images), 0), labels, nil, "file goes on after the last of 3 images"},
		{"no labels", images, nil, io.ErrUnexpectedEOF, "file is empty"},
		{"short header", images, header(0x801), io.ErrUnexpectedEOF, "header: file ends after 4 of 8 bytes"},
		{"short labels", images, labels[:10], io.ErrUnexpectedEOF, "label 2 of 3: file ends after 0 of 1 bytes"},
		{"long labels", images, append(bytes.Clone(labels), 0), nil, "file goes on after the last of 3 labels"},
		{"many labels", images, header(0x801, math.MaxUint32), nil, "header: count: got 4294967295"},
		{"sum of the labels", images, badSum, gzip.ErrChecksum, "after the last of 3 labels"},
	} {
		_, _, err := decodePair(t, c.images, c.labels)
		wantError(t, c.name, err, c.wraps, c.words)
	}
	_, err := OpenPair(file(t, images), "missing")
	wantError(t, "missing", err, fs.ErrNotExist, "missing")
}

// The sizes that a header claims take no memory until they are read.
func TestClaimsAllocateNothing(t *testing.T) {
	images := file(t, header(0x803, 1<<16, 4096, 4096)) // 2⁴⁰ bytes
	labels := file(t, header(0x801, 1<<16))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p := must(OpenPair(images, labels))(t)
	p.Close()
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("got %d bytes allocated, expected at most %d", got, 1<<20)
	}
}

// No prefix of a file passes for a file, and the error of a failing reader comes through, wherever it strikes, and
// stays.
func TestEveryPrefix(t *testing.T) {
	broken := errors.New("broken")
	plain := encodeImages(t, pictures(3, 3, 2), 3, 2)
	for _, data := range [][]byte{plain, packed(t, plain)} {
		for n := range len(data) + 1 {
			if _, err := decodeImages(data[:n]); err == nil && n < len(data) {
				t.Errorf("the first %d of %d bytes give no error", n, len(data))
			}
			f, err := NewImages(io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(broken)))
			if err != nil {
				wantError(t, "header", err, broken)
				continue
			}
			for range 2 {
				for _, e := range f.All() {
					err = e
				}
				wantError(t, "images", err, broken)
			}
		}
	}
	once := iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(plain)))
	if _, err := NewImages(once); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("got %v, want the error that was returned only once", err)
	}
}

// A file's errors name it, and only regular files are opened.
func TestFileErrors(t *testing.T) {
	name := file(t, header(0x801, 1))
	_, err := OpenImages(name)
	wantError(t, "images", err, nil, name, "IDX labels")
	_, err = OpenImages(name + "-missing")
	wantError(t, "missing", err, fs.ErrNotExist, name+"-missing")
	_, err = OpenImages(t.TempDir())
	wantError(t, "folder", err, nil, "not a regular file")
}

func TestWriterRefuses(t *testing.T) {
	for _, c := range [][3]int{{-1, 1, 1}, {1, 0, 1}, {1, 1, 0}, {1, -1, -1}, {1, 65536, 1}, {1, 4096, 4097},
		{1 << 30, 4096, 4096}} {
		_, err := NewImageWriter(io.Discard, c[0], c[1], c[2])
		wantError(t, "sizes", err, nil, "image writer: ", "expected ")
	}
	var b bytes.Buffer
	w := must(NewImageWriter(&b, 2, 3, 2))(t)
	img := pictures(1, 5, 4)[0]
	wantError(t, "size", w.Write(img), nil, "image 0 of 2: got 5×4 pixels, expected 3×2")
	part := img.SubImage(image.Rect(1, 2, 4, 4)).(*image.Gray)
	for range 2 {
		if err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	wantError(t, "one more", w.Write(part), nil, "one more than the 2 announced")
	for range 2 {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	wantError(t, "closed", w.Write(part), fs.ErrClosed)
	want := slices.Concat(img.Pix[11:14], img.Pix[16:19])
	if got, err := decodeImages(b.Bytes()); err != nil || !bytes.Equal(got, slices.Concat(want, want)) {
		t.Errorf("after refusals: got %v, error %v, want twice %v", got, err, want)
	}

	few := must(NewImageWriter(io.Discard, 3, 3, 2))(t)
	wantError(t, "too few", errors.Join(few.Write(part), few.Close()), nil, "got 1, expected the 3 announced")
}

// A full disk shows at the latest in Close, wherever it strikes.
func TestWriteError(t *testing.T) {
	imgs := pictures(12, 28, 28) // more than the buffer holds
	size := 16 + 12*784
	for room := 0; room < size; room += 97 {
		disk := &fullDisk{room: room}
		w, err := NewImageWriter(disk, len(imgs), 28, 28)
		for _, img := range imgs {
			err = errors.Join(err, w.Write(img))
		}
		err = errors.Join(err, w.Close())
		if !errors.Is(err, errFull) {
			t.Errorf("room for %d of %d bytes: got %v", room, size, err)
		}
	}
}

var errFull = errors.New("disk is full")

// fullDisk takes room bytes.
type fullDisk struct{ room int }

func (d *fullDisk) Write(p []byte) (int, error) {
	n := min(len(p), d.room)
	d.room -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}
