// Command gen writes the parts of package kernel that follow from a description of its operations: their assembly for
// amd64, in which one description gives the code for AVX2 with FMA and for AVX-512; the assembly of float32 operations
// for arm64, from the same descriptions; the module of WebAssembly, with the operations that have vectors there; and
// the Go code that chooses a tier on every architecture. The definitions of the operations are Go, in the folder above;
// its doc.go explains the terms and how to add an operation.
//
// It is a module of its own, so that superres does not depend on avo. Run it with go generate in the folder above.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// main writes the Go files, the module of WebAssembly and the assembly of all operations to a folder.
func main() {
	to := flag.String("to", "..", "write the files to `FOLDER`")
	flag.Parse()
	log.SetFlags(0)
	ops := operations()
	files, err := dispatch(ops)
	if err == nil {
		files["kernel.wasm"], err = simd(ops)
	}
	if err != nil {
		log.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(*to, name), data, 0o666); err != nil {
			log.Fatal(err)
		}
	}
	if err := assembleArm(filepath.Join(*to, "kernel_arm64.s"), ops); err != nil {
		log.Fatal(err)
	}
	assemble(filepath.Join(*to, "kernel_amd64.s"), ops)
}

// assemble writes the assembly for amd64, the only architecture of avo, to a file. A function contains the code for
// each tier that its operation has, the fastest first. The code for a tier, except the slowest, begins with a jump to
// the code of the next slower tier. It jumps if the tier in use is slower or, at a tier that is apart, another.
func assemble(file string, ops []operation) {
	ConstraintExpr("!purego")
	for _, op := range ops {
		list := op.on("amd64")
		if len(list) == 0 {
			continue
		}
		sig, err := op.parse()
		if err != nil {
			log.Fatalf("%s: %v", op.name, err)
		}
		labels = 0
		TEXT(op.assemblyName(), NOSPLIT, "func"+sig.assembly)
		for i, t := range slices.Backward(list) {
			slower := label("slower")
			if i > 0 {
				CMPQ(Mem{Symbol: Symbol{Name: "·current"}, Base: reg.StaticBase}, U8(t.index()))
				jump := JLT
				if t.isApart {
					jump = JNE
				}
				jump(LabelRef(slower))
			}
			op.assembly(t)
			VZEROUPPER()
			RET()
			if i > 0 {
				Label(slower)
			}
		}
	}
	writeConstants()
	os.Args = os.Args[:1] // avo writes its arguments into the file; its flags are set now
	for name, value := range map[string]string{"out": file, "pkg": "kernel"} {
		if err := flag.Set(name, value); err != nil {
			log.Fatal(err)
		}
	}
	Generate()
	if err := encodeVEX(file); err != nil {
		log.Fatal(err)
	}
}
