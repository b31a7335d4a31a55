package weights_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"superres/internal/heap"
	"superres/internal/must"
	"superres/superres/networks/weights"
	"superres/superres/networks/weights/weightstest"
)

// TestManySmall reads files in which small things repeat: no more than five times the size of the file is in memory,
// and no more than 8 MiB for files of less. The file itself is not in memory.
func TestManySmall(t *testing.T) {
	const size, floor = 4 << 20, 8 << 20 // bytes
	header := func(start, text, end string) []byte {
		return makeSafetensors(start+strings.Repeat(text, size/len(text))+end, 0)
	}
	old := weightstest.OldPyTorch(someTensors(), "")
	start := bytes.Index(old, []byte("ccollections")) // where the pickle of the tensors has its first value
	pickled := func(text string) []byte {
		return append(append([]byte(nil), old[:start]...), strings.Repeat(text, size/len(text))+"."...)
	}
	files := map[string][]byte{
		"entries": func() []byte {
			var b strings.Builder
			for i := range 250_000 {
				fmt.Fprintf(&b, `"%x":{"dtype":"F32","shape":[0]},`, i)
			}
			return makeSafetensors("{"+b.String()+`"a":{}}`, 0)
		}(),
		"shape": header(`{"a":{"dtype":"F32","data_offsets":[0,0],"shape":[0`, ",0", "]}}"),
		"metadata": func() []byte {
			var b strings.Builder
			for i := range 500_000 {
				fmt.Fprintf(&b, `"%x":"",`, i)
			}
			return makeSafetensors(`{"__metadata__":{`+b.String()+`"license":"MIT"}}`, 0)
		}(),
		"unknown fields": header(`{"a":{"dtype":"F32","data_offsets":[0,0],"shape":[0]`, `,"b":[{}]`, "}}"),
		"nothings":       pickled("N"), "marks": pickled("("), "lists": pickled("]"), "dictionaries": pickled("}"),
		"filled dictionaries": pickled("}U\x00Ns"), "sets": pickled("\x8f"), "tuples": pickled("N\x85"),
		"long numbers": pickled("\x8a\x09\x01\x01\x01\x01\x01\x01\x01\x01\x01"), "texts": pickled("U\x00"),
		"memoized": pickled("N\x94"), "calls": pickled("ccollections\nOrderedDict\n)R"),
		"members": func() []byte {
			var b bytes.Buffer
			z := zip.NewWriter(&b)
			for i := range 80_000 {
				must.Get(z.Create(fmt.Sprintf("a/data/%x", i)))(t)
			}
			must.Succeed(t, z.Close())
			return b.Bytes()
		}(),
	}
	for what, file := range files {
		most := max(5*int64(len(file)), floor)
		took := heap.Within(most, func() { _, _ = weights.Read(weightstest.Reader(file)) })
		t.Logf("%s: %d KB for %d KB", what, took>>10, len(file)>>10)
		if took > most {
			t.Errorf("%s: %d KB for %d KB", what, took>>10, len(file)>>10)
		}
	}
}
