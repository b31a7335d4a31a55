package y4m

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/must"
	"superres/internal/mutate"
	"superres/internal/safefile"
)

// mutatedLimits are the limits for frames of a damaged stream.
var mutatedLimits = imagefile.Limits{Pixels: 1 << 16}

// mostFrame is what a frame within these limits has at most, in bytes: three samples of two bytes a pixel.
const mostFrame = 6 << 16

// copyStream reads a stream and writes it, reads what was written, and returns how many frames it
// has. Errors are of the class ErrInput.
func copyStream(t *testing.T, what string, data []byte) (frames int) {
	t.Helper()
	in, err := NewReader(bytes.NewReader(data), mutatedLimits)
	if err != nil && !errors.Is(err, safefile.ErrInput) && !errors.Is(err, safefile.ErrLimit) {
		t.Errorf("%s: %v", what, err)
	}
	if err != nil {
		return 0
	}
	if in.FrameBytes() > mostFrame {
		t.Errorf("%s: frames of %d bytes", what, in.FrameBytes())
		return 0
	}
	var out bytes.Buffer
	w := must.Get(NewWriter(&out, in.Header))(t)
	for {
		frame, err := in.Next()
		if err != nil {
			if err != io.EOF && !errors.Is(err, safefile.ErrInput) {
				t.Errorf("%s: %v", what, err)
			}
			break
		}
		in.PutBrightness(frame, in.Brightness(frame))
		for i := 1; i < in.Planes(); i++ {
			in.PutColour(frame, i, in.Colour(frame, i))
		}
		frames++
		must.Succeed(t, w.Put(frame))
	}
	again, err := NewReader(&out, mutatedLimits)
	if err != nil {
		t.Errorf("%s: what was written cannot be read: %v", what, err)
		return frames
	}
	for range frames {
		if _, err := again.Next(); err != nil {
			t.Errorf("%s: what was written cannot be read: %v", what, err)
			return frames
		}
	}
	if _, err := again.Next(); err != io.EOF {
		t.Errorf("%s: at the end: %v", what, err)
	}
	return frames
}

// Streams of which tags, lines or frames are damaged are read or refused in little memory.
func TestMutatedStreams(t *testing.T) {
	m := mutate.New(t).Of(".y4m")
	const files = 5000
	read := 0
	for n := range uint64(files) {
		mutant := m.Mutant(n)
		// Buffers, a frame that is cut, and the frames read: twice, with colour in 32 bits.
		bound := int64(1<<20) + mostFrame + 64*int64(len(mutant.Data))
		what := fmt.Sprintf("mutant %d, %v", n, mutant)
		mutate.Guard(t, what, bound, func() {
			if copyStream(t, what, mutant.Data) > 0 {
				read++
			}
		})
	}
	t.Logf("%d of %d streams gave frames", read, files)
	if read < files/10 || read > files*19/20 {
		t.Errorf("%d of %d streams gave frames: the mutations are too harsh or too mild", read, files)
	}
}

// Any stream is read or refused, and a stream that was read comes out again.
func FuzzReader(f *testing.F) {
	m := mutate.New(f).Of(".y4m")
	for _, name := range []string{"420jpeg", "422p10", "mono", "411"} {
		f.Add([]byte(Magic+"W2 H2 F25:1 Ip C"+name+"\nFRAME\n0123456789abFRAME Ip\n0123456789abcdef01234567"),
			[]byte(nil))
	}
	for _, s := range m.Seeds {
		f.Add(s.Data, []byte(nil))
		f.Add(s.Data, []byte{1, 2, 3})
	}
	f.Fuzz(func(t *testing.T, data, choices []byte) {
		copyStream(t, "fuzz", m.Change(data, choices))
	})
}
