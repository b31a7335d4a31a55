//go:build amd64 || arm64

package avif

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

// The programs, compressed with Brotli, and how to start them. 954 and encoderBlock are the indices of the functions
// that run for every block, and then let other goroutines run: see breather.
var (
	//go:embed decode.wasm.br
	packedDecoder []byte
	//go:embed encode.wasm.br
	packedEncoder []byte

	decoder = sync.OnceValues(func() (*machine, error) { return newMachine(packedDecoder, 954) })
	encoder = sync.OnceValues(func() (*machine, error) { return newMachine(packedEncoder, encoderBlock) })
)

// Prepare compiles the decoder and the encoder; without it, the first Decode and Encode do so. Afterwards, they need no
// file access, and no new executable memory.
func Prepare() error {
	for _, start := range []func() (*machine, error){decoder, encoder} {
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

// newMachine compiles a program. block is the index of the function for breather. The compiled code is cached on disk;
// if the cache cannot be used, newMachine compiles without it.
//
// Note: compiling takes 0.9 s of a processor for the decoder and 2.5 s for the encoder, loading the compiled code 0.03
// and 0.08 s. The interpreter of wazero would need neither, but takes 30 s to decode a megapixel instead of 0.5 s.
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
		return nil, fmt.Errorf("avif: the program does not start: %w", err)
	}
	return m, nil
}

// CacheFolder returns the folder where Prepare stores compiled code, or "" where the user has no cache.
func CacheFolder() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "superres", "avif")
}

// compile returns the machine for the program code, in which breather(block) lets other goroutines run.
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
		mod.Memory().Grow(1) // calls own.Reallocate, which now shrinks the memory, so that the program traps
		close(ended)
	})
	err = use(ctx, mod)
	switch {
	case !stop(): // ctx has ended, and the function above runs or has run
		<-ended // before mod is closed
		return ctx.Err()
	case err != nil && own.full.Load():
		return ErrMemory
	}
	return err
}

// caller returns a function that calls functions of mod by name and returns their 32-bit result. If a called function
// traps or returns 0, *err is set to fault. All further calls then do nothing and return 0.
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

// linear is the memory of an instance: the start of buffer, as long as wazero asks for.
type linear struct {
	buffer      []byte
	full, ended atomic.Bool // full: it had to grow beyond buffer; ended: the program must stop
}

// Reallocate implements experimental.LinearMemory: wazero calls it whenever the memory grows.
//
// Note: wazero can stop running code with a check at the start of every loop, but that takes 3.4 times as long.
// Instead, run sets ended and calls Grow, which shrinks the memory to one page at the same address: the code reloads
// the length after every call, not in a loop without calls, and its next access beyond the page traps: see TestEnds.
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

func (l *linear) Free() {}

// breather lets other goroutines run while WebAssembly code runs: it makes the function with this index call Go. In the
// decoder, this function decodes a block, 15,000 times in a megapixel of a photograph.
//
// Note: Go cannot preempt the code of wazero. When the garbage collector stops the world, all goroutines would wait
// until the decoder returns, even the one that is to stop it.
type breather uint32

// NewFunctionListener returns nil or, for the function with the index block, a listener that only makes it call Go.
func (block breather) NewFunctionListener(f api.FunctionDefinition) experimental.FunctionListener {
	if f.Index() != uint32(block) {
		return nil
	}
	return experimental.FunctionListenerFunc(
		func(context.Context, api.Module, api.FunctionDefinition, []uint64, experimental.StackIterator) {})
}
