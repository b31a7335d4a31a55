package imagefile

import "superres/internal/metadata"

// describeWebP sets pic.Quantiser and pic.Subsampled from the WebP in src. Every lossy WebP keeps colour at half the
// resolution of brightness in both directions.
func describeWebP(src *source, pic *Picture) {
	pic.Quantiser, pic.Subsampled = webpIndex(src), lossyFrame(src).Len > 0
}

// lossyFrame returns the data of the chunk with lossy pixels of the WebP in src, of length 0 where there is none.
func lossyFrame(src metadata.Source) (frame metadata.Body) {
	metadata.RIFFChunks(src, func(kind []byte, body metadata.Body) bool {
		if string(kind) == "VP8 " {
			frame = body
		}
		return frame.Len == 0
	})
	return frame
}

// webpIndex returns the quantiser index, 0 to 127, of the lossy WebP in src or, where the WebP has four segments, the
// mean of their indices (RFC 6386, sections 9.2 to 9.6). It is 0 for any other WebP.
func webpIndex(src metadata.Source) float64 {
	const most = 1024 // bytes of the header, up to the index
	return frameIndex(lossyFrame(src).Start(most))
}

// frameIndex is webpIndex for the start of the data of a chunk with lossy pixels.
func frameIndex(frame []byte) float64 {
	const start = 10 // the tag, the start code, and the size
	if len(frame) < start {
		return 0
	}
	d := &booleans{data: frame[start:], width: 255, left: 8}
	for range 2 {
		d.value = d.value<<8 | uint32(d.nextByte())
	}
	d.readNumber(2) // the kind of colour, and whether it is limited
	const segments = 4
	var at [segments]int
	relative := true
	if d.readNumber(1) == 1 {
		mapped := d.readNumber(1) == 1
		if d.readNumber(1) == 1 {
			relative = d.readNumber(1) == 0
			for i := range at {
				at[i] = d.readOptional(7)
			}
			for range segments { // the filter's strength
				d.readOptional(6)
			}
		}
		for range 3 { // probabilities of segments
			if mapped && d.readNumber(1) == 1 {
				d.readNumber(8)
			}
		}
	}
	d.readNumber(1 + 6 + 3) // the filter
	if d.readNumber(1) == 1 {
		if changed := d.readNumber(1) == 1; changed {
			for range 2 * 4 { // what it adds for kinds of blocks
				d.readOptional(6)
			}
		}
	}
	d.readNumber(2) // partitions
	base, sum := d.readNumber(7), 0
	for _, v := range at {
		if relative {
			v += base
		}
		sum += min(max(v, 0), 127)
	}
	if d.ended {
		return 0
	}
	return float64(sum) / segments
}

// booleans decodes the boolean entropy code of section 7 of RFC 6386, for bits that are 0 with a probability of ½.
type booleans struct {
	data  []byte
	value uint32 // two bytes, of which the first is being decoded
	width uint32
	left  int // the number of shifts until the second byte is used up
	ended bool
}

func (d *booleans) nextByte() (b byte) {
	if len(d.data) == 0 {
		d.ended = true
		return 0
	}
	b, d.data = d.data[0], d.data[1:]
	return b
}

// readNumber returns the next unsigned number, of the given number of bits.
func (d *booleans) readNumber(bits int) (v int) {
	for range bits {
		v <<= 1
		split := 1 + (d.width-1)>>1
		if d.value >= split<<8 {
			v |= 1
			d.width, d.value = d.width-split, d.value-split<<8
		} else {
			d.width = split
		}
		for d.width < 128 {
			d.width, d.value = d.width<<1, d.value<<1
			if d.left--; d.left == 0 {
				d.value |= uint32(d.nextByte())
				d.left = 8
			}
		}
	}
	return v
}

// readOptional returns the next number of the given number of bits, which a sign follows, or 0 where a flag before it
// says that the number is missing.
func (d *booleans) readOptional(bits int) int {
	if d.readNumber(1) == 0 {
		return 0
	}
	v := d.readNumber(bits)
	if d.readNumber(1) == 1 {
		return -v
	}
	return v
}

// withAlphaFlag sets the flag of alpha in the extended header of the WebP in src, in its memory, where a chunk of alpha
// stands in front of lossy pixels, and else clears it, since the decoder fails where both do not agree.
func withAlphaFlag(src *source) *source {
	const flags, alpha = riffHeader + chunkHeader, 0x10
	if len(src.data) < extendedHeader || string(src.data[riffHeader:riffHeader+4]) != "VP8X" {
		return src
	}
	has, lossless := false, false
	metadata.RIFFChunks(src, func(kind []byte, _ metadata.Body) bool {
		has, lossless = has || string(kind) == "ALPH", string(kind) == "VP8L"
		return string(kind) != "VP8 " && !lossless
	})
	if has {
		src.data[flags] |= alpha
	} else if !lossless {
		src.data[flags] &^= alpha
	}
	return src
}
