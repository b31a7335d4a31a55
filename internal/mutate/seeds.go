package mutate

import (
	"bytes"
	"compress/zlib"
	"embed"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"maps"
	"slices"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"superres/internal/imagefile/imagetest"
)

// webps are files of kinds that no encoder in Go writes: lossy, lossy with transparency, and
// lossless with transforms.
//
//go:embed seeds
var webps embed.FS

// seeds makes a small valid file of every kind.
func seeds(t testing.TB) (list []File) {
	add := func(name string, data []byte) { list = append(list, File{name, data}) }
	sound := imagetest.Sound(t)
	for _, name := range slices.Sorted(maps.Keys(sound)) {
		add(name, sound[name])
	}
	ramp := func(w, h int) image.Image { return imagetest.Ramp(w, h) }
	add("animated.png", animatedPNG(t, 9, 7, 4, false, ramp))
	add("apart.png", animatedPNG(t, 8, 5, 3, true, ramp))
	add("deep-animated.png", animatedPNG(t, 6, 5, 4, false, deep))
	add("metadata.png", withChunks(sound["colour.png"]))
	add("deep.png", encodedPNG(t, deep(6, 5)))
	add("animated.gif", animatedGIF(t))
	add("looped.gif", loopedGIF(t))
	for _, name := range []string{"lossy.webp", "alpha.webp", "lossless.webp"} {
		data, err := webps.ReadFile("seeds/" + name)
		if err != nil {
			t.Fatal(err)
		}
		add(name, data)
	}
	add("animated.webp", animatedWebP(t, list))
	add("pages.tif", pagesTIFF(binary.LittleEndian, 3))
	add("big.tif", pagesTIFF(binary.BigEndian, 2))
	add("tiny.tif", pagesTIFF(binary.BigEndian, 1))
	add("lzw.tif", imagetest.Encoded(t, func(b *bytes.Buffer) error {
		return tiff.Encode(b, imagetest.Indexed(9, 8), &tiff.Options{Compression: tiff.Deflate, Predictor: true})
	}))
	add("profile.jpg", profileJPEG(t))
	add("progressive.jpg", progressiveJPEG(20, 18))
	for _, layout := range []string{"420jpeg", "422p10", "444", "mono", "411"} {
		add(layout+".y4m", video(layout))
	}
	return list
}

func encodedPNG(t testing.TB, img image.Image) []byte {
	return imagetest.Encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, img) })
}

// deep is a picture of 16 bits with transparency.
func deep(w, h int) image.Image {
	m := image.NewNRGBA64(image.Rect(0, 0, w, h))
	for i := range m.Pix {
		m.Pix[i] = uint8(i * 37)
	}
	return m
}

// profile is an ICC profile for RGB of n bytes.
func profile(n int) []byte {
	b := make([]byte, n)
	binary.BigEndian.PutUint32(b, uint32(n))
	copy(b[16:], "RGB ")
	copy(b[36:], "acsp")
	return b
}

// deflated is bytes as a zlib stream.
func deflated(data []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write(data) // to memory
	_ = z.Close()
	return b.Bytes()
}

// exif is an EXIF block with an orientation and directories inside of it.
func exif(o binary.ByteOrder) []byte {
	sub := directory(entry(o, 36867, 2, 20, append([]byte("2026:11:23 11:00:00"), 0)), entry(o, 40962, 4, 1, long(o, 9)))
	page := directory(
		entry(o, 271, 2, 5, []byte("mill\x00")), entry(o, 274, 3, 1, short(o, 6)),
		entry(o, 282, 5, 1, append(long(o, 72), long(o, 1)...)), entry(o, 283, 5, 1, append(long(o, 72), long(o, 1)...)),
		entry(o, 296, 3, 1, short(o, 2)), entry(o, tagEXIF, 4, 1, long(o, 0)))
	page.parts[len(page.parts)-1].parts = sub.parts
	small := directory(entry(o, 513, 4, 1, long(o, 8)), entry(o, 514, 4, 1, long(o, 4)))
	return joinTIFF([]part{header(o), page, small})
}

