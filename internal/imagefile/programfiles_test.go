package imagefile

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"superres/internal/must"
)

// madeByPrograms are the files that other programs write, a line each: the name of the file, and the command that makes
// it, in which @ is the file and $ the folder of the pictures of programSources. A command that begins with a dot is
// the mode and the options of a call of Pillow's save. Of {a b}, each in turn makes a file of its own.
const madeByPrograms = `
bmp convert $colour.png {BMP2 BMP3 BMP}:@
bmp convert $colour.png -define bmp:subtype={RGB555 RGB565} @
bmp convert $alpha.png -define bmp:format=bmp5 @
bmp convert $palette.png -type Palette -compress RLE BMP3:@
bmp convert $bilevel.png -type Bilevel BMP3:@
bmp ffmpeg $alpha.png -pix_fmt {bgra bgr24 rgb555le rgb565le pal8 gray monob} @
bmp .{1 L P RGB RGBA}
png convert $deep.png -interlace PNG -define png:color-type={2 6} @
png convert $grey.png -depth {1 2 4 8} -define png:color-type=0 @
png convert $alpha.png -define png:color-type={4 6} @
png convert $palette.png -interlace PNG PNG8:@
png ffmpeg $alpha.png -pix_fmt {rgb24 rgba rgb48be rgba64be gray gray16be ya8 ya16be monob pal8} @
png .{1 L LA P I;16 RGBA}
png vips pngsave $deep.png @ --interlace
gif convert $palette.png -interlace {GIF None} @
gif convert $alpha.png @
gif ffmpeg $colour.png @
gif .{1 L P}
webp cwebp -q {1 50 100} -alpha_q 30 -alpha_filter best $alpha.png -o @
webp cwebp -segments 4 -sns 100 -partition_limit 50 -m {0 3 6} $colour.png -o @
webp cwebp -f {0 60 100} -sharpness 5 -alpha_method 0 $alpha.png -o @
webp cwebp -lossless -z {0 6 9} $alpha.png -o @
webp cwebp -near_lossless 40 $colour.png -o @
webp cwebp -sharp_yuv -resize {1 2 17} {1 3 16} $colour.png -o @
webp vips webpsave $palette.png @ --lossless
jpg cjpeg -sample {1x1 2x1 1x2 2x2 4x1 1x4 4x2 2x4 3x1 1x3} $colour.ppm
jpg cjpeg -sample {2x2,1x2,2x1 2x2,2x1,1x1 1x1,2x1,1x1} $colour.ppm
jpg cjpeg -progressive -restart {1B 3B 1} -sample {2x2 1x1} $colour.ppm
jpg cjpeg -scans $scans.txt -restart {1B 2B} $colour.ppm
jpg cjpeg {-rgb -grayscale -optimize} $colour.ppm
jpg jpegtran -restart {1B 1} {-optimize -progressive} $colour.jpg
jpg convert $colour.png -colorspace {CMYK Gray RGB} @
jpg convert $colour.png -orient {RightTop BottomLeft LeftBottom} @
jpg ffmpeg $colour.png -pix_fmt {yuvj420p yuvj422p yuvj444p} @
jpg .{L RGB CMYK}
jpg vips jpegsave $colour.png @ --interlace --optimize-coding
tif convert $colour.png -compress {None LZW Zip RLE JPEG ZSTD WebP} @
tif convert $deep.png -compress {None LZW Zip} -endian {MSB LSB} @
tif convert $bilevel.png -type Bilevel -compress {None Fax Group4 RLE} -define tiff:fill-order={msb lsb} @
tif convert $bilevel.png -type Bilevel -compress {Group4 LZW} -define quantum:polarity=min-is-white @
tif convert $alpha.png -define tiff:alpha={associated unassociated} @
tif convert $alpha.png -type ColorSeparationAlpha -compress {None LZW} @
tif convert $colour.png -interlace plane -compress {None LZW} @
tif convert $colour.png -colorspace {CMYK Lab} @
tif convert $colour.png -define tiff:tile-geometry=16x16 -compress {None Zip} @
tif convert $colour.png -define quantum:format=floating-point -depth {16 32 64} @
tif convert $colour.png -orient {RightTop LeftBottom} @
tif convert $grey.png -type Grayscale -depth {1 2 4 8 16 32} @
tif convert $palette.png -type Palette -depth {4 8} @
tif convert $colour.png TIFF64:@
tif tiffcp -c {lzw:2 zip:2 packbits jpeg zstd:2 webp lzw:1} $colour.tif @
tif tiffcp -c {g3:1d g3:2d g3:1d:fill g3:2d:fill g4} -f {lsb2msb msb2lsb} $bilevel.tif @
tif tiffcp -p separate -c {none lzw:2} $colour.tif @
tif tiffcp -t -w 16 -l 16 -c {lzw zip:2} $colour.tif @
tif tiffcp {-8 -B -L} $colour.tif @
tif ffmpeg $alpha.png -compression_algo {raw lzw deflate packbits} @
tif ffmpeg $alpha.png -pix_fmt {rgb24 rgba rgb48le rgba64le gray gray16le ya8 ya16le monob monow pal8 yuv420p yuv422p yuv444p} @
tif vips tiffsave $deep.png @ --compression {deflate lzw zstd} --predictor horizontal
tif vips tiffsave $colour.png @ --tile --tile-width 16 --tile-height 16 --compression {none jpeg} --bigtiff
tif vips tiffsave $grey.png @ --bitdepth {1 2 4} --miniswhite
tif .{1 L LA P RGB RGBA CMYK YCbCr LAB I;16}
tif .LA compression='jpeg'
tif .YCbCr compression='webp'
tif .1 compression='{group3 group4 tiff_ccitt packbits}'
tif .RGB compression='{tiff_lzw tiff_deflate tiff_adobe_deflate jpeg packbits}'
`

