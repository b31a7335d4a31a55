package kernel

import (
	_ "embed"
	"syscall/js"
	"unsafe"
)

// Go's WebAssembly has no vectors. The operations of the tier simd128 are in a separate module, which works in the
// memory of Go's module. It is called through JavaScript, with the address of the operands.
//
// Note: such a call takes less than a microsecond. A function of go:wasmimport would take less, but a program that
// imports it could not start before the module exists, and the module needs Go's memory, which the start creates.

//go:embed kernel.wasm
var moduleCode []byte

// module holds the exported functions of the module by name. It is nil if there are no vectors.
var module = loadModule()

func hasModule() bool { return module != nil }

// loadModule starts the module and returns its exported functions, or nil if the engine has no vectors.
func loadModule() (functions map[string]js.Value) {
	defer func() {
		if recover() != nil { // an exception of JavaScript
			functions = nil
		}
	}()
	code := js.Global().Get("Uint8Array").New(len(moduleCode))
	js.CopyBytesToJS(code, moduleCode)
	assembly := js.Global().Get("WebAssembly")
	memory := instance().Get("_inst").Get("exports").Get("mem")
	exports := assembly.Get("Instance").New(assembly.Get("Module").New(code),
		map[string]any{"go": map[string]any{"mem": memory}}).Get("exports")
	functions = map[string]js.Value{}
	names := js.Global().Get("Object").Call("keys", exports)
	for i := range names.Length() {
		name := names.Index(i).String()
		functions[name] = exports.Get(name)
	}
	return functions
}

// instance returns the instance of the class Go, of wasm_exec.js, that runs this program. No variable of JavaScript
// holds that instance. But js.FuncOf calls its method _makeFuncWrapper, so for one call instance replaces this method
// by a function that stores the receiver.
func instance() (found js.Value) {
	const method = "_makeFuncWrapper"
	class := js.Global().Get("Go").Get("prototype")
	was := class.Get(method)
	keep := js.FuncOf(func(this js.Value, _ []js.Value) any {
		found = this
		return nil
	})
	defer keep.Release()
	class.Set(method, keep)
	defer class.Set(method, was)
	js.FuncOf(func(js.Value, []js.Value) any { return nil }).Release()
	return found
}

// operands are the arguments for a call of the module: see gen/simd.go.
type operands struct {
	pointers [12]unsafe.Pointer
	numbers  [12]int
}

// calling is the operands of the current call. As a variable of the package, it keeps them and the memory they point to
// on the heap, where nothing moves, and safe from the garbage collector.
var calling *operands

// callModule calls the function of the module called name.
func callModule(name string, o *operands) {
	calling = o
	module[name].Invoke(int(uintptr(unsafe.Pointer(o))))
}
