package models

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
	"superres/superres"
)

// A network is the same one whether it comes from its file or from the user's models, whichever of its files is named.
func TestImport(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(folderVariable, filepath.Join(dir, "models"))
	path := filepath.Join(dir, "small.param")
	consoletest.PutNetwork(t, path, 2, 1)
	open := func(name string) (m *superres.Model, fingerprint string) {
		t.Helper()
		m = must.Get(Open(t.Context(), name))(t)
		return m, must.Get(m.Fingerprint())(t)
	}
	m, first := open(path)
	p := m.Provenance.Imported
	if m.Scale != 2 || m.Network.Channels() != 3 || p.Architecture != "2 convolutions, 16 channels" ||
		p.Parameters != 9*3*16+16+16+9*16*12+12 || p.MACs != 9*3*16+9*16*12 {
		t.Errorf("%+v", p)
	}
	if _, again := open(strings.TrimSuffix(path, "param") + "bin"); again != first {
		t.Error("by its other file it is another network")
	}
	program.Succeeds(t, dir, "models", "add", "small.bin", "--name", "mine")
	must.Succeed(t, os.Remove(path))
	if m, kept := open("mine"); kept != first || m.Provenance.Imported.File != "small.param" {
		t.Errorf("from the user's models it is another network, of %s", m.Provenance.Imported.File)
	}
	text, _ := program.Succeeds(t, dir, "models", "info", "mine")
	for _, want := range []string{"architecture 2 convolutions", "reach        ", "MACs         2.16 K a pixel",
		"red, green and blue together", "file         small.param (ncnn)"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
}

// What cannot be run is refused in a sentence that names it.
func TestImportRefuses(t *testing.T) {
	dir := t.TempDir()
	consoletest.PutNetwork(t, filepath.Join(dir, "a.param"), 2, 1)
	param := consoletest.Read(t, dir, "a.param")
	put := func(name, text string) { consoletest.Put(t, filepath.Join(dir, name), []byte(text)) }
	put("op.param", strings.Replace(string(param), "PReLU     slope 1 1 first slope 0=16",
		"MultiHeadAttention slope 1 1 first slope", 1))
	put("op.bin", string(consoletest.Read(t, dir, "a.bin")))
	put("short.param", string(param))
	put("short.bin", string(consoletest.Read(t, dir, "a.bin")[:100]))
	put("text.onnx", "plain text")
	put("call.pth", "\x80\x02cos\nsystem\n(S'ls'\ntR.")
	for name, want := range map[string]string{"op.param": "MultiHeadAttention", "short.bin": "network short.bin: ",
		"text.onnx": "network text.onnx: onnx: ", "call.pth": "network call.pth: pth: "} {
		program.Ends(t, dir, 6, want, "models", "add", name)
		program.Ends(t, dir, 6, want, "models", "info", name)
	}
}
