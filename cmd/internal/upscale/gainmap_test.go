package upscale

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile/imagetest"
)

// A photograph of a telephone keeps its gain map and its film, whether its result is made whole or in strips, and says
// what of them another result lacks.
func TestGainMapOfTheProgram(t *testing.T) {
	gainMap := imagetest.AsGainMap(imagetest.JPEG(t, imagetest.GreyRamp(20, 15), 90), true, true)
	film := imagetest.Film(300)
	for _, o := range []int{1, 6} {
		dir := t.TempDir()
		consoletest.Put(t, filepath.Join(dir, "in.jpg"), imagetest.Behind{GainMap: gainMap, Film: film, XMP: true,
			MPF: true, ISO: true, Picture: imagetest.WithExif(imagetest.JPEG(t, consoletest.Blob(80, 60), 90), o,
				binary.BigEndian)}.Bytes())
		const line = "in.jpg -m bicubic --on-exist overwrite "
		succeeds(t, dir, line+"-o whole.jpg")
		succeeds(t, dir, line+"-o strips.jpg --tile 16")
		piped, _ := expect(t, dir, "", "in.jpg -m bicubic --tile 16 -f jpeg -o -", 0)
		whole := consoletest.Read(t, dir, "whole.jpg")
		if !bytes.Equal(whole, consoletest.Read(t, dir, "strips.jpg")) || piped != string(whole) {
			t.Errorf("orientation %d: the results made whole, in strips and for a pipe differ", o)
		}
		kept := whole[bytes.LastIndex(whole, []byte("\xff\xd9\xff\xd8"))+2:]
		if same := bytes.Equal(kept, append(bytes.Clone(gainMap), film...)); same != (o == 1) ||
			!bytes.HasSuffix(kept, film) {
			t.Errorf("orientation %d: the map is the same: %v, of %d bytes", o, same, len(kept))
		}
		// From the result, a result of the result is made.
		again, _ := expect(t, dir, string(whole), "- -m bicubic -f jpeg -o -", 0)
		if !strings.HasSuffix(again, string(kept)) {
			t.Errorf("orientation %d: the result of the result has %d bytes", o, len(again))
		}
		expect(t, dir, "", line+"-o out.png", 0, "in.jpg: its gain map is left out: only a JPEG keeps it\n",
			"in.jpg: its film is left out: only a JPEG keeps it\n")
		succeeds(t, dir, line+"-o bare.jpg --metadata strip")
		for _, text := range []string{"hdrgm:", "Container:Dir", "MotionPhoto", "urn:iso", "MPF\x00", "ftyp"} {
			for _, out := range []string{"out.png", "bare.jpg"} {
				if bytes.Contains(consoletest.Read(t, dir, out), []byte(text)) {
					t.Errorf("orientation %d: %s has %q", o, out, text)
				}
			}
		}
	}
}
