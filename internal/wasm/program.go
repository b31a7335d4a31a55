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

// The programs, compressed with Brotli, and their machines. The number is the index of a function for breather.
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

// Prepare compiles all programs; without it, each is compiled when it is first needed. After Prepare, decoding and
// encoding need no access to files and no new executable memory.
func Prepare() error {
	for _, start := range []func() (*machine, error){avifDecoder, avifEncoder, webpEncoder} {
		if _, err := start(); err != nil {
			return err
		}
	}
	return nil
}

// machine is a compiled program, from which instances are made.
type machine struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// newMachine compiles a program. block is the index of a function for breather. The compiled code is cached on disk.
//
// Note: compiling takes 0.9 s of a processor for the decoder of AVIF, 2.5 s for its encoder and 0.7 s for libwebp;
// loading the compiled code 0.03, 0.08 and 0.02 s. The interpreter of wazero would need neither, but takes 30 s to
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

// CacheFolder returns the folder where Prepare stores compiled code, or "" where the user has no cache.
func CacheFolder() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "superres", "wasm")
}

// compile returns the machine for the program code.
func compile(code []byte, block uint32, config wazero.RuntimeConfig) (m *machine, err error) {
	ctx := experimental.WithFunctionListenerFactory(context.Background(), breather(block))
	m = &machine{runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	if m.module, err = m.runtime.CompileModule(ctx, code); err == nil {
		err = refuseSystem(ctx, m)
	}
	return m, err
}

// run calls use with a new instance of the program, which uses buffer as its memory. It fails with ErrMemory where
// buffer is too short, with the error of use, or with ctx.Err() once ctx has ended.
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

// caller returns a function that calls functions of mod by name. Each must return a number other than 0; if one returns
// 0 or traps, *err is set to fault, and further calls do nothing.
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

// encode calls the program's function encode for a picture, and returns the file that this function makes. The program
// gets memory bytes, and the function gets options as its last arguments.
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

// refuseSystem provides the system functions that the program imports: each does nothing and returns an error.
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

// linear is the memory of an instance. It grows within buffer.
type linear struct {
	buffer      []byte
	full, ended atomic.Bool // full: the memory had to grow beyond buffer; ended: the program must stop
}

// Reallocate implements experimental.LinearMemory.
//
// Note: wazero can stop running code with a check at the start of every loop, but that takes 3.4 times as long.
// Instead, to stop a program, its memory shrinks to one page at the same address: the code reloads the length after
// every call of a function, and its next access beyond the page traps. TestEnds shows it.
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

// breather is the index of a function in a WebAssembly program. Whenever the program enters this function, it calls Go
// code, so that other goroutines get to run. The function runs for every block of a picture: in a megapixel of a
// photograph 15,000 times in the decoder of AVIF, 28,000 in its encoder, 4,600 in libwebp.
//
// Note: Go cannot preempt the code of wazero. When the garbage collector stops the world, all goroutines would wait
// until the program returns, even the one that is to stop it.
type breather uint32

// NewFunctionListener implements experimental.FunctionListenerFactory.
func (block breather) NewFunctionListener(f api.FunctionDefinition) experimental.FunctionListener {
	if f.Index() != uint32(block) {
		return nil
	}
	return experimental.FunctionListenerFunc(
		func(context.Context, api.Module, api.FunctionDefinition, []uint64, experimental.StackIterator) {})
}