// scansApart are the scans of a JPEG for cjpeg, one for each component.
const scansApart = "0;\n1;\n2;\n"

// pillow is a program in Python. With the argument save it makes files: each further argument is a name, a mode and
// options. Floating point of 0 to 1, in which Pillow and libvips see black, is left out. With view it writes
// FILE.pil.png for each FILE. Both pass over what Pillow cannot do.
const pillow = `
import sys, numpy
from PIL import Image, ImageOps
def sample(name): return Image.open(sys.argv[2] + '/' + name + '.png')
for a in sys.argv[3:]:
    try:
        if sys.argv[1] == 'save':
            name, mode, options = (a + '  ').split(' ', 2)
            im = sample('bilevel' if mode == '1' else 'alpha')
            if mode == 'LAB':
                from PIL import ImageCms
                im = ImageCms.profileToProfile(im.convert('RGB'), ImageCms.createProfile('sRGB'),
                    ImageCms.createProfile('LAB'), outputMode='LAB')
            elif mode == 'I;16': im = Image.fromarray((numpy.asarray(im.convert('L')).astype('uint16') * 257))
            else: im = im.convert('RGB').convert(mode) if mode in ('CMYK', 'YCbCr') else im.convert(mode)
            im.save(name, **eval('dict(' + options + ')'))
        else:
            im = ImageOps.exif_transpose(Image.open(a))
            if im.mode in ('I;16', 'I;16B', 'I'):
                im = Image.fromarray((numpy.asarray(im).astype('uint32') >> 8).astype('uint8'))
            im.convert('RGBA').save(a + '.pil.png')
    except Exception: pass
`

