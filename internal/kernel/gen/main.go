// Command gen writes the parts of package kernel that follow from a description: the assembly of its operations
// for amd64, for AVX2 with FMA and for AVX-512 from one description each, and the choice of a tier on every
// architecture. The definitions of the operations are Go, in the folder above, whose doc.go explains the words
// and how to add an operation.
//
// It is a module of its own, so that avo is no dependency of superres. Run it with go generate in the folder
// above.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"
	"slices"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	to := flag.String("to", "..", "write the files to `FOLDER`")
	flag.Parse()
	log.SetFlags(0)
	ops := operations()
	archs := architectures(ops)
	for _, arch := range append(slices.Clone(archs), other) {
		code, err := dispatch(arch, archs, ops)
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(*to, "dispatch_"+arch+".go"), code, 0o666); err != nil {
			log.Fatal(err)
		}
	}
	assemble(filepath.Join(*to, "kernel_amd64.s"), ops)
}

// assemble writes the assembly for amd64, the architecture that avo knows.
func assemble(file string, ops []operation) {
	ConstraintExpr("!purego")
	for _, op := range ops {
		for _, t := range op.on("amd64") {
			sig, err := op.parse()
			if err != nil {
				log.Fatalf("%s: %v", op.name, err)
			}
			labels = 0
			TEXT(op.name+t.name, NOSPLIT, "func"+sig.assembly)
			op.assembly(t)
			VZEROUPPER()
			RET()
		}
	}
	os.Args = os.Args[:1] // avo says with which arguments a file was made
	for name, value := range map[string]string{"out": file, "pkg": "kernel"} {
		if err := flag.Set(name, value); err != nil {
			log.Fatal(err)
		}
	}
	Generate()
}
