package imagefile

import (
	"image"
	"io"

	"superres/internal/bmp"
	"superres/internal/picture"
)

// startsOfBMP returns the patterns with which BMP files start: "BM" and then either four reserved bytes of 0 or a
// usual header length, since many texts begin with "BM". A bare bitmap, often called .dib, starts with its header,
// with one plane of a usual depth and, except in OS/2, a compression number below 256.
func startsOfBMP() []string {
	list := []string{"BM????\x00\x00\x00\x00"}
	for _, length := range []byte{12, 16, 40, 52, 56, 64, 108, 124} { // of the header
		list = append(list, "BM????????????"+string(rune(length))+"\x00\x00\x00")
	}
	for _, depth := range []string{"\x01", "\x04", "\x08", "\x10", "\x18", "\x20"} {
		list = append(list, "\x0c\x00\x00\x00????\x01\x00"+depth+"\x00") // OS/2
		for _, length := range []string{"\x28", "\x6c", "\x7c"} {
			list = append(list, length+"\x00\x00\x00????????\x01\x00"+depth+"\x00?\x00\x00\x00")
		}
	}
	return list
}

func configOfBMP(r io.Reader) (image.Config, error) {
	d, err := bmp.NewDecoder(r)
	if err != nil {
		return image.Config{}, err
	}
	return d.Config(), nil
}

// decodeBMP decodes a BMP; size is the size in its header.
func decodeBMP(src *source, size Size, _ Limits) (img image.Image, err error) {
	d, err := bmp.NewDecoder(src)
	if err != nil {
		return nil, err
	}
	img = picture.New(d.Config().ColorModel, size.Bounds())
	pix, stride, _ := picture.Samples(img)
	return img, d.Decode(pix, stride)
}
