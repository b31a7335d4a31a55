package imagefile

import (
	"encoding/binary"
	"image"
	"io"
	"runtime"

	"superres/internal/metadata"
)

// encodePNG writes a PNG (ISO/IEC 15948) that is not interlaced: of grey, grey with
// alpha, a palette, colour, or colour with alpha, in 8 or 16 bits a sample. Colour
// that is opaque throughout has no alpha; greyAlpha asks for a grey picture with
// alpha to be written as that. img is of a type that fitting returns.
//
// The filtered rows are cut into bands of about bandBytes, which are packed one by
// one, as many at a time as there are processors, and written in order, each as one
// chunk. A band ends at a whole byte of the stream and refers to none before it, so
// that the bytes are the same with any number of processors; memory is a few bands.
func encodePNG(w io.Writer, img image.Image, greyAlpha bool) error {
	r := rasterOf(img, greyAlpha)
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(r.width)), uint32(r.height))
	head = append(head, byte(8*r.depth), r.kind, 0, 0, 0)
	start := metadata.AppendChunk([]byte("\x89PNG\r\n\x1a\n"), "IHDR", head)
	if r.kind == pngPalette {
		colours, alpha := r.paletteBytes()
		start = metadata.AppendChunk(start, "PLTE", colours)
		if len(alpha) > 0 {
			start = metadata.AppendChunk(start, "tRNS", alpha)
		}
	}
	if _, err := w.Write(start); err != nil {
		return err
	}

	rows := max(bandBytes/(r.rowBytes()+1), 1)
	bands := make(chan chan *band, runtime.GOMAXPROCS(0)) // in order; its room bounds what is in work
	stop := make(chan struct{})
	go func() {
		defer close(bands)
		for lo := 0; lo < r.height; lo += rows {
			one := make(chan *band, 1)
			select {
			case bands <- one:
			case <-stop:
				return
			}
			go func() {
				b := bandPool.Get().(*band)
				b.pack(r, lo, min(lo+rows, r.height))
				one <- b
			}()
		}
	}()
	sum, err := uint32(1), error(nil)
	for one := range bands {
		b := <-one // also after an error, so that nothing is at work in the end
		if err == nil {
			sum = adlerOfBoth(sum, b.sum, b.count)
			if _, err = w.Write(b.chunk(sum)); err != nil {
				close(stop)
			}
		}
		bandPool.Put(b)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(metadata.AppendChunk(nil, "IEND", nil))
	return err
}
