package imagefile

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"io"
)

// encodeGreyAlpha writes a picture whose red, green and blue are equal as a PNG of
// grey and alpha, which image/png reads but does not write. img is *image.NRGBA or
// *image.NRGBA64; ok is false when it is neither, or not grey.
func encodeGreyAlpha(w io.Writer, img image.Image) (ok bool, err error) {
	var pix []byte
	var stride, size int // bytes of a row and of a sample
	switch src := img.(type) {
	case *image.NRGBA:
		pix, stride, size = src.Pix, src.Stride, 1
	case *image.NRGBA64:
		pix, stride, size = src.Pix, src.Stride, 2
	default:
		return false, nil
	}
	width, height := img.Bounds().Dx(), img.Bounds().Dy()
	for y := range height {
		row := pix[y*stride:][:4*size*width]
		for ; len(row) > 0; row = row[4*size:] {
			if string(row[:size]) != string(row[size:2*size]) || string(row[:size]) != string(row[2*size:3*size]) {
				return false, nil
			}
		}
	}

	const greyAlpha = 4
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height))
	head = append(head, byte(8*size), greyAlpha, 0, 0, 0)
	if _, err := w.Write(append([]byte("\x89PNG\r\n\x1a\n"), framed("IHDR", head)...)); err != nil {
		return true, err
	}
	packed := bufio.NewWriterSize(chunks{w}, 1<<15)
	z := zlib.NewWriter(packed)
	n := 2 * size // bytes of a pixel
	row, above := make([]byte, n*width), make([]byte, n*width)
	var tries [5][]byte
	for i := range tries {
		tries[i] = make([]byte, 1+n*width)
	}
	for y := range height {
		src := pix[y*stride:]
		for x := range width {
			copy(row[n*x:], src[4*size*x:][:size])
			copy(row[n*x+size:], src[4*size*x+3*size:][:size])
		}
		if _, err := z.Write(filtered(row, above, n, &tries)); err != nil {
			return true, err
		}
		row, above = above, row
	}
	if err := z.Close(); err != nil {
		return true, err
	}
	if err := packed.Flush(); err != nil {
		return true, err
	}
	_, err = w.Write(framed("IEND", nil))
	return true, err
}

// filtered returns the one of the five filtered forms of a row of which the sum of
// magnitudes, taken as signed bytes, is the smallest: the usual guess at what packs
// best. n is the number of bytes of a pixel.
func filtered(row, above []byte, n int, tries *[5][]byte) []byte {
	best, least := 0, -1
	for kind, out := range tries {
		out[0] = byte(kind)
		sum := 0
		for i, v := range row {
			var left, corner byte
			if i >= n {
				left, corner = row[i-n], above[i-n]
			}
			switch kind {
			case 1:
				v -= left
			case 2:
				v -= above[i]
			case 3:
				v -= byte((int(left) + int(above[i])) / 2)
			case 4:
				v -= paeth(left, above[i], corner)
			}
			out[1+i] = v
			sum += max(int(int8(v)), -int(int8(v)))
		}
		if least < 0 || sum < least {
			best, least = kind, sum
		}
	}
	return tries[best]
}

// paeth is the predictor of that name: the neighbour nearest to left + up - corner.
func paeth(left, up, corner byte) byte {
	p := int(left) + int(up) - int(corner)
	distance := func(v byte) int { return max(p-int(v), int(v)-p) }
	a, b, c := distance(left), distance(up), distance(corner)
	switch {
	case a <= b && a <= c:
		return left
	case b <= c:
		return up
	}
	return corner
}

// chunks writes each of its blocks as one chunk IDAT.
type chunks struct{ w io.Writer }

func (c chunks) Write(p []byte) (int, error) {
	if _, err := c.w.Write(framed("IDAT", p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// framed is a chunk of a PNG.
func framed(kind string, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(make([]byte, 0, 12+len(body)), uint32(len(body)))
	b = append(append(b, kind...), body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}
