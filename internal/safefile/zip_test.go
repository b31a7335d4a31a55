package safefile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"superres/internal/heap"
	"superres/internal/must"
)

// archive returns a zip archive of the given number of empty members.
func archive(t *testing.T, members int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := range members {
		must.Get(z.Create(fmt.Sprintf("%x", i)))(t)
	}
	must.Succeed(t, z.Close())
	return b.Bytes()
}

// An archive of a few thousand members is opened; one with a directory that is most of the file is refused before it
// takes many times its size in memory.
func TestOpenZip(t *testing.T) {
	small := archive(t, 10_000)
	z := must.Get(OpenZip(bytes.NewReader(small), int64(len(small))))(t)
	if len(z.File) != 10_000 || z.File[9_999].Name != "270f" {
		t.Errorf("%d members", len(z.File))
	}
	many := archive(t, 60_000)
	took := heap.Within(int64(len(many)), func() {
		_, err := OpenZip(bytes.NewReader(many), int64(len(many)))
		if err == nil || !strings.Contains(err.Error(), "the directory of the archive has more than") {
			t.Error(err)
		}
	})
	if took > int64(len(many)) {
		t.Errorf("%d KB for %d KB", took>>10, len(many)>>10)
	}
}
