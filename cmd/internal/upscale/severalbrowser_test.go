package upscale

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"os/exec"
	"path/filepath"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// decodeInBrowser has a page take a file apart into frames.
const decodeInBrowser = `<!doctype html><script>
async function frames(kind, data) {
	const bytes = Uint8Array.from(atob(data), c => c.charCodeAt(0));
	const decoder = new ImageDecoder({data: bytes, type: kind});
	await decoder.tracks.ready;
	await decoder.completed;
	const track = decoder.tracks.selectedTrack, list = [];
	for (let i = 0; i < track.frameCount; i++) {
		const {image} = await decoder.decode({frameIndex: i});
		const canvas = new OffscreenCanvas(image.codedWidth, image.codedHeight), pen = canvas.getContext("2d");
		pen.drawImage(image, 0, 0);
		const pix = pen.getImageData(0, 0, canvas.width, canvas.height).data;
		let text = "";
		for (const v of pix) text += String.fromCharCode(v);
		list.push({w: canvas.width, h: canvas.height, pix: btoa(text), ms: image.duration / 1000});
	}
	return JSON.stringify({plays: track.repetitionCount === Infinity ? 0 : track.repetitionCount + 1, list});
}
</script>`

// A browser sees in what is written, and in a WebP of another encoder, what this program does.
func TestSeveralInBrowser(t *testing.T) {
	b := consoletest.OpenBrowser(t)
	dir := t.TempDir()
	consoletest.Put(t, filepath.Join(dir, "page.html"), []byte(decodeInBrowser))
	b.Open(filepath.Join(dir, "page.html"), "", "typeof frames === 'function' && typeof ImageDecoder === 'function'")
	var holed []image.Image
	for n := range 4 {
		holed = append(holed, scene(n, 40, 28, n%2 > 0))
	}
	files := map[string][]byte{}
	for _, output := range []string{"b.gif", "b.png"} {
		files[output] = enlarged(t, "a.gif", scenes(t, "gif", 3, holed...), output, "-m", "nearest")
	}
	if ffmpeg, err := exec.LookPath("ffmpeg"); err == nil {
		for name, args := range map[string][]string{
			"lossless.webp": {"-f", "lavfi", "-i", "testsrc=s=60x44:r=10:d=0.6", "-c:v", "libwebp_anim", "-lossless",
				"1", "-loop", "2"},
			"lossy.webp": {"-i", "holed.png", "-c:v", "libwebp_anim", "-quality", "60", "-loop", "0"},
		} {
			consoletest.Put(t, filepath.Join(dir, "holed.png"), scenes(t, "png", 0, holed...))
			cmd := exec.Command(ffmpeg, append(append([]string{"-v", "error", "-nostdin"}, args...), name)...)
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Logf("%s: %s", name, out) // not every ffmpeg has the encoder
				continue
			}
			files[name] = consoletest.Read(t, dir, name)
		}
	}
	for name, data := range files {
		r, frames := apart(t, data)
		kind := map[string]string{".gif": "image/gif", ".png": "image/png", ".webp": "image/webp"}[filepath.Ext(name)]
		var theirs struct {
			Plays int
			List  []struct {
				W, H int
				Pix  []byte
				MS   float64
			}
		}
		text, _ := b.Eval(fmt.Sprintf("frames(%q, %q)", kind, base64.StdEncoding.EncodeToString(data))).(string)
		if err := json.Unmarshal([]byte(text), &theirs); err != nil {
			t.Fatalf("%s: %v, %q", name, err, text)
		}
		if len(theirs.List) != len(frames) || theirs.Plays != r.Plays {
			t.Errorf("%s: %d frames played %d times, here %d and %d", name, len(theirs.List), theirs.Plays, len(frames),
				r.Plays)
			continue
		}
		for i, f := range theirs.List {
			ours := frames[i]
			den := float64(ours.Delay.Den)
			if want := 1000 * float64(ours.Delay.Num) / den; f.MS != want && want > 10 {
				t.Errorf("%s: frame %d is seen for %g ms, here %g", name, i+1, f.MS, want)
			}
			size := ours.Image.Bounds().Size()
			if size != image.Pt(f.W, f.H) {
				t.Fatalf("%s: frame %d is %dx%d", name, i+1, f.W, f.H)
			}
			for k := 0; k < len(f.Pix); k += 4 {
				p := ours.Image.(*image.NRGBA).Pix[k : k+4]
				// A canvas keeps colour multiplied by alpha, so it is compared where that is whole.
				for c := range 4 {
					if d := int(p[c]) - int(f.Pix[k+c]); (p[3] == 255 || c == 3) && (d > 1 || d < -1) {
						t.Fatalf("%s: frame %d has %v at (%d, %d), here %v", name, i+1, f.Pix[k:k+4], k/4%f.W, k/4/f.W,
							p)
					}
				}
			}
		}
		t.Logf("%s: %d frames as in the browser", name, len(frames))
	}
}
