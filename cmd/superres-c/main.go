// Command superres-c is the C library of superres. superres.h says what its functions do:
//
//	go build -buildmode=c-shared -o libsuperres.so ./cmd/superres-c
//	cc -I cmd/superres-c program.c -L . -lsuperres -Wl,-rpath,. -o program
//
// -buildmode=c-archive makes a static library. Both need a C compiler; the file libsuperres.h that Go writes beside the
// library is not needed.
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
	"math"
	"net/url"
	"slices"
	"strconv"
	"unsafe"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/internal/usage"
	"superres/superres"
	"superres/superres/files"
)

func main() {} // is not called

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
		in, err := imageOf(pixels, uint64(stride), int(width), int(height), int(channels))
		if err != nil {
			return err
		}
		out, err := enlarge(in, opt)
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

// answer does work, and returns the exit code of its error, whose text *message is set to if message is not nil.
func answer(message **C.char, work func() error) C.int {
	if message != nil {
		*message = nil
	}
	err := caught(work)
	if err == nil {
		return console.ExitOK
	}
	if message != nil {
		*message = C.CString(safefile.OneLine(err.Error()))
	}
	return C.int(console.ExitCode(err))
}

// caught does work, and returns its error, or one for a panic, as nothing may unwind the stack of C.
func caught(work func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("a fault of superres: %v; please report it with the picture", value)
		}
	}()
	return work()
}

// give returns data in new memory of C, which the caller frees.
func give(data []byte) *C.uint8_t { return (*C.uint8_t)(C.CBytes(data)) }

// maxMemory is the name of the option that limits the memory of a picture, in MiB.
const maxMemory = "max-memory"

// parse returns the options in a query: maxMemory, and those called names, or all if there are none.
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

// mebibytes returns the number of bytes of a number of MiB.
func mebibytes(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64>>20 {
		return 0, usage.Errorf("%s %s: expected a whole number of MiB, 1 or more", maxMemory, text)
	}
	return n << 20, nil
}

// imageOf returns a picture in memory of C as an image in memory of Go.
func imageOf(pixels *C.bytes, stride uint64, width, height, channels int) (image.Image, error) {
	switch {
	case width < 1 || height < 1:
		return nil, usage.Errorf("a picture of %d×%d pixels: expected 1 or more", width, height)
	case channels != 1 && channels != 3 && channels != 4:
		return nil, usage.Errorf("%d channels: expected 1, 3 or 4", channels)
	case stride < uint64(width)*uint64(channels):
		return nil, usage.Errorf("a stride of %d bytes: expected %d or more", stride, width*channels)
	case stride > math.MaxInt/uint64(height):
		return nil, usage.Errorf("a stride of %d bytes: no memory has %d rows of it", stride, height)
	}
	n := width * channels
	row := func(y int) []byte {
		all := unsafe.Slice((*byte)(pixels), int(stride)*(height-1)+n)
		return all[y*int(stride):][:n]
	}
	area := image.Rect(0, 0, width, height)
	if channels == 1 {
		grey := image.NewGray(area)
		for y := range height {
			copy(grey.Pix[y*grey.Stride:], row(y))
		}
		return grey, nil
	}
	colour := image.NewNRGBA(area)
	for y := range height {
		from, to := row(y), colour.Pix[y*colour.Stride:][:4*width]
		for x := range width {
			to[4*x+3] = 0xff
			copy(to[4*x:], from[x*channels:][:channels])
		}
	}
	return colour, nil
}

// enlarge returns in, an 8-bit image, enlarged by opt.
func enlarge(in image.Image, opt files.Options) (image.Image, error) {
	e, err := files.New(opt)
	if err != nil {
		return nil, err
	}
	m, err := e.Model()
	if err != nil {
		return nil, err
	}
	size := superres.Options{Scale: opt.Scale, Width: opt.Width, Height: opt.Height, Fit: opt.Fit,
		Strength: opt.Strength}
	if size.Scale == 0 && size.Width == 0 && size.Height == 0 {
		size.Scale = 2
	}
	b := in.Bounds()
	config := image.Config{ColorModel: in.ColorModel(), Width: b.Dx(), Height: b.Dy()}
	w, h, err := m.ResultSize(b.Dx(), b.Dy(), size)
	if err != nil {
		return nil, err
	}
	limit := cmp.Or(opt.Limits.Memory, 2<<30)
	if need := m.Memory(config, w, h, size); need > limit {
		return nil, fmt.Errorf("%w: output %d×%d needs %s, the limit is %s; use %s", files.ErrLimit, w, h,
			usage.Bytes(need), usage.Bytes(limit), maxMemory)
	}
	return m.Upscale(context.Background(), in, size)
}

// samplesOf returns the samples of an image that enlarge made, of the channels of a picture, row by row.
func samplesOf(img image.Image, channels int) []byte {
	switch img := img.(type) {
	case *image.Gray:
		return img.Pix // images that are made have no gaps
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
	panic(errors.ErrUnsupported) // Upscale makes no others of 8 bits
}
