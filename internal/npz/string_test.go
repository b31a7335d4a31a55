package npz_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"superres/internal/must"
	"superres/internal/npz"
)

// texts are what is written and read back.
var texts = []string{"", "a", `{"scale": 2}`, "Größe ×2 → 𝛼\n", strings.Repeat("long ", 9000)}

func TestStringArray(t *testing.T) {
	for _, text := range texts {
		var b bytes.Buffer
		must.Succeed(t, npz.Write(&b, []npz.Text{npz.StringArray("p", text)}, nil))
		f := must.Get(npz.Open(bytes.NewReader(b.Bytes()), int64(b.Len())))(t)
		if got, err := f.String("p", 45000); err != nil || got != text {
			t.Errorf("%.20q: %.20q %v", text, got, err)
		}
		if !f.Has("p.npy") || f.Has("p") {
			t.Error("Has is wrong")
		}
		if n := len([]rune(text)); n > 1 {
			if _, err := f.String("p", n-1); err == nil {
				t.Errorf("%.20q is read with a limit of %d", text, n-1)
			}
		}
	}
}

// Arrays that are no single text, or do not fit their headers.
func TestStringRefusals(t *testing.T) {
	header := func(kind, shape string) string {
		return "{'descr': '" + kind + "', 'fortran_order': False, 'shape': (" + shape + "), }"
	}
	for name, c := range map[string]struct {
		header string
		data   any
		want   string
	}{
		"number":  {header("<f8", ""), 1.0, `type "<f8" of shape [], expected a single text`},
		"list":    {header("<U2", "1,"), []uint32{65, 66}, "expected a single text"},
		"objects": {header("|O", ""), []byte("x"), "expected a single text"},
		"records": {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (), }", 1.0,
			"expected a single text"},
		"short":      {header("<U3", ""), []uint32{65, 66}, `type "<U3" does not fit 8 bytes`},
		"more":       {header("<U1", ""), []uint32{65, 66}, "does not fit"},
		"no length":  {header("<U", ""), []uint32{65}, "does not fit"},
		"minus":      {header("<U-1", ""), []uint32{65}, "does not fit"},
		"overflow":   {header("<U4611686018427387905", ""), []uint32{65}, "does not fit"},
		"no letter":  {header("<U1", ""), []uint32{0x110000}, "no character"},
		"big":        {header(">U1", ""), []byte{0, 0, 0, 65}, ""},
		"bytes":      {header("|S3", ""), []byte("A\x00\x00"), ""},
		"not a .npy": {"", "", "damaged .npy header"},
	} {
		data := []byte("A")
		if c.header != "" {
			data = npyFile(c.header, c.data)
		}
		all := archive(t, "p.npy", data)
		f := must.Get(npz.Open(bytes.NewReader(all), int64(len(all))))(t)
		got, err := f.String("p", 99)
		switch {
		case c.want == "" && (err != nil || got != "A"):
			t.Errorf("%s: %q %v", name, got, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %q %v, expected %s", name, got, err, c.want)
		}
	}
}

func TestNumpyOpensStrings(t *testing.T) {
	python := "/usr/bin/python3"
	if exec.Command(python, "-c", "import numpy").Run() != nil {
		t.Skip("python3-numpy is not installed")
	}
	var members []npz.Text
	for i, text := range texts {
		members = append(members, npz.StringArray(string(rune('a'+i)), text))
	}
	var b bytes.Buffer
	must.Succeed(t, npz.Write(&b, members, nil))
	path := filepath.Join(t.TempDir(), "x.npz")
	must.Succeed(t, os.WriteFile(path, b.Bytes(), 0o666))
	out, err := exec.Command(python, "-c", `
import sys, numpy
f = numpy.load(sys.argv[1])
print([(f[n].shape, len(str(f[n])), str(f[n])[:12].encode()) for n in "abcde"])`, path).CombinedOutput()
	want := `[((), 0, b''), ((), 1, b'a'), ((), 12, b'{"scale": 2}'), ((), 13, b'Gr\xc3\xb6\xc3\x9fe \xc3\x972 ` +
		`\xe2\x86\x92 \xf0\x9d\x9b\xbc'), ((), 45000, b'long long lo')]`
	if err != nil || strings.TrimSpace(string(out)) != want {
		t.Errorf("%s %v, expected %s", out, err, want)
	}
}