// programSources writes the pictures of which programs make files into a new folder.
func programSources(t *testing.T) string {
	const w, h = 37, 29
	dir := t.TempDir()
	size := image.Rect(0, 0, w, h)
	deep, alpha, grey := image.NewNRGBA64(size), image.NewNRGBA(size), image.NewGray(size)
	palette := image.NewPaletted(size, color.Palette{color.RGBA{A: 255}, color.RGBA{R: 255, G: 255, B: 255, A: 255},
		color.RGBA{R: 200, G: 40, B: 10, A: 255}, color.RGBA{G: 128, B: 250, A: 255}})
	bilevel := image.NewPaletted(size, palette.Palette[:2])
	for y := range h {
		for x := range w {
			wave := func(a, b, k float64) uint16 {
				return uint16(32768 + 30000*math.Sin(float64(x)/a+k)*math.Cos(float64(y)/b-k))
			}
			c := color.NRGBA64{R: wave(5, 7, 0), G: wave(9, 4, 1), B: wave(6, 11, 2), A: 0xffff}
			deep.SetNRGBA64(x, y, c)
			grey.SetGray(x, y, color.Gray{Y: uint8(c.G >> 8)})
			alpha.SetNRGBA(x, y, color.NRGBA{R: uint8(c.R >> 8), G: uint8(c.G >> 8), B: uint8(c.B >> 8),
				A: uint8(90 + 4*x)})
			palette.SetColorIndex(x, y, uint8(c.R>>14))
			bilevel.SetColorIndex(x, y, uint8(c.B>>15))
		}
	}
	colour := image.NewNRGBA(size)
	copy(colour.Pix, alpha.Pix)
	ppm := []byte(fmt.Sprintf("P6 %d %d 255\n", w, h))
	for i := 0; i < len(colour.Pix); i += 4 {
		colour.Pix[i+3] = 0xff
		ppm = append(ppm, colour.Pix[i:i+3]...)
	}
	put := func(name string, data []byte) { must.Succeed(t, os.WriteFile(filepath.Join(dir, name), data, 0o600)) }
	for name, img := range map[string]image.Image{"deep": deep, "alpha": alpha, "grey": grey, "palette": palette,
		"bilevel": bilevel, "colour": colour} {
		var b bytes.Buffer
		must.Succeed(t, png.Encode(&b, img))
		put(name+".png", b.Bytes())
	}
	put("colour.ppm", ppm)
	put("scans.txt", []byte(scansApart))
	put("pillow.py", []byte(pillow))
	for _, line := range []string{"convert $colour.png -compress None @colour.tif",
		"convert $bilevel.png -type Bilevel -compress None @bilevel.tif", "convert $colour.png @colour.jpg"} {
		line = strings.NewReplacer("$", dir+"/", "@", dir+"/").Replace(line)
		_, _ = runProgram(t.Context(), strings.Fields(line)...)
	}
	return dir
}

// alternatives returns line once for each combination of the words in its braces.
func alternatives(line string) (list []string) {
	before, rest, found := strings.Cut(line, "{")
	if !found {
		return []string{line}
	}
	words, behind, _ := strings.Cut(rest, "}")
	for word := range strings.FieldsSeq(words) {
		list = append(list, alternatives(before+word+behind)...)
	}
	return list
}

// runProgram runs a command for at most 20 s, and returns what it writes to its output.
func runProgram(ctx context.Context, command ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	if command[0] == "ffmpeg" {
		last := len(command) - 1
		command = append(append([]string{"ffmpeg", "-v", "error", "-y", "-i"}, command[1:last]...), "-frames:v", "1",
			"-update", "1", command[last])
	}
	if command[0] == "python3" {
		command[0] = "/usr/bin/python3" // Debian's, which has Debian's Pillow
	}
	return exec.CommandContext(ctx, command[0], command[1:]...).Output()
}

// fileKind is a file that a program has made.
type fileKind struct{ path, command string }

// makeByPrograms makes every step-th file of madeByPrograms, and returns the ones that were made.
func makeByPrograms(t *testing.T, step int) (made []fileKind) {
	sources, dir := programSources(t), t.TempDir()
	var kinds []fileKind
	number := 0
	for line := range strings.Lines(strings.TrimSpace(madeByPrograms)) {
		extension, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, c := range alternatives(command) {
			if number++; number%step == 0 {
				kinds = append(kinds, fileKind{filepath.Join(dir, fmt.Sprintf("%03d.%s", number, extension)), c})
			}
		}
	}
	save := []string{"python3", filepath.Join(sources, "pillow.py"), "save", sources}
	for _, k := range kinds {
		if mode, ok := strings.CutPrefix(k.command, "."); ok {
			save = append(save, k.path+" "+mode)
		}
	}
	_, _ = runProgram(t.Context(), save...)
	inParallel(len(kinds), func(i int) {
		k := kinds[i]
		if strings.HasPrefix(k.command, ".") {
			return
		}
		command := strings.NewReplacer("@", k.path, "$", sources+"/").Replace(k.command)
		out, err := runProgram(t.Context(), strings.Fields(command)...)
		if err == nil && !strings.Contains(k.command, "@") {
			_ = os.WriteFile(k.path, out, 0o600)
		}
	})
	return slices.DeleteFunc(kinds, func(k fileKind) bool {
		info, err := os.Stat(k.path)
		return err != nil || info.Size() == 0
	})
}
