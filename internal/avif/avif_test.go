//go:build amd64 || arm64

package avif

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/andybalholm/brotli"

	"superres/internal/golden"
	"superres/internal/metadata"
	"superres/internal/must"
)

// The programs are those in lib of github.com/gen2brain/avif v0.4.4, there compressed by gzip.
func TestProgramsAreThoseOfTheModule(t *testing.T) {
	for want, packed := range map[string][]byte{
		"15af4fca9bcf83c09cfd76b3278626f21f38e81771461fafbb47e0de9fd3a6ab": packedDecoder,
		"7647a7b481db772b127aa9f4adfd7eaa9559b70b7e436be766392754d0bbeaf8": packedEncoder,
	} {
		code := must.Get(io.ReadAll(brotli.NewReader(bytes.NewReader(packed))))(t)
		if got := fmt.Sprintf("%x", sha256.Sum256(code)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// A decoder ends soon after its context, with little done, and in the memory that it was given.
func TestEnds(t *testing.T) {
	golden.NotShort(t, "as under the race detector: memory is taken from a decoder at work on purpose")
	const width, height = 2600, 2000
	data := must.Get(os.ReadFile("testdata/large.avif"))(t)
	must.Succeed(t, Prepare())
	pictures := [][]metadata.Edit{must.Get(metadata.ReadStill(bytes.NewReader(data)))(t).Colour}
	size := Memory(width*height, int64(len(data)))
	memory := func() []byte { return make([]byte, size) }
	none := func(int, Frame) error { return errors.New("it was decoded") }
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	go func() { // the collector is at work meanwhile
		for ctx.Err() == nil {
			runtime.GC()
		}
	}()
	began := time.Now()
	if err := Decode(ctx, data, memory(), pictures, none); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("ended by %v", err)
	}
	cut := time.Since(began)
	if err := Decode(t.Context(), data, memory()[:size/4], pictures, none); !errors.Is(err, ErrMemory) {
		t.Errorf("with a quarter of the memory: %v", err)
	}
	began = time.Now()
	must.Succeed(t, Decode(t.Context(), data, memory(), pictures, func(_ int, f Frame) error {
		if f.Width != width || f.Height != height || len(f.Pix) != width*height*pixelBytes {
			t.Errorf("%d×%d, %d bytes", f.Width, f.Height, len(f.Pix))
		}
		return nil
	}))
	if whole := time.Since(began); cut > whole/2 {
		t.Errorf("stopped after %v, where all takes %v", cut, whole)
	}
}
