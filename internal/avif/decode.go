//go:build amd64 || arm64

package avif

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"

	"github.com/tetratelabs/wazero/api"

	"superres/internal/metadata"
)

// Decode decodes the primary picture of file once for each element i of pictures, after the changes pictures[i] to the
// bytes of the file, and calls use with i and the result. The changed file must declare that samples have more than 8
// bits, and that the picture has no transparency. buffer is the memory of the decoder, and must be all zeros. The error
// is ErrMemory, a FormatError, the error of use, or ctx.Err() once ctx has ended.
func Decode(ctx context.Context, file, buffer []byte, pictures [][]metadata.Edit,
	use func(i int, f Frame) error) error {
	machine, err := decoder()
	if err != nil {
		return err
	}
	for i, edits := range pictures {
		if i > 0 {
			clear(buffer)
		}
		err := machine.run(ctx, buffer, func(ctx context.Context, mod api.Module) error {
			frame, err := decode(ctx, mod, file, edits)
			if err != nil {
				return err
			}
			return use(i, frame)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

const undecodable = FormatError("its pixels cannot be decoded")

// decode decodes file, after the changes edits, in mod, an instance of the decoder. Edits outside of the file are left
// out. in, about, delay, out and last are addresses in the memory of mod, and f.Pix shares this memory.
func decode(ctx context.Context, mod api.Module, file []byte, edits []metadata.Edit) (f Frame, err error) {
	call := caller(ctx, mod, undecodable, &err)
	const fields = 4 * 4 // width, height, depth, number of pictures
	in, about, delay := call("malloc", uint64(len(file))), call("malloc", fields), call("malloc", 8)
	if err != nil {
		return f, err
	}
	memory := mod.Memory()
	memory.Write(in, file)
	for _, e := range edits {
		if e.At >= 0 && e.At <= int64(len(file)-len(e.Data)) {
			memory.Write(in+uint32(e.At), e.Data)
		}
	}
	run := func(onlySize, out uint64) { // onlySize 1: sets the fields at about; 0: decodes the pixels to out, too
		at, all := uint64(about), uint64(0) // all 0: only the first picture
		call("decode", uint64(in), uint64(len(file)), onlySize, all, at, at+4, at+8, at+12, uint64(delay), out)
	}
	run(1, 0)
	head, ok := memory.Read(about, fields)
	if err != nil || !ok {
		return f, cmp.Or(err, ErrMemory)
	}
	width, height, depth := number(head), number(head[4:]), number(head[8:])
	size := pixelBytes * width * height
	switch {
	case depth <= 8: // edits cannot raise a depth that no box states
		return f, FormatError("it does not say the depth of its samples")
	case size == 0 || size > math.MaxUint32:
		return f, ErrMemory
	}
	out := call("malloc", size)
	last := out + uint32(size) - pixelBytes
	memory.WriteUint64Le(last, 0)
	run(0, uint64(out))
	f.Width, f.Height = int(width), int(height)
	f.Pix, ok = memory.Read(out, uint32(size))
	// Note: the function decode does not report undecodable pixels; it writes none. Decoded pixels are opaque here.
	if end, _ := memory.ReadUint64Le(last); err == nil && (!ok || end>>48 != math.MaxUint16) {
		err = undecodable
	}
	return f, err
}

// number returns the 4-byte little-endian number at the start of b, limited to 2¹⁶, which is more than a side can have.
func number(b []byte) uint64 { return uint64(min(binary.LittleEndian.Uint32(b), math.MaxUint16+1)) }
