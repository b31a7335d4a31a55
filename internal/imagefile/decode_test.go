package imagefile

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/internal/imagefile/imagetest"
	"superres/internal/must"
	"superres/internal/safefile"
)

// decodeBytes is Decode of a file in memory.
func decodeBytes(data []byte, name string, lim Limits) (*Picture, error) {
	return Decode(context.Background(), bytes.NewReader(data), name, lim)
}

// checkRefusal fails the test unless err is one line of class that starts with the name and contains want.
func checkRefusal(t testing.TB, err, class error, name, want string) {
	t.Helper()
	if !errors.Is(err, class) {
		t.Fatalf("error %v is no %q", err, class)
	}
	for _, other := range []error{safefile.ErrInput, safefile.ErrOutput, safefile.ErrLimit} {
		if other != class && errors.Is(err, other) {
			t.Errorf("error %v is a %q as well", err, other)
		}
	}
	text := err.Error()
	if !strings.HasPrefix(text, name+": ") || !strings.Contains(text, want) || strings.ContainsAny(text, "\n\r") {
		t.Errorf("got  %q\nwant %q and then %q", text, name, want)
	}
}

// checkRemedy fails the test unless err offers want.
func checkRemedy(t testing.TB, err error, want safefile.Remedy) {
	t.Helper()
	if f, ok := errors.AsType[*safefile.Fault](err); !ok || f.Remedy != want {
		t.Errorf("%v: expected the remedy %q", err, want)
	}
}

func TestSoundFiles(t *testing.T) {
	for name, data := range imagetest.Sound(t) {
		p, err := decodeBytes(data, name, Limits{})
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if want := NamedFormat(name); p.Format != want {
			t.Errorf("%s: format %q, want %q", name, p.Format, want)
		}
		if b := p.Image.Bounds(); b.Min != (image.Point{}) || b.Empty() {
			t.Errorf("%s: bounds %v", name, b)
		}
		if got, want := p.Image.At(4, 3), (color.NRGBA{R: 160, G: 90, B: 30, A: 255}); name == "plain.webp" &&
			got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		_, grey := p.Image.(*image.Gray)
		if want := strings.HasPrefix(name, "grey") || name == "packed.tiff" || name == "scans.jpeg"; grey != want {
			t.Errorf("%s: decoded as %T", name, p.Image)
		}
	}
}

func TestHostileFiles(t *testing.T) {
	for _, c := range imagetest.Hostile(t) {
		class := safefile.ErrInput
		if c.Limit {
			class = safefile.ErrLimit
		}
		p, err := decodeBytes(c.Data, c.Name, Limits{})
		if err == nil {
			t.Errorf("%s: decoded to %v", c.Name, p.Image.Bounds())
			continue
		}
		checkRefusal(t, err, class, c.Name, c.Want)
		if strings.HasSuffix(c.Want, "megapixels, the limit is 50") {
			checkRemedy(t, err, MorePixels)
		}
	}
}

func TestSmallGIFOnItsScreen(t *testing.T) {
	frame := image.NewPaletted(image.Rect(2, 1, 4, 3), color.Palette{color.RGBA{R: 255, A: 255},
		color.RGBA{B: 255, A: 255}})
	g := &gif.GIF{Image: []*image.Paletted{frame}, Delay: []int{0}, Config: image.Config{Width: 6, Height: 4,
		ColorModel: frame.Palette}}
	data := imagetest.Encoded(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, g) })
	p := must.Get(decodeBytes(data, "a.gif", Limits{}))(t)
	if got, want := p.Image.Bounds(), image.Rect(0, 0, 6, 4); got != want {
		t.Fatalf("bounds %v, want the screen %v", got, want)
	}
	for at, want := range map[image.Point]color.NRGBA{{X: 2, Y: 1}: {R: 255, A: 255}, {X: 3, Y: 2}: {R: 255, A: 255},
		{X: 1, Y: 1}: {}, {X: 4, Y: 2}: {}} {
		if got := p.Image.At(at.X, at.Y); got != want {
			t.Errorf("%v: got %v, want %v", at, got, want)
		}
	}
}

