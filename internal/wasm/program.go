//go:build amd64 || arm64

package wasm

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/andybalholm/brotli"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// The programs, compressed by Brotli. Each has a function that is called for every block: see breather.
var (
	//go:embed avifread.wasm.br
	packedAVIFDecoder []byte
	//go:embed avifwrite.wasm.br
	packedAVIFEncoder []byte
	//go:embed webp.wasm.br
	packedWebP []byte

	avifDecoder = sync.OnceValues(func() (*machine, error) { return newMachine(packedAVIFDecoder, 954) })
	avifEncoder = sync.OnceValues(func() (*machine, error) { return newMachine(packedAVIFEncoder, 1210) })
	webpEncoder = sync.OnceValues(func() (*machine, error) { return newMachine(packedWebP, 428) })
)

// Prepare makes the programs ready, which their functions do too where it was not done. Behind it, these need no file,
// and no memory that may be executed.
func Prepare() error {
	for _, start := range []func() (*machine, error){avifDecoder, avifEncoder, webpEncoder} {
		if _, err := start(); err != nil {
			return err
		}
	}
	return nil
}

// machine is a program, ready to be instantiated.
type machine struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// newMachine makes a program ready, of which block is the number of a function. What was compiled is kept in the user's
// cache.
//
// Note: to compile takes 0.9 s of a processor for the decoder of AVIF, 2.5 s for the encoder and 0.7 s for libwebp, to
// load what was compiled 0.03, 0.08 and 0.02 s. The interpreter of wazero, which would need neither, takes 30 s to
// decode a megapixel of AVIF instead of 0.5 s.
func newMachine(packed []byte, block uint32) (*machine, error) {
	code, err := io.ReadAll(brotli.NewReader(bytes.NewReader(packed)))
	if err != nil {
		return nil, err
	}
	plain := wazero.NewRuntimeConfigCompiler()
	if dir := CacheFolder(); dir != "" {
		if cache, err := wazero.NewCompilationCacheWithDir(dir); err == nil {
			if m, err := compile(code, block, plain.WithCompilationCache(cache)); err == nil {
				return m, nil
			}
		}
	}
	m, err := compile(code, block, plain)
	if err != nil {
		return nil, fmt.Errorf("wasm: the program does not start: %w", err)
	}
	return m, nil
}

// CacheFolder returns the folder in which Prepare keeps what it has compiled, or "" where the user has no cache.
func CacheFolder() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "superres", "wasm")
}

// compile returns the machine of a program.
func compile(code []byte, block uint32, config wazero.RuntimeConfig) (m *machine, err error) {
	ctx := experimental.WithFunctionListenerFactory(context.Background(), breather(block))
	m = &machine{runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	if m.module, err = m.runtime.CompileModule(ctx, code); err == nil {
		err = refuseSystem(ctx, m)
	}
	return m, err
}

// run calls use with an instance of the program that has buffer as its memory. It fails with ErrMemory where buffer is
// too short, with the error of use, or with ctx.Err() once ctx has ended.
func (m *machine) run(ctx context.Context, buffer []byte, use func(context.Context, api.Module) error) error {
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
	err = use(ctx, mod)
	switch {
	case !stop():
		<-ended // before mod is closed
		return ctx.Err()
	case err != nil && own.full.Load():
		return ErrMemory
	}
	return err
}

// caller returns a function that calls the functions of mod, of which each returns a number other than 0. Once one
// fails, by a fault without a result too, err is set to fault, and the following calls do nothing.
func caller(ctx context.Context, mod api.Module, fault FormatError, err *error) func(string, ...uint64) uint32 {
	return func(name string, arguments ...uint64) uint32 {
		var got []uint64
		if *err == nil {
			got, *err = mod.ExportedFunction(name).Call(ctx, arguments...)
		}
		if len(got) == 0 || uint32(got[0]) == 0 {
			*err = fault
			return 0
		}
		return uint32(got[0])
	}
}

// encode returns what the function encode of a program, which gets options behind its other arguments, makes of a
// picture in memory bytes.
func (m *machine) encode(ctx context.Context, memory int64, width, height int, pix []byte, options ...uint64) (
	file []byte, err error,
) {
	err = m.run(ctx, make([]byte, memory), func(ctx context.Context, mod api.Module) error {
		file, err = encode(ctx, mod, width, height, pix, options)
		return err
	})
	return file, err
}

// encode encodes a picture in an instance of a program.
func encode(ctx context.Context, mod api.Module, width, height int, pix []byte, options []uint64) (
	file []byte, err error,
) {
	const fault = FormatError("the picture cannot be encoded")
	call := caller(ctx, mod, fault, &err)
	in, size := call("malloc", uint64(len(pix))), call("malloc", 8)
	if err != nil {
		return nil, err
	}
	mod.Memory().Write(in, pix)
	out := call("encode", append([]uint64{uint64(in), uint64(width), uint64(height), uint64(size)}, options...)...)
	length, _ := mod.Memory().ReadUint32Le(size)
	data, ok := mod.Memory().Read(out, length)
	if err == nil && !ok {
		err = fault
	}
	return bytes.Clone(data), err
}

// refuseSystem gives the program the functions of the system that it imports: none of them does anything.
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

// linear is the memory of an instance, which grows within buffer.
type linear struct {
	buffer      []byte
	full, ended atomic.Bool // it was to grow beyond buffer; the program is to end
}

// Reallocate implements experimental.LinearMemory.
//
// Note: wazero can end code that runs, by a check at the start of every loop, which takes 3.4 times as long. Instead,
// the memory of a program that is to end shrinks to one page at the same place: the length is loaded again after every
// call of a function, and the next access beyond it ends the program with an error. TestEnds shows it.
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

// breather lets the other goroutines of this process run now and then while a program does, by a call of Go at one of
// its functions, which decodes or encodes a block: in a megapixel of a photograph 15,000 times for the decoder of AVIF,
// 28,000 for the encoder, 4,600 for libwebp.
//
// Note: Go cannot interrupt the code of wazero. Once its collector wants to stop the world, all goroutines would wait
// until the program ends, and with them the one that is to end it.
type breather uint32

// NewFunctionListener implements experimental.FunctionListenerFactory.
func (block breather) NewFunctionListener(f api.FunctionDefinition) experimental.FunctionListener {
	if f.Index() != uint32(block) {
		return nil
	}
	return experimental.FunctionListenerFunc(
		func(context.Context, api.Module, api.FunctionDefinition, []uint64, experimental.StackIterator) {})
}
