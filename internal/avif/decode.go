//go:build amd64 || arm64

package avif

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"superres/internal/metadata"
)

//go:embed decode.wasm.gz
var packed []byte

// Decode decodes the primary picture of a file once for each of pictures, which are changes of the file's bytes, and
// calls use with it. After these changes, the file must say that its samples have more than 8 bits, and that the
// picture has no transparency. The decoder has the memory buffer, which must be clear. The error is ErrMemory, a
// FormatError, the error of use, or that of ctx where it ended.
func Decode(ctx context.Context, file, buffer []byte, pictures [][]metadata.Edit,
	use func(i int, f Frame) error) error {
	machine, err := start()
	if err != nil {
		return err
	}
	for i, edits := range pictures {
		if i > 0 {
			clear(buffer)
		}
		if err := machine.decode(ctx, file, buffer, edits, func(f Frame) error { return use(i, f) }); err != nil {
			return err
		}
	}
	return nil
}

// decode decodes the primary picture of a file, after the changes edits, in the memory buffer.
func (m *machine) decode(ctx context.Context, file, buffer []byte, edits []metadata.Edit,
	use func(Frame) error) error {
	own := &linear{buffer: buffer}
	allocator := experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory { return own })
	mod, err := m.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, allocator), m.module,
		wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return err
	}
	defer mod.Close(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		own.ended.Store(true)
		mod.Memory().Grow(1)
		close(ended)
	})
	frame, err := run(ctx, mod, file, edits)
	if !stop() {
		<-ended // before mod is closed
		return ctx.Err()
	}
	if err != nil && own.full.Load() {
		return ErrMemory
	}
	if err != nil {
		return err
	}
	return use(frame)
}

// run decodes file in an instance of the decoder.
func run(ctx context.Context, mod api.Module, file []byte, edits []metadata.Edit) (f Frame, err error) {
	call := func(name string, arguments ...uint64) uint32 {
		var got []uint64
		if err == nil {
			got, err = mod.ExportedFunction(name).Call(ctx, arguments...)
		}
		if len(got) == 0 || uint32(got[0]) == 0 { // a fault of the decoder has no result
			err = FormatError("its pixels cannot be decoded")
			return 0
		}
		return uint32(got[0])
	}
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
	decode := func(head, out uint64) {
		at := uint64(about)
		call("decode", uint64(in), uint64(len(file)), head, 0, at, at+4, at+8, at+12, uint64(delay), out)
	}
	decode(1, 0)
	head, ok := memory.Read(about, fields)
	if err != nil || !ok {
		return f, cmp.Or(err, ErrMemory)
	}
	width, height, depth := number(head), number(head[4:]), number(head[8:])
	size := pixelBytes * width * height
	switch {
	case depth <= 8:
		return f, FormatError("it does not say the depth of its samples")
	case size == 0 || size > math.MaxUint32:
		return f, ErrMemory
	}
	out := call("malloc", size)
	last := out + uint32(size) - pixelBytes
	memory.WriteUint64Le(last, 0)
	decode(0, uint64(out))
	f.Width, f.Height = int(width), int(height)
	f.Pix, ok = memory.Read(out, uint32(size))
	// Note: decode tells no failure of the pixels, and then writes none. Those of a picture whose transparency it does
	// not know of are opaque.
	if end, _ := memory.ReadUint64Le(last); err == nil && (!ok || end>>48 != math.MaxUint16) {
		err = FormatError("its pixels cannot be decoded")
	}
	return f, err
}

// number returns the first number in b, of 4 bytes, the low one first, of which a side has at most 16 bits.
func number(b []byte) uint64 { return uint64(min(binary.LittleEndian.Uint32(b), math.MaxUint16+1)) }

// linear is the memory of an instance, which grows within buffer.
type linear struct {
	buffer      []byte
	full, ended atomic.Bool // it was to grow beyond buffer; the decoder is to end
}

// Reallocate implements experimental.LinearMemory.
//
// Note: wazero can end code that runs, by a check at the start of every loop, which takes 3.4 times as long. Instead,
// the memory of a decoder that is to end shrinks to one page at the same place: the length is loaded again after every
// call of a function, and the next use of what is gone ends it with an error. TestEnds shows it.
func (l *linear) Reallocate(size uint64) []byte {
	const page = 1 << 16
	if l.ended.Load() {
		return l.buffer[:page]
	}
	if size > uint64(len(l.buffer)) {
		l.full.Store(true)
		return nil
	}
	return l.buffer[:size]
}

// Free implements experimental.LinearMemory.
func (l *linear) Free() {}

// Prepare makes the decoder ready, which Decode does too where it was not done. Behind it, Decode needs no file, and no
// memory that may be executed.
func Prepare() error {
	_, err := start()
	return err
}

// machine is the decoder, ready to be instantiated.
type machine struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// start makes the decoder ready when it is first needed. What was compiled is kept in the user's cache.
//
// Note: to compile takes 0.9 s of a processor, to load what was compiled 0.03 s. The interpreter of wazero, which would
// need neither, takes 30 s for a megapixel instead of 0.5 s.
var start = sync.OnceValues(func() (*machine, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	code, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	plain := wazero.NewRuntimeConfigCompiler()
	if dir := CacheFolder(); dir != "" {
		if cache, err := wazero.NewCompilationCacheWithDir(dir); err == nil {
			if m, err := compile(code, plain.WithCompilationCache(cache)); err == nil {
				return m, nil
			}
		}
	}
	m, err := compile(code, plain)
	if err != nil {
		return nil, fmt.Errorf("avif: the decoder does not start: %w", err)
	}
	return m, nil
})

// CacheFolder returns the folder in which Prepare keeps what it has compiled, or "" where the user has no cache.
func CacheFolder() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "superres", "avif")
}

// breather lets the other goroutines of the program run now and then while the decoder does, by a call of Go at one of
// its functions, which decodes a block: 15,000 times in a megapixel of a photograph.
//
// Note: Go cannot interrupt the code of wazero. Once its collector wants to stop the world, all goroutines would wait
// until the decoder ends, and with them what is to end it.
type breather struct{}

// NewFunctionListener implements experimental.FunctionListenerFactory.
func (breather) NewFunctionListener(f api.FunctionDefinition) experimental.FunctionListener {
	const block = 954 // of decode.wasm.gz
	if f.Index() != block {
		return nil
	}
	return experimental.FunctionListenerFunc(
		func(context.Context, api.Module, api.FunctionDefinition, []uint64, experimental.StackIterator) {})
}

// compile returns the machine of a decoder.
func compile(code []byte, config wazero.RuntimeConfig) (m *machine, err error) {
	ctx := experimental.WithFunctionListenerFactory(context.Background(), breather{})
	m = &machine{runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	if m.module, err = m.runtime.CompileModule(ctx, code); err == nil {
		err = refuseSystem(ctx, m)
	}
	return m, err
}

// refuseSystem gives the decoder the functions of the system that it imports: none of them does anything.
func refuseSystem(ctx context.Context, m *machine) error {
	const system, badFile = "wasi_snapshot_preview1", 8
	b := m.runtime.NewHostModuleBuilder(system)
	for _, f := range m.module.ImportedFunctions() {
		_, name, _ := f.Import()
		b.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context, stack []uint64) {
			stack[0] = badFile
		}), f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	_, err := b.Instantiate(ctx)
	return err
}
