package imagefile

import (
	"errors"
	"image"
	"io"
	"math"

	"superres/internal/chroma"
	"superres/internal/elementary"
	"superres/internal/jpeg"
	"superres/internal/metadata"
	"superres/internal/quantiser"
	"superres/internal/safefile"
)

// startOfJPEG returns the segments of the JPEG in src that give the size and the colour model of the picture,
// without the other segments, which may be many and long. The result ends with the header of the first scan or, if
// the frame header has no height, with the segment DNL behind the pixels of that scan, without these pixels.
func startOfJPEG(src *source, _ Limits) ([]byte, error) {
	const lastFrame, tables, scan, lines, app0, app14 = 0xcf, 0xc4, 0xda, 0xdc, 0xe0, 0xee
	b := metadata.Piece(src, 0, 2).Start(2)
	scans, hasHeight := 0, true
	metadata.Segments(src, func(marker byte, payload metadata.Body) bool {
		switch {
		case marker <= lastFrame && marker != tables:
			const height = 1 // the offset of two bytes
			head := payload.Start(height + 2)
			hasHeight = len(head) < height+2 || head[height] != 0 || head[height+1] != 0
		case marker == scan:
			scans++
		case marker != lines && marker != app0 && marker != app14:
			return true
		}
		n := payload.Len + 2
		b = append(append(b, 0xff, marker, byte(n>>8), byte(n)), payload.Bytes()...)
		const most = 1 << 20 // a limit for files with many of these segments
		return (scans == 0 || !hasHeight && scans == 1 && marker != lines) && len(b) < most
	})
	return b, nil
}

func configOfJPEG(r io.Reader) (image.Config, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return image.Config{}, err
	}
	return jpeg.DecodeConfig(data, jpeg.Options{})
}

// decodeJPEG decodes a JPEG to the same samples as libjpeg; where libjpeg interpolates chroma, so does decodeJPEG.
func decodeJPEG(src *source, size Size, lim Limits) (image.Image, error) {
	img, warnings, err := jpeg.Decode(src.ctx, src.data, jpeg.Options{Pixels: size.Pixels(), Scans: lim.Scans})
	if errors.Is(err, jpeg.ErrScans) {
		return nil, refuse(safefile.ErrLimit,
			"has more than %d scans, the limit for a JPEG; save it again as a plain JPEG or PNG", lim.Scans)
	}
	if err != nil {
		return nil, err
	}
	src.warnings = append(src.warnings, warnings...)
	return chroma.Smooth(img), nil
}

// describeJPEG sets pic.Quality and pic.Subsampled from the JPEG in src and from pic.Image.
func describeJPEG(src *source, pic *Picture) {
	_, hasChroma := pic.Image.(*image.YCbCr)
	pic.Quality, pic.Subsampled = jpegQuality(src), hasChroma && isSubsampledJPEG(src)
}

// jpegQuality estimates the quality, 1 to 100, of the JPEG in src: the quality at which the encoder of the Independent
// JPEG Group uses a luma table as coarse as table 0 of the file. It is 0 if the file has no table 0.
func jpegQuality(src metadata.Source) int {
	const markerTables, markerScan = 0xdb, 0xda
	quality := 0
	metadata.Segments(src, func(marker byte, tables metadata.Body) bool {
		if marker != markerTables {
			return marker != markerScan
		}
		payload := tables.Bytes()
		for len(payload) > 0 && quality == 0 {
			wide, number := int(payload[0]>>4), payload[0]&15
			size := 64 * (1 + wide)
			if wide > 1 || len(payload) < 1+size {
				return false
			}
			if number == 0 {
				quality = tableQuality(payload[1:1+size], wide == 1)
			}
			payload = payload[1+size:]
		}
		return quality == 0
	})
	return quality
}

// tableQuality estimates the quality q from a quantisation table for luma with entries of one byte or, if wide, two.
// The encoder of the Independent JPEG Group multiplies its standard table by 50/q below q = 50, and by 2 − q/50 above.
// tableQuality solves this for q, with the factor as the geometric mean of table / standard table, over all entries
// that are not clipped to 255. It returns 1 if there are none.
func tableQuality(table []byte, wide bool) int {
	sum, count := 0.0, 0
	for i, at := range quantiser.Zigzag {
		v := 0.0
		if wide {
			v = float64(table[2*i])*256 + float64(table[2*i+1])
		} else {
			v = float64(table[i])
		}
		if !wide && v == 255 {
			continue // clipped: the unclipped value may be larger
		}
		sum, count = sum+elementary.Log(max(v, 1)/float64(quantiser.Brightness[at])), count+1
	}
	if count == 0 {
		return 1
	}
	scale := elementary.Exp(sum / float64(count))
	if scale > 1 {
		return int(max(1, math.Round(50/scale)))
	}
	return int(math.Round(100 - float64(50*scale))) // float64 forbids a fused product
}

// isSubsampledJPEG reports whether the JPEG in src has colour at half the resolution of brightness in both directions,
// as the sampling factors in its first frame header say.
func isSubsampledJPEG(src metadata.Source) (subsampled bool) {
	const first, last, scan = 0xc0, 0xc2, 0xda // frames that the decoder reads
	metadata.Segments(src, func(marker byte, frame metadata.Body) bool {
		if marker < first || marker > last {
			return marker != scan
		}
		payload := frame.Bytes()
		const components, factors = 5, 7 // offsets: number of components, factors of the first
		subsampled = len(payload) >= factors+7 && payload[components] == 3 &&
			payload[factors] == 0x22 && payload[factors+3] == 0x11 && payload[factors+6] == 0x11
		return false
	})
	return subsampled
}
