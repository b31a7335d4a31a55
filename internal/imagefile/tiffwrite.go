package imagefile

import (
	"encoding/binary"
	"image"
	"image/color"
	"io"

	"superres/internal/metadata"
	"superres/internal/picture"
	"superres/internal/safefile"
)

// tiffRaster is a picture as the strips of a TIFF, compressed by deflate. It shares the memory of the picture. When
// written, one strip per processor is compressed at the same time.
type tiffRaster struct {
	*raster
	multiplied bool     // colour is multiplied by alpha
	lengths    []uint32 // bytes of each compressed strip
}

// tiffOf returns a raster of img, which adapt has converted, in img's memory. Colours multiplied by alpha stay so.
func tiffOf(img image.Image) *tiffRaster {
	r := &tiffRaster{raster: plainRaster(img)}
	switch img.(type) {
	case *image.RGBA, *image.RGBA64:
		if r.kind == pngRGBA { // not all pixels are opaque
			pix, stride, _ := picture.Samples(img)
			r.multiplied, r.read = true, func(dst []byte, y int) { copy(dst, pix[y*stride:]) }
		}
	}
	return r
}

// encodeTIFF writes img, which adapt has converted, with its metadata.
func encodeTIFF(w io.Writer, img image.Image, opt EncodeOptions) error {
	r := tiffOf(img)
	order := opt.Metadata.TIFFOrder()
	layout := opt.Metadata.TIFF(opt.Software, uint32(r.measure(order)), r.fields)
	return layout.Write(w, r.writer(order))
}

// PageWriter writes a TIFF with several pages.
type PageWriter struct {
	w     io.Writer
	of    int              // how many pages there will be
	made  int              // how many pages have been written
	at    int64            // bytes written
	order binary.ByteOrder // as in the metadata of the first page
}

// NewPageWriter begins a TIFF with the given number of pages.
func NewPageWriter(w io.Writer, pages int) *PageWriter { return &PageWriter{w: w, of: pages} }

// Put writes the next page. It fails for the same reasons as Encode, and with an ErrOutput if the file exceeds 4 GiB.
func (p *PageWriter) Put(img image.Image, opt EncodeOptions) error {
	tiff, size := TIFF.codec(), img.Bounds().Size()
	if err := tiff.canHold(size.X, size.Y, img); err != nil {
		return err
	}
	opt = tiff.fitting(opt, picture.IsGrey(img))
	m := opt.Metadata
	if p.made == 0 {
		p.order = m.TIFFOrder()
		head, err := p.w.Write(metadata.TIFFHeader(p.order))
		if p.at = int64(head); err != nil {
			return err
		}
	}
	r := tiffOf(tiff.adapt(img))
	const subfileType, pageNumber = 254, 297
	const page = 2                                                             // the page is one of several
	number := []uint32{uint32(min(p.made, 0xffff)), uint32(min(p.of, 0xffff))} // of this page, from 0, and of all
	fields := func(at uint32) []metadata.TIFFField {
		return append(r.fields(at), metadata.TIFFField{Tag: subfileType, Long: true, Values: []uint32{page}},
			metadata.TIFFField{Tag: pageNumber, Values: number})
	}
	p.made++
	layout := m.TIFFPage(p.order, opt.Software, p.at, r.measure(p.order), p.made == p.of, fields)
	if layout.End > 1<<32-1 {
		return refuse(safefile.ErrOutput, "TIFF has at most 4 GiB, which %d of %d pages exceed", p.made,
			p.of).With(PNGOrSmaller)
	}
	p.at = layout.End
	return layout.Write(p.w, r.writer(p.order))
}

// Close fails if fewer pages were put than announced to NewPageWriter.
func (p *PageWriter) Close() error {
	if p.made != p.of {
		return refuse(safefile.ErrOutput, "is not whole: pages are missing")
	}
	return nil
}

// colourMap returns p in the form of a TIFF: 256 reds, then 256 greens and 256 blues, with 16 bits each.
func colourMap(p color.Palette) []uint32 {
	m := make([]uint32, 3*256)
	for i, c := range p[:min(len(p), 256)] {
		m[i], m[256+i], m[512+i], _ = c.RGBA()
	}
	return m
}
