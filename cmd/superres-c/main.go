// Command superres-c is the C library of superres. superres.h documents its functions:
//
//	go build -buildmode=c-shared -o libsuperres.so ./cmd/superres-c
//	cc -I cmd/superres-c program.c -L . -lsuperres -Wl,-rpath,. -o program
//
// -buildmode=c-archive builds a static library. Both need a C compiler, but not the file libsuperres.h that Go writes.
package main

/*
#include <stdlib.h>
#include "superres.h"

// Go writes declarations of the functions below with these names.
typedef const char text;
typedef const uint8_t bytes;
*/
import "C"

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"net/url"
	"slices"
	"strconv"
	"unsafe"

	"superres/cmd/internal/console"
	"superres/internal/parallel"
	"superres/internal/safefile"
	"superres/internal/usage"
	"superres/superres"
	"superres/superres/files"
)

func main() {} // never called

//export superres_upscale_file
func superres_upscale_file(file *C.bytes, size C.size_t, options *C.text, result **C.uint8_t, resultSize *C.size_t,
	message **C.char) C.int {
	return answer(message, func() error {
		if file == nil || result == nil || resultSize == nil {
			return usage.Errorf("file, result or result_size is NULL")
		}
		*result, *resultSize = nil, 0
		opt, err := parse(options)
		if err != nil {
			return err
		}
		e, err := files.New(opt)
		if err != nil {
			return err
		}
		if uint64(size) > math.MaxInt {
			return usage.Errorf("size %d: no memory has as much", uint64(size))
		}
		in := bytes.NewReader(unsafe.Slice((*byte)(file), size))
		var out bytes.Buffer
		if _, err := e.UpscaleAt(context.Background(), &out, in, in.Size(), files.Watch{}); err != nil {
			return err
		}
		*result, *resultSize = give(out.Bytes()), C.size_t(out.Len())
		return nil
	})
}

//export superres_upscale_pixels
func superres_upscale_pixels(pixels *C.bytes, stride C.size_t, width, height, channels C.int, options *C.text,
	result **C.uint8_t, resultWidth, resultHeight *C.int, message **C.char) C.int {
	return answer(message, func() error {
		if pixels == nil || result == nil || resultWidth == nil || resultHeight == nil {
			return usage.Errorf("pixels, result, result_width or result_height is NULL")
		}
		*result, *resultWidth, *resultHeight = nil, 0, 0
		opt, err := parse(options, "scale", "width", "height", "fit", "model", "effort", "denoise", "strength")
		if err != nil {
			return err
		}
		p := picture{uint64(stride), int(width), int(height), int(channels)}
		m, how, err := p.plan(opt)
		if err != nil {
			return err
		}
		out, err := m.Upscale(context.Background(), p.image(pixels), how)
		if err != nil {
			return err
		}
		size := out.Bounds().Size()
		*result = give(samplesOf(out, int(channels)))
		*resultWidth, *resultHeight = C.int(size.X), C.int(size.Y)
		return nil
	})
}

//export superres_free
func superres_free(memory unsafe.Pointer) { C.free(memory) }

//export superres_version
func superres_version() *C.text { return version }

var version = (*C.text)(C.CString(superres.Version))

// answer calls work and returns the exit code for its error. It sets *message, if not nil, to the error's text or NULL.
func answer(message **C.char, work func() error) C.int {
	if message != nil {
		*message = nil
	}
	err := parallel.Caught(work) // a panic must not unwind the stack of C
	if p, ok := errors.AsType[*parallel.Panic](err); ok {
		err = fmt.Errorf("a fault of superres: %v; please report it with the picture", p.Value)
	}
	if err == nil {
		return console.ExitOK
	}
	if message != nil {
		*message = C.CString(safefile.OneLine(err.Error()))
	}
	return C.int(console.ExitCode(err))
}

// give returns a copy of data in memory of C, which the caller frees.
func give(data []byte) *C.uint8_t { return (*C.uint8_t)(C.CBytes(data)) }

// maxMemory is the name of the option that limits the memory for a picture, in MiB.
const maxMemory = "max-memory"

// parse returns the options in text, a URL query or NULL. It accepts maxMemory and names, or all if names is empty.
func parse(text *C.text, names ...string) (opt files.Options, err error) {
	if text == nil {
		return opt, nil
	}
	query, err := url.ParseQuery(C.GoString((*C.char)(text)))
	if err != nil {
		return opt, usage.Errorf("the options cannot be read: %v", err)
	}
	for name, values := range query {
		switch {
		case len(values) > 1:
			err = usage.Errorf("%s is given %d times, expected once", name, len(values))
		case name == maxMemory:
			opt.Limits.Memory, err = mebibytes(values[0])
		case len(names) > 0 && !slices.Contains(names, name):
			err = usage.Errorf("%s", usage.Unknown("option", name, append(names, maxMemory)))
		default:
			err = opt.Set(name, values[0])
		}
		if err != nil {
			return opt, err
		}
	}
	return opt, nil
}

