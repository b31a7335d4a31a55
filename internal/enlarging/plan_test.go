package enlarging

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/must"
	"superres/internal/sequence"
	"superres/internal/testimage"
	"superres/superres"
)

// newTestEnlarger returns an Enlarger for model, with the defaults of the command.
func newTestEnlarger(t *testing.T, model string) *Enlarger {
	t.Helper()
	e, err := New(Settings{
		Size: superres.Options{Scale: 2}, Model: model, Denoise: -1, Effort: "best", Quality: 95,
		Limits: Limits{Memory: 2 << 30, Pixels: 50e6},
	})
	must.Succeed(t, err)
	return e
}

// scenes returns a file of a format: two pictures of 24×18, or one if the format cannot hold two.
func scenes(t *testing.T, format imagefile.Format) []byte {
	t.Helper()
	var out bytes.Buffer
	frames := []image.Image{testimage.Drawing(24, 18, 1), testimage.Drawing(24, 18, 2)}
	var err error
	switch format {
	case "png":
		w := sequence.NewPNGWriter(&out, 2, 0, imagefile.EncodeOptions{})
		err = errors.Join(w.Put(frames[0], sequence.Delay{Num: 1}), w.Put(frames[1], sequence.Delay{Num: 1}), w.Close())
	case "tiff":
		w := imagefile.NewPageWriter(&out, 2)
		err = errors.Join(w.Put(frames[0], imagefile.EncodeOptions{}), w.Put(frames[1], imagefile.EncodeOptions{}),
			w.Close())
	case "jpeg":
		err = imagefile.Encode(&out, frames[0], format, imagefile.EncodeOptions{Quality: 60})
	default:
		out.WriteString("YUV4MPEG2 W24 H18 Cmono\n")
		for _, f := range frames {
			out.WriteString("FRAME\n")
			out.Write(f.(*image.Gray).Pix)
		}
	}
	must.Succeed(t, err)
	return out.Bytes()
}

// Inspect returns the same plan as Enlarge for every kind of file, and takes no memory before it is admitted.
func TestPlans(t *testing.T) {
	e := newTestEnlarger(t, "auto")
	for format, frames := range map[imagefile.Format]int{"png": 2, "tiff": 2, "jpeg": 0, "y4m": 0} {
		data, out := scenes(t, format), bytes.Buffer{}
		job := Job{Source: &Body{"scene", bytes.NewReader(data), int64(len(data)), Made{}},
			Sink: Response{Name: "made", To: &out}, Format: format}
		admitted := 0
		count := func(p *Plan) error {
			if admitted++; p.Memory == 0 || p.Output != image.Pt(48, 36) {
				t.Errorf("%s: admitted with %d bytes for %v", format, p.Memory, p.Output)
			}
			return nil
		}
		want := must.Get(e.Inspect(t.Context(), job, count))(t)
		got, err := e.Enlarge(t.Context(), job, Watch{Admit: count, Progress: func(*Plan, int, float64) {}})
		if err != nil || out.Len() == 0 || admitted != 2 {
			t.Fatalf("%s: %v, %d bytes, admitted %d times", format, err, out.Len(), admitted)
		}
		if got.String() != want.String() || got.Output != want.Output || got.Frames != want.Frames ||
			got.Frames != frames || got.Memory != want.Memory {
			t.Errorf("%s: enlarged as %+v\nplanned as %+v", format, got, want)
		}
	}
}

// strip is a kind of input for the test: each row of four bytes is a frame of four pixels, and results have the same
// form.
type strip struct {
	*run
	number int
}

func openStrip(ctx context.Context, r *run) (Sequence, error) {
	_, _ = r.content.Discard(len("STRIP\n"))
	size, d, err := r.measure(image.Config{ColorModel: image.NewGray(image.Rectangle{}).ColorModel(), Width: 4,
		Height: 1}, false, 0, 0)
	if err != nil {
		return nil, err
	}
	r.Input, r.Output, r.Memory = image.Pt(4, 1), size, d.total(1)
	if err := r.admit(ctx); err != nil {
		return nil, err
	}
	s := &strip{run: r}
	return s, r.fill(ctx, s, 1)
}

func (s *strip) Describe() string { return "a strip" }

func (s *strip) Noun() string { return "strip" }

func (s *strip) Next(context.Context) (*Frame, error) {
	row := image.NewGray(image.Rect(0, 0, 4, 1))
	if _, err := io.ReadFull(s.content, row.Pix); err != nil {
		return nil, err
	}
	s.number++
	return &Frame{Number: s.number, Image: row, About: &imagefile.Picture{}}, nil
}

func (s *strip) Finish(f *Frame, enlarged image.Image, _ Choice) (Result, error) {
	return Result{Number: f.Number, Image: enlarged}, nil
}

func (s *strip) Writer(w io.Writer) (Writer, func(), error) {
	put := func(r Result) error { _, err := w.Write(r.Image.(*image.Gray).Pix); return err }
	return Writer{put, func() error { return nil }}, func() {}, nil
}

// A new kind of input needs only a type and a line in kinds. A pipe gets the whole result, or nothing when a frame
// fails.
func TestNextKind(t *testing.T) {
	defer func(before []kind) { kinds = before }(kinds)
	kinds = append(kinds, kind{"STRIP", "strip", openStrip})
	e := newTestEnlarger(t, "nearest")
	for text, want := range map[string]string{"abcdefgh": "aabbccddaabbccddeeffgghheeffgghh", "abcdef": ""} {
		var out bytes.Buffer
		in := NewStandard(bytes.NewBufferString("STRIP\n" + text))
		if got := FormatOf(in); got != "strip" {
			t.Fatalf("a %q", got)
		}
		p, err := e.Enlarge(t.Context(), Job{Source: in, Sink: Pipe{&out}, Format: "strip"},
			Watch{Admit: func(*Plan) error { return nil }, Progress: func(*Plan, int, float64) {}})
		if out.String() != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", text, out.String(), err)
		}
		if fmt.Sprint(p.Written) != map[bool]string{true: "2", false: "1"}[err == nil] {
			t.Errorf("%s: %d written", text, p.Written)
		}
	}
}
