package atoms

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
)

// A model file that is damaged, anywhere, is refused with the code of models and one line, or is still a model.
func TestDamagedModels(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(5, 4))
	putHalves(t, filepath.Join(dir, "atoms.npz"), "low", "high")
	program.Succeeds(t, dir, "dict", "import", "atoms.npz", "-o", "good.npz")
	good := consoletest.Read(t, dir, "good.npz")
	random := rand.New(rand.NewPCG(7, 7))
	try := func(what string, data []byte) {
		consoletest.Put(t, filepath.Join(dir, "bad.npz"), data)
		os.Remove(filepath.Join(dir, "out.png"))
		_, stderr, code := call(t, dir, "", "upscale", "-m", "bad.npz", "a.png", "-o", "out.png", "-j", "1")
		_, err := os.Stat(filepath.Join(dir, "out.png"))
		if code == 0 != (err == nil) || code != 0 && (code != console.ExitModel || strings.Count(stderr, "\n") != 1 ||
			!strings.HasPrefix(stderr, "superres: model bad.npz: ")) {
			t.Errorf("%s: exit %d, %v: %s", what, code, err, stderr)
		}
	}
	for range consoletest.Full(400, 10_000) {
		bad := bytes.Clone(good)
		at := random.IntN(len(bad))
		bad[at] ^= byte(1 + random.IntN(255))
		try(fmt.Sprintf("byte %d is %d", at, bad[at]), bad)
	}
	for n := 0; n < len(good); n += consoletest.Full(1+len(good)/200, 1) {
		try(fmt.Sprintf("%d of %d bytes", n, len(good)), good[:n])
	}
}