const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description tiff:Orientation="6"/></rdf:RDF></x:xmpmeta>`

// withChunks is a PNG with metadata.
func withChunks(still []byte) []byte {
	parts := splitPNG(still)
	texts := []part{
		{kind: "gAMA", body: []byte{0, 0, 0xb1, 0x8f}}, {kind: "pHYs", body: []byte{0, 0, 11, 19, 0, 0, 11, 19, 1}},
		{kind: "iCCP", body: append([]byte("p\x00\x00"), deflated(profile(200))...)},
		{kind: "iTXt", body: []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00" + xmp)},
		{kind: "tEXt", body: []byte("Comment\x00hello")},
		{kind: "zTXt", body: append([]byte("Note\x00\x00"), deflated([]byte("hello"))...)},
		{kind: "eXIf", body: exif(binary.BigEndian)},
	}
	return joinPNG(slices.Insert(parts, 2, texts...))
}

// large makes valid files of some megapixels, which are small as they are of few colours.
func large(t testing.TB) (list []File) {
	add := func(name string, data []byte) { list = append(list, File{name, data}) }
	flat := func(w, h int) *image.NRGBA {
		m := image.NewNRGBA(image.Rect(0, 0, w, h))
		for i := range m.Pix {
			m.Pix[i] = uint8(i % 4 * 60)
		}
		return m
	}
	add("large.png", encodedPNG(t, flat(1300, 900)))
	add("large-deep.png", encodedPNG(t, image.NewNRGBA64(image.Rect(0, 0, 700, 600))))
	add("large-grey.png", encodedPNG(t, image.NewGray(image.Rect(0, 0, 1900, 1500))))
	add("large-palette.gif", imagetest.Encoded(t, func(b *bytes.Buffer) error {
		return gif.Encode(b, image.NewPaletted(image.Rect(0, 0, 1500, 1200), color.Palette{color.White, color.Black}), nil)
	}))
	add("large.jpg", imagetest.Encoded(t, func(b *bytes.Buffer) error {
		return jpeg.Encode(b, image.NewYCbCr(image.Rect(0, 0, 2000, 1400), image.YCbCrSubsampleRatio420), nil)
	}))
	add("large-progressive.jpg", imagetest.ManyScans(1800, 1200, 4))
	add("large.bmp", imagetest.Encoded(t, func(b *bytes.Buffer) error {
		return bmp.Encode(b, image.NewGray(image.Rect(0, 0, 900, 800)))
	}))
	add("large.webp", imagetest.PlainWebP(1500, 1100))
	animation := &gif.GIF{Config: image.Config{Width: 900, Height: 700}}
	for i := range 6 {
		m := image.NewPaletted(image.Rect(10*i, 0, 900, 700-i), color.Palette{color.Transparent, color.White})
		animation.Image, animation.Delay = append(animation.Image, m), append(animation.Delay, 4)
		animation.Disposal = append(animation.Disposal, byte(i%4))
	}
	add("large-animated.gif", imagetest.Encoded(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, animation) }))
	add("large-animated.png", animatedPNG(t, 400, 300, 6, false, func(w, h int) image.Image {
		return imagetest.Ramp(w, h)
	}))
	add("large-animated.webp", animatedWebP(t, []File{
		{"", imagetest.PlainWebP(1000, 800)}, {"", imagetest.PlainWebP(1000, 700)}, {"", imagetest.PlainWebP(900, 800)},
	}))
	var pages []part
	for range 4 {
		file := imagetest.Encoded(t, func(b *bytes.Buffer) error {
			return tiff.Encode(b, flat(900, 800), &tiff.Options{Compression: tiff.Deflate})
		})
		parts := splitTIFF(file)
		if len(pages) == 0 {
			pages = parts[:1]
		}
		pages = append(pages, parts[1:]...)
	}
	add("large-pages.tif", joinTIFF(pages))
	stream := []byte("YUV4MPEG2 W420 H300 F25:1 Cmono\n")
	for range 4 {
		stream = append(append(stream, "FRAME\n"...), make([]byte, 420*300)...)
	}
	add("large.y4m", stream)
	return list
}

// animatedPNG has frames in rectangles that get smaller, each of them a picture that is made for
// its size; apart tells that its still picture is no part of the animation.
func animatedPNG(t testing.TB, w, h, frames int, apart bool, picture func(w, h int) image.Image) []byte {
	control := func(w, h, x, y int, dispose, blend byte) part {
		b := make([]byte, 4, 26)
		for _, v := range []int{w, h, x, y} {
			b = binary.BigEndian.AppendUint32(b, uint32(v))
		}
		return part{kind: "fcTL", body: append(b, 0, 1, 0, 10, dispose, blend)}
	}
	still := splitPNG(encodedPNG(t, picture(w, h)))
	parts := append(still[:2:2], part{kind: "acTL", body: []byte{0, 0, 0, byte(frames), 0, 0, 0, 0}})
	if !apart {
		parts = append(parts, control(w, h, 0, 0, 0, 0))
		frames--
	}
	parts = append(parts, still[2:len(still)-1]...)
	for i := range frames {
		a, b := w-i, h-i
		parts = append(parts, control(a, b, i, i, byte(i%3), byte(i%2)))
		for _, p := range splitPNG(encodedPNG(t, picture(a, b))) {
			if p.kind == "IDAT" {
				parts = append(parts, part{kind: "fdAT", body: append(make([]byte, 4), p.body...)})
			}
		}
	}
	parts = append(parts, part{kind: "IEND"})
	settlePNG(parts)
	return joinPNG(parts)
}

func animatedGIF(t testing.TB) []byte {
	g := &gif.GIF{Config: image.Config{Width: 9, Height: 7}}
	for i := range 4 {
		colours := color.Palette{color.Transparent, color.Black, color.White, color.NRGBA{200, 10, 10, 255}}
		m := image.NewPaletted(image.Rect(i, i, 9, 7), colours)
		for k := range m.Pix {
			m.Pix[k] = uint8((k + i) % 4)
		}
		g.Image, g.Delay, g.Disposal = append(g.Image, m), append(g.Delay, 4), append(g.Disposal, byte(i))
	}
	return imagetest.Encoded(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, g) })
}

// loopedGIF has a global table of colours, a comment and an image that is interlaced.
func loopedGIF(t testing.TB) []byte {
	m := imagetest.Indexed(8, 9)
	m.Palette = m.Palette[:16]
	for i := range m.Pix {
		m.Pix[i] %= 16
	}
	g := &gif.GIF{
		LoopCount: 2, Image: []*image.Paletted{m, m}, Delay: []int{0, 5}, Disposal: []byte{1, 3},
		Config: image.Config{ColorModel: m.Palette, Width: 8, Height: 9},
	}
	parts := splitGIF(imagetest.Encoded(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, g) }))
	parts = slices.Insert(parts, 1, part{kind: "extension", body: []byte("!\xfe\x05hello\x00")})
	for i := range parts {
		if p := &parts[i]; p.kind == "image" {
			p.body = bytes.Clone(p.body)
			p.body[9] |= 0x40
		}
	}
	return joinRaw(parts)
}

// animatedWebP has frames of the still pictures among the seeds.
func animatedWebP(t testing.TB, stills []File) []byte {
	parts := []part{
		{kind: "RIFF", body: []byte("RIFF\x00\x00\x00\x00WEBP")},
		{kind: "VP8X", body: nil}, {kind: "ANIM", body: []byte{0, 0, 0, 0, 3, 0}},
	}
	most := image.Point{}
	frame := func(size image.Point, pixels []part, ms, flags byte) {
		w, h := size.X-1, size.Y-1
		parts = append(parts, part{
			kind: "ANMF", inner: riffFormat, parts: pixels,
			body: []byte{0, 0, 0, 0, 0, 0, byte(w), byte(w >> 8), 0, byte(h), byte(h >> 8), 0, ms, 0, 0, flags},
		})
		most = image.Pt(max(most.X, size.X), max(most.Y, size.Y))
	}
	for _, s := range stills {
		if !webpFormat.is(s.Data) {
			continue
		}
		var pixels []part
		size := image.Point{}
		for _, p := range splitWebP(s.Data) {
			switch p.kind {
			case "VP8 ":
				w, h := binary.LittleEndian.Uint16(p.body[6:]), binary.LittleEndian.Uint16(p.body[8:])
				size = image.Pt(int(w&0x3fff), int(h&0x3fff))
			case "VP8L":
				bits := int(binary.LittleEndian.Uint32(p.body[1:]))
				size = image.Pt(bits&0x3fff+1, bits>>14&0x3fff+1)
			case "ALPH":
			default:
				continue
			}
			pixels = append(pixels, p)
		}
		frame(size, pixels, byte(20*len(parts)), byte(len(parts)%4))
	}
	w, h := most.X-1, most.Y-1
	parts[1].body = []byte{0x12 | 0x08, 0, 0, 0, byte(w), byte(w >> 8), 0, byte(h), byte(h >> 8), 0}
	parts = append(parts, part{kind: "EXIF", body: exif(binary.LittleEndian)}, part{kind: "XMP ", body: []byte(xmp)})
	return joinWebP(parts)
}

// header is that of a TIFF.
func header(o binary.ByteOrder) part {
	if o == binary.ByteOrder(binary.BigEndian) {
		return part{kind: "header", body: []byte("MM\x00*\x00\x00\x00\x00")}
	}
	return part{kind: "header", body: []byte("II*\x00\x00\x00\x00\x00")}
}

// directory is one of a TIFF, of entries and pixels.
func directory(parts ...part) part { return part{kind: "page", inner: entriesFormat, parts: parts} }

func entry(o binary.ByteOrder, tag, kind uint16, count uint32, value []byte) part {
	b := make([]byte, entryHead)
	o.PutUint16(b, tag)
	o.PutUint16(b[2:], kind)
	o.PutUint32(b[4:], count)
	return part{kind: "entry", body: append(b, value...)}
}

func short(o binary.ByteOrder, list ...uint16) (b []byte) {
	for _, v := range list {
		b = append(b, 0, 0)
		o.PutUint16(b[len(b)-2:], v)
	}
	return b
}

func long(o binary.ByteOrder, list ...uint32) (b []byte) {
	for _, v := range list {
		b = append(b, 0, 0, 0, 0)
		o.PutUint32(b[len(b)-4:], v)
	}
	return b
}

// pagesTIFF has pages of grey and of colour, in strips of two rows, with a resolution, a
// profile and an EXIF directory.
func pagesTIFF(o binary.ByteOrder, pages int) []byte {
	parts := []part{header(o)}
	for i := range pages {
		w, h, samples := 5+i, 6+2*i, 1+2*(i%2)
		strips := h / 2
		var lengths, places []uint32
		var pixels []part
		for k := range strips {
			row := make([]byte, 2*w*samples)
			for x := range row {
				row[x] = byte(x*31 + 17*k)
			}
			compressed := row
			if i%2 == 0 {
				compressed = deflated(row)
			}
			pixels = append(pixels, part{kind: "pixels", body: compressed})
			places, lengths = append(places, 0), append(lengths, uint32(len(compressed)))
		}
		depths, photometric, compression := []uint16{8}, uint16(1), uint16(8)
		if samples == 3 {
			depths, photometric, compression = []uint16{8, 8, 8}, 2, 1
		}
		page := directory(
			entry(o, 254, 4, 1, long(o, 0)), entry(o, 256, 4, 1, long(o, uint32(w))), entry(o, 257, 3, 1, short(o, uint16(h))),
			entry(o, 258, 3, uint32(samples), short(o, depths...)), entry(o, 259, 3, 1, short(o, compression)),
			entry(o, 262, 3, 1, short(o, photometric)), entry(o, tagStrips, 4, uint32(strips), long(o, places...)),
			entry(o, 274, 3, 1, short(o, uint16(1+i))), entry(o, 277, 3, 1, short(o, uint16(samples))),
			entry(o, 278, 3, 1, short(o, 2)),
			entry(o, tagStripBytes, 4, uint32(strips), long(o, lengths...)),
			entry(o, 282, 5, 1, long(o, 300, 1)), entry(o, 283, 5, 1, long(o, 300, 1)), entry(o, 284, 3, 1, short(o, 1)),
			entry(o, 296, 3, 1, short(o, 2)), entry(o, tagEXIF, 4, 1, long(o, 0)), entry(o, 34675, 7, 140, profile(140)))
		page.parts[len(page.parts)-2].parts = []part{entry(o, 36867, 2, 5, []byte("2026\x00"))}
		page.parts = append(page.parts, pixels...)
		parts = append(parts, page)
	}
	return joinTIFF(parts)
}

// profileJPEG is a JPEG with a resolution, EXIF, XMP, a profile in two parts and a comment.
func profileJPEG(t testing.TB) []byte {
	still := imagetest.Encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, imagetest.Ramp(19, 13), nil) })
	parts := splitJPEG(still)
	icc := profile(300)
	segments := []part{
		{kind: "E0", body: []byte("JFIF\x00\x01\x02\x01\x00\x48\x00\x48\x00\x00")},
		{kind: "E1", body: append([]byte("Exif\x00\x00"), exif(binary.LittleEndian)...)},
		{kind: "E1", body: []byte("http://ns.adobe.com/xap/1.0/\x00" + xmp)},
		{kind: "E2", body: append([]byte("ICC_PROFILE\x00\x01\x02"), icc[:150]...)},
		{kind: "E2", body: append([]byte("ICC_PROFILE\x00\x02\x02"), icc[150:]...)},
		{kind: "ED", body: []byte("Photoshop 3.0\x008BIM\x04\x04\x00\x00\x00\x00\x00\x00")},
		{kind: "FE", body: []byte("hello")},
		{kind: "DD", body: []byte{1, 0}},
	}
	return joinJPEG(slices.Insert(parts, 1, segments...))
}

// progressiveJPEG is a JPEG of three components, of which the last two have half the resolution,
// in a scan of all means and one of details for each: all grey.
func progressiveJPEG(w, h int) []byte {
	code := func(kind, symbol byte) part {
		return part{kind: "C4", body: append(append([]byte{kind, 1}, make([]byte, 15)...), symbol)}
	}
	parts := []part{
		{kind: "D8"}, {kind: "DB", body: append([]byte{0}, bytes.Repeat([]byte{3}, 64)...)},
		{kind: "C2", body: []byte{8, byte(h >> 8), byte(h), byte(w >> 8), byte(w), 3, 1, 0x22, 0, 2, 0x11, 0, 3, 0x11, 0}},
		code(0x00, 0), code(0x10, 0xe0),
		{kind: "DA", body: []byte{3, 1, 0, 2, 0, 3, 0, 0, 0, 0}}, {kind: "bits", body: make([]byte, (w/16+1)*(h/16+1))},
	}
	for c := range byte(3) {
		details := part{kind: "DA", body: []byte{1, c + 1, 0, 1, 63, 0}}
		parts = append(parts, details, part{kind: "bits", body: make([]byte, 2)})
	}
	return joinJPEG(append(parts, part{kind: "D9"}))
}

// video is a Y4M of two frames.
func video(layout string) []byte {
	const w, h = 4, 2
	samples := map[string]int{
		"420jpeg": w*h + 2*2, "422p10": 2 * 2 * w * h, "444": 3 * w * h, "mono": w * h, "411": w*h + 2*2,
	}[layout]
	out := []byte("YUV4MPEG2 W4 H2 F25:1 Ip A1:1 C" + layout + " XYSCSS=TEST\n")
	for i := range 2 {
		out = append(out, "FRAME\n"...)
		for k := range samples {
			out = append(out, byte(40+k*7+i)&3)
		}
	}
	return out
}
