package serve

import (
	"bytes"
	"image"
	"mime"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/must"
	"superres/internal/mutate"
	pictures "superres/internal/picture"
)

// Confined workers read AVIF, as often as they are asked, and damaged ones harm neither the server nor others.
func TestAVIF(t *testing.T) {
	s := start(t, nil)
	enlarge := func(data []byte) answer {
		return s.do("PUT", s.url+"v1/upscale?model=bicubic&name=a.avif", bytes.NewReader(data), nil)
	}
	m := mutate.New(t).Of(".avif")
	good := map[string]answer{}
	for _, seed := range m.Seeds {
		got := enlarge(seed.Data)
		if got.status != 200 {
			t.Fatalf("%s: %d %s", seed.Name, got.status, got.body)
		}
		pic := must.Get(imagefile.DecodeBytes(t.Context(), bytes.Clone(seed.Data), seed.Name, imagefile.Limits{}))(t)
		size := must.Get(imagefile.DecodeBytes(t.Context(), got.body, "result", imagefile.Limits{}))(t).Image.Bounds()
		if want := image.Rect(0, 0, 2*pic.Image.Bounds().Max.X, 2*pic.Image.Bounds().Max.Y); size != want {
			t.Errorf("%s: a result of %v, want %v", seed.Name, size, want)
		}
		good[seed.Name] = answer{body: enlarge(seed.Data).body}
	}
	read := 0
	for n := range mutate.Files(24) {
		mutant := m.Mutant(n)
		switch got := enlarge(mutant.Data); {
		case got.status == 200:
			read++
		case got.status < 400 || got.status >= 500:
			t.Errorf("mutant %d, %v: %d %s", n, mutant, got.status, got.body)
		}
	}
	t.Logf("%d mutants were read", read)
	for _, seed := range m.Seeds {
		if got := enlarge(seed.Data); !bytes.Equal(got.body, good[seed.Name].body) {
			t.Errorf("%s: afterwards %d %.200s", seed.Name, got.status, got.body)
		}
	}
	s.works()
	for _, line := range s.lines.all() {
		t.Errorf("the server says %s", line)
	}
}

// A HEIC is what a program of the server makes of it. Where that fails, the client learns why, and no path.
func TestOtherKinds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	dir := t.TempDir()
	program, made := filepath.Join(dir, "program"), filepath.Join(dir, "made.png")
	must.Succeed(t, os.WriteFile(made, hopper(t), 0o600))
	t.Setenv("PATH", os.Getenv("PATH"))
	s := start(t, func(o *options) { o.decoders = []string{"heic=" + program + " {in} {out}"} })
	const heic = "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"
	for _, c := range []struct{ script, want string }{
		{"cp " + made + ` "$2"`, ""},
		{`echo "$1 is odd" >&2; exit 3`, "a.heic: program cannot read it: a file of the server is odd"},
		{"exit 0", "a.heic: program ended well and wrote nothing"},
		{`echo text > "$2"`, "a.heic: program has written what cannot be read"},
	} {
		must.Succeed(t, os.WriteFile(program, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700))
		got := s.do("PUT", s.url+"v1/upscale?model=nearest&name=a.heic", strings.NewReader(heic), nil)
		if c.want != "" {
			got.failed(t, c.script, 422, 4, c.want)
			continue
		}
		_, about, _ := mime.ParseMediaType(got.header.Get("Content-Disposition"))
		want := s.do("PUT", s.url+"v1/upscale?model=nearest&name=a.png", bytes.NewReader(hopper(t)), nil)
		if got.status != 200 || about["filename"] != "a_2x.png" || !bytes.Equal(pixels(t, got), pixels(t, want)) {
			t.Errorf("%d %v %.200s", got.status, about, got.body)
		}
	}
	s.left()
	s.decoders = []string{"none"}
	s.programs.Given = s.decoders
	got := s.do("PUT", s.url+"v1/upscale?model=nearest&name=a.heic", strings.NewReader(heic), nil)
	got.failed(t, "none", 422, 4, "HEIC cannot be read")
}

// pixels returns the samples of the picture in a result.
func pixels(t *testing.T, a answer) []byte {
	t.Helper()
	pic := must.Get(imagefile.DecodeBytes(t.Context(), a.body, "result", imagefile.Limits{}))(t)
	pix, _, _ := pictures.Samples(pic.Image)
	return pix
}
