package main

import (
	"fmt"
	"strings"
	"testing"
)

// testOperations returns operations with assembly for tiers of amd64 alone, of arm64 alone, and of both.
func testOperations() []operation {
	return []operation{
		{name: "all", signature: "(v []float64)", tiers: []string{AVX2, AVX512}},
		{name: "arm", signature: "(out, in []int8, n int) (a, b int)", lengths: []string{"in"}, tiers: []string{NEON}},
		{name: "last", signature: "()", tiers: []string{AVX512}, assembly: func(tier) {}},
		{name: "web", signature: "(v []byte, n int)", tiers: []string{SIMD128}, simd: func(*function) {}},
		{name: "few", signature: "(v []byte) int", needs: "len(v) is a multiple of 32", tiers: []string{AVX2, NEON}},
	}
}

func TestDispatch(t *testing.T) {
	ops := testOperations()
	if archs := architectures(ops); strings.Join(archs, " ") != "amd64 arm64 wasm" {
		t.Fatalf("assembly for %v", archs)
	}
	files, err := dispatch(ops)
	if err != nil {
		t.Fatal(err)
	}
	for name, parts := range map[string][]string{
		"amd64": {
			"//go:build !purego\n",
			"{\"generic\", \"avx2\", \"avxvnni\", \"avx512bw\", \"avx512\"}",
			"func all(v []float64) {\n\tif current == 0 {\n\t\tallGeneric(v)\n\t} else {\n" +
				"\t\tallAssembly(unsafe.SliceData(v))\n\t}\n}\n",
			"\n//go:noescape\nfunc allAssembly(v *float64)\n",
			"func last() {\n\tif current < 4 {\n\t\tlastGeneric()\n\t} else {\n\t\tlastAssembly()\n\t}\n}\n",
		},
		"arm64": {
			"{\"generic\", \"neon\"}",
			"\tcpu.ARM64.HasASIMD,\n",
			"\treturn armAssembly(unsafe.SliceData(out), unsafe.SliceData(in), len(in), n)\n",
			"\n//go:noescape\nfunc armAssembly(out *int8, in *int8, inLen int, n int) (a int, b int)\n",
		},
		"both": {
			"//go:build !purego && (amd64 || arm64)\n",
			"// few needs, in assembly: len(v) is a multiple of 32.\nfunc few(v []byte) int {\n" +
				"\tif current == 0 {\n\t\treturn fewGeneric(v)\n\t}\n\treturn fewAssembly(unsafe.SliceData(v))\n}\n",
		},
		"wasm": {
			"//go:build !purego && js\n", "{\"generic\", \"simd128\"}", "\thasModule(),\n",
			"\t\tcallModule(\"web\", &operands{\n" +
				"\t\t\t[12]unsafe.Pointer{unsafe.Pointer(unsafe.SliceData(v))},\n\t\t\t[12]int{n},\n\t\t})\n\t}\n}\n",
		},
		"other":    {"//go:build purego || !(amd64 || arm64 || js)\n", "var tierRuns []bool\n"},
		"generic1": {"//go:build purego || !amd64\n", "\nfunc all(v []float64) { allGeneric(v) }\n", "\nfunc last() "},
		"generic2": {"//go:build purego || !arm64\n",
			"\nfunc arm(out, in []int8, n int) (a, b int) { return armGeneric(out, in, n) }\n"},
		"generic3": {"//go:build purego || !js\n", "\nfunc web("},
		"generic4": {"//go:build purego || !(amd64 || arm64)\n", "\nfunc few(v []byte) int { return fewGeneric(v) }\n"},
	} {
		code := string(files["dispatch_"+name+".go"])
		for _, part := range parts {
			if !strings.Contains(code, part) {
				t.Errorf("%s: expected\n%s\nin\n%s", name, part, code)
			}
		}
	}
}

func TestRefusesOperations(t *testing.T) {
	write := func(tier) {}
	for want, op := range map[string]operation{
		"two operations of the name mul": {name: "mul", signature: "()", assembly: write},
		"new: no tier \"SSE\"":           {name: "new", signature: "()", assembly: write, tiers: []string{"SSE"}},
		"new: no assembly for amd64":     {name: "new", signature: "()"},
		"new: no code for WebAssembly":   {name: "new", signature: "()", tiers: []string{SIMD128}},
		"new: \"int\" is no signature":   {name: "new", signature: "int", assembly: write},
		"new: no slice n in (v []int, n int)": {name: "new", signature: "(v []int, n int)", lengths: []string{"n"},
			assembly: write},
	} {
		func() {
			was := registered
			defer func() {
				registered = was
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, want) {
					t.Errorf("a panic with %s, expected %s", got, want)
				}
			}()
			register(op)
		}()
	}
}