// mebibytes returns the number of bytes in as many MiB as text says.
func mebibytes(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64>>20 {
		return 0, usage.Errorf("%s %s: expected a whole number of MiB, 1 or more", maxMemory, text)
	}
	return n << 20, nil
}

// picture describes a picture in memory of C: bytes from row to row, width and height in pixels, and channels.
type picture struct {
	stride                  uint64
	width, height, channels int
}

// check fails for a picture without pixels, of other than 1, 3 or 4 channels, or with a stride that is too short for a
// row or too long for memory.
func (p picture) check() error {
	switch {
	case p.width < 1 || p.height < 1:
		return usage.Errorf("a picture of %d×%d pixels: expected 1 or more", p.width, p.height)
	case p.channels != 1 && p.channels != 3 && p.channels != 4:
		return usage.Errorf("%d channels: expected 1, 3 or 4", p.channels)
	case p.stride < uint64(p.width)*uint64(p.channels):
		return usage.Errorf("a stride of %d bytes: expected %d or more", p.stride, p.width*p.channels)
	case p.stride > math.MaxInt/uint64(p.height):
		return usage.Errorf("a stride of %d bytes: no memory has %d rows of it", p.stride, p.height)
	}
	return nil
}

// plan returns the model that enlarges p with the options opt, and the options for its Upscale. The scale is 2 if opt
// sets no size. plan fails if enlarging needs more memory than opt allows. It allocates no memory for pixels.
func (p picture) plan(opt files.Options) (*superres.Model, superres.Options, error) {
	size := superres.Options{Scale: opt.Scale, Width: opt.Width, Height: opt.Height, Fit: opt.Fit,
		Strength: opt.Strength}
	if size.Scale == 0 && size.Width == 0 && size.Height == 0 {
		size.Scale = 2
	}
	if err := p.check(); err != nil {
		return nil, size, err
	}
	e, err := files.New(opt)
	if err != nil {
		return nil, size, err
	}
	m, err := e.Model()
	if err != nil {
		return nil, size, err
	}
	config := image.Config{ColorModel: color.NRGBAModel, Width: p.width, Height: p.height}
	if p.channels == 1 {
		config.ColorModel = color.GrayModel
	}
	w, h, err := m.ResultSize(p.width, p.height, size)
	if err != nil {
		return nil, size, err
	}
	limit := cmp.Or(opt.Limits.Memory, 2<<30) // by default 2 GiB
	if need := m.Memory(config, w, h, size); need > limit {
		return nil, size, fmt.Errorf("%w: output %d×%d needs %s, the limit is %s; use %s", files.ErrLimit, w, h,
			usage.Bytes(need), usage.Bytes(limit), maxMemory)
	}
	return m, size, nil
}

// image copies p, with its first row at pixels, to memory of Go. Fewer than 4 channels are opaque. check must accept p.
func (p picture) image(pixels *C.bytes) image.Image {
	n := p.width * p.channels
	row := func(y int) []byte {
		all := unsafe.Slice((*byte)(pixels), int(p.stride)*(p.height-1)+n)
		return all[y*int(p.stride):][:n]
	}
	area := image.Rect(0, 0, p.width, p.height)
	if p.channels == 1 {
		grey := image.NewGray(area)
		for y := range p.height {
			copy(grey.Pix[y*grey.Stride:], row(y))
		}
		return grey
	}
	colour := image.NewNRGBA(area)
	for y := range p.height {
		from, to := row(y), colour.Pix[y*colour.Stride:][:4*p.width]
		for x := range p.width {
			to[4*x+3] = 0xff
			copy(to[4*x:], from[x*p.channels:][:p.channels])
		}
	}
	return colour
}

// samplesOf returns the samples of a result of Upscale, row by row, with 1, 3 or 4 channels as in the input.
func samplesOf(img image.Image, channels int) []byte {
	switch img := img.(type) {
	case *image.Gray:
		return img.Pix // new images have no gaps between rows
	case *image.NRGBA:
		if channels == 4 {
			return img.Pix
		}
		samples := make([]byte, 0, len(img.Pix)/4*3)
		for i := 0; i < len(img.Pix); i += 4 {
			samples = append(samples, img.Pix[i:i+3]...)
		}
		return samples
	}
	panic(errors.ErrUnsupported) // Upscale returns no other types for 8 bits
}
