package networks

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/internal/golden"
	"superres/internal/must"
)

// Networks that others trained, where they are at hand, are opened by either of their names, with the hash of their
// bytes.
func TestOpenPublished(t *testing.T) {
	dir := golden.Data(t, "networks")
	for name, want := range map[string]Source{
		"disp.onnx": {Name: "disp", Format: "onnx", Architecture: "19 convolutions, 48 channels",
			SHA256: "4622f5af9e8e43647b959e72f7099e57dab43c02f8cc07c40eec5d4194002640"},
		"4xLSDIRCompactC3.param": {Name: "4xLSDIRCompactC3", Format: "ncnn", Architecture: "SRVGGNetCompact 64×16",
			SHA256: "192162a5cdad55863ce8a9e5293f2a0464f13931d90246c48f48d361aea1e227"},
		"4xLSDIRCompactC3.bin": {Name: "4xLSDIRCompactC3", Format: "ncnn", Architecture: "SRVGGNetCompact 64×16",
			SHA256: "192162a5cdad55863ce8a9e5293f2a0464f13931d90246c48f48d361aea1e227"},
	} {
		got := *must.Get(Open(filepath.Join(dir, name), 0))(t)
		if m := got.Graph.Measure(); m.Scale != 4 {
			t.Errorf("%s has scale %d", name, m.Scale)
		}
		if got.Graph = nil; got != want {
			t.Errorf("%s: %+v, expected %+v", name, got, want)
		}
	}
}

// The content of a file decides how it is read, and what is no network says so.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ content, want string }{
		"a.param":  {"7767517\n1 1\n", "the .bin of this .param is missing"},
		"a.onnx":   {"", "the file is empty"},
		"a.pth":    {"GIF89a, and more", "no network that superres knows"},
		"b.txt":    {"7767517\n1 1\n", "the .bin of this .param is missing"},
		"a.txt":    {"\x80\x02cos\nsystem\n(S'ls'\ntR.", "pth: "},
		"zip.onnx": {"PK\x03\x04 but not a zip file", "pth: "},
		"no.bin":   {"weights alone", "no network that superres knows"},
		"c.png":    {"\x08\x07 but no message", "onnx: "},
		"lfs.onnx": {"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n", "pointer of Git LFS"},
		"page.pth": {"\ufeff\n <!DOCTYPE html>\n<html lang=\"en\"><head><title>Sign in</title>", "is a web page"},
		"page.bin": {"<html>", "is a web page"},
	} {
		path := filepath.Join(dir, name)
		must.Succeed(t, os.WriteFile(path, []byte(c.content), 0o666))
		if s, err := Open(path, 0); s != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", name, err, c.want)
		}
	}
	if _, err := Open(filepath.Join(dir, "none.param"), 0); err == nil {
		t.Error("a missing file is opened")
	}
	if _, err := Open(dir, 0); err == nil {
		t.Error("a folder is opened")
	}
}

// The weights of a network in other files are among its files, and within its hash.
func TestOpenBeside(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		must.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must.Succeed(t, os.WriteFile(path, []byte(content), 0o666))
		return path
	}
	model := `{"format": "layers-model", "modelTopology": {"model_config": {"class_name": "Sequential", "config": {
		"layers": [{"class_name": "Conv2D", "config": {"name": "c", "kernel_size": 1, "padding": "same",
		"batch_input_shape": [null, null, null, 1]}}]}}}, "weightsManifest": [{"paths": ["w/a.bin"], "weights":
		[{"name": "c/kernel", "shape": [1, 1, 1, 1], "dtype": "float32"}]}]}`
	path, shard := write("model.json", model), write("w/a.bin", "\x00\x00\x80\x3f")
	if got, want := Files(path), []string{path, shard}; !slices.Equal(got, want) {
		t.Errorf("the files are %q, expected %q", got, want)
	}
	s := must.Get(Open(path, 0))(t)
	if s.SHA256 != must.Get(hashOf([]string{path, shard}))(t) || s.Format != "keras" || s.Graph.Parameters() != 1 {
		t.Errorf("got %+v", s)
	}
	// Names that lead out of the folder, by themselves or by a link, are not followed.
	outside := t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(outside, "a.bin"), []byte("\x00\x00\x80\x3f"), 0o666))
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Skip("no links here")
	}
	above := "../" + filepath.Base(outside) + "/a.bin"
	for _, name := range []string{above, "link/a.bin", filepath.Join(outside, "a.bin")} {
		path := write("other.json", strings.Replace(model, "w/a.bin", filepath.ToSlash(name), 1))
		if _, err := Open(path, 0); err == nil || !strings.Contains(err.Error(), "missing") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