func TestLimitsAreExact(t *testing.T) {
	data := imagetest.PNG(t, imagetest.Ramp(10, 6))
	scans := imagetest.ManyScans(16, 16, 5)
	for _, c := range []struct {
		name string
		data []byte
		lim  Limits
		ok   bool
	}{
		{"pixels", data, Limits{Pixels: 60}, true},
		{"pixels", data, Limits{Pixels: 59}, false},
		{"side", data, Limits{Side: 10}, true},
		{"side", data, Limits{Side: 9}, false},
		{"bytes", data, Limits{Bytes: int64(len(data))}, true},
		{"bytes", data, Limits{Bytes: int64(len(data)) - 1}, false},
		{"scans", scans, Limits{Scans: 5}, true},
		{"scans", scans, Limits{Scans: 4}, false},
		{"time", data, Limits{Time: 1}, false},
	} {
		file := filepath.Join(t.TempDir(), c.name)
		must.Succeed(t, os.WriteFile(file, c.data, 0o600))
		_, fromBytes := decodeBytes(c.data, c.name, c.lim)
		_, fromFile := Open(context.Background(), file, c.lim)
		for _, err := range []error{fromBytes, fromFile} {
			if c.ok && err != nil {
				t.Errorf("%s at its limit: %v", c.name, err)
			}
			if !c.ok && !errors.Is(err, safefile.ErrLimit) {
				t.Errorf("%s beyond its limit: error %v", c.name, err)
			}
		}
	}
}

func TestDecoderLies(t *testing.T) {
	f := codec{
		config: func(io.Reader) (image.Config, error) { return image.Config{Width: 4, Height: 4}, nil },
		decode: func(*source, Size, Limits) (image.Image, error) { return image.NewGray(image.Rectangle{}), nil },
	}
	_, err := f.read(context.Background(), inMemory(nil), "", Limits{}.orDefaults())
	checkRefusal(t, explain(err, "a.jpg", "JPEG"), safefile.ErrInput, "a.jpg",
		"its pixels are (0,0)-(0,0), its header says (0,0)-(4,4)")
}

// badReader gives some bytes and then an error.
type badReader struct {
	r   io.Reader
	err error
}

func (b badReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if err == io.EOF {
		err = b.err
	}
	return n, err
}

func TestReadErrors(t *testing.T) {
	broken := errors.New("the line is dead")
	for _, n := range []int{0, 10, 50} {
		r := badReader{bytes.NewReader(imagetest.Sound(t)["colour.png"][:n]), broken}
		_, err := Decode(context.Background(), r, "stdin", Limits{})
		checkRefusal(t, err, safefile.ErrInput, "stdin", "cannot be read: the line is dead;")
		if !errors.Is(err, broken) {
			t.Errorf("the cause is lost in %v", err)
		}
	}
}

func TestForeignFilesAreNotRead(t *testing.T) {
	r := io.MultiReader(strings.NewReader(strings.Repeat("text ", 2000)),
		badReader{strings.NewReader(""), errors.New("read too far")})
	_, err := Decode(context.Background(), r, "stdin", Limits{})
	checkRefusal(t, err, safefile.ErrInput, "stdin", "not an image")
}

func TestOpenRefusals(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(context.Background(), filepath.Join(dir, "none.png"), Limits{})
	checkRefusal(t, err, safefile.ErrInput, filepath.Join(dir, "none.png"), "does not exist; check the name")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cause is lost in %v", err)
	}
	_, err = Open(context.Background(), dir, Limits{})
	checkRefusal(t, err, safefile.ErrInput, dir, "is a folder, not a file; name a file in it")

	big := filepath.Join(dir, "big.png")
	must.Succeed(t, os.WriteFile(big, nil, 0o600))
	if err := os.Truncate(big, 300<<20); err != nil {
		t.Skip("no sparse files here")
	}
	_, err = Open(context.Background(), big, Limits{})
	checkRefusal(t, err, safefile.ErrLimit, big, "has 300 MiB, more than the limit of 256 MiB; save it smaller")
}
