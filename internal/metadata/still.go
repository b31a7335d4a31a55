package metadata

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Still is the description of a HEIF or AVIF file's primary picture in its boxes (ISO/IEC 23008-12, AV1 Image File
// Format 1.1). Sizes are of the stored picture, before Crop and Orientation.
type Still struct {
	Width, Height int64
	Crop          [4]int64 // the visible rectangle of the stored picture: left, top, width, height
	Orientation   int      // how the rows and columns of Crop lie, as an EXIF value, from the boxes irot and imir
	Depth         int      // bits of a sample
	Grey          bool     // there is no colour
	Limited       bool     // 8-bit samples range from 16 to 235, and deeper ones accordingly
	// HasAlpha says that another picture of the file holds the transparency, Premultiplied that it multiplies colours.
	HasAlpha, Premultiplied bool
	// Place is the position of the primary picture, from 1, among the pictures of the file sorted by item number.
	// Programs that extract the pictures, such as heif-convert, number them in this way.
	Place int
	Map   *Map // the gain map; nil: there is none, or a JPEG cannot hold it
	// Colour and Alpha are changes to the bytes of the file. After Colour, the decoder of package avif returns the
	// colours without transparency; after Alpha, the transparency as the primary picture; both with 16 bits a sample.
	Colour, Alpha []Edit

	about     []string // names, for warnings, of things in the file that are left out
	pictures  int      // number of pictures in the file
	nclx      []byte   // primaries, transfer, matrix (2 bytes each), and a flag for full range
	icc       Body
	exif, xmp []Body // the pieces in which the blocks lie
}

// Map is a gain map of ISO 21496-1 (ISO/IEC 23008-12, tmap): it brightens the primary picture in the same primaries.
type Map struct {
	Width, Height int64  // of the map in pixels
	Grey          bool   // one channel applies to all colours
	Edits         []Edit // the changes to the bytes of the file after which the decoder returns the map

	numbers []byte // the parameters of the map, encoded as in a JPEG
}

// Edit replaces the bytes of a file from an offset on by Data.
type Edit struct {
	At   int64
	Data []byte
}

// The limits on the boxes that describe the pictures of a file: their bytes, and the number of pictures and blocks.
const (
	mostMeta  = 4 << 20
	mostItems = 1 << 12
)

// item is a picture or a block of metadata in a file.
type item struct {
	kind, mime string
	hidden     bool
	properties []int // indices into catalogue.properties
	extents    []Body
}

// reference links one item, by its number from, to the items with the numbers in to. kind says what the item from is to
// these items, such as "thmb", their thumbnail. kindAt is the offset of kind in the file.
type reference struct {
	kind   string
	from   uint64
	to     []uint64
	kindAt int64
}

// attribute is a box that describes items, a "property" in the standard.
type attribute struct {
	kind string
	Body
}

// catalogue is the content of the box meta of a file.
type catalogue struct {
	src        Source
	primary    uint64
	primaryAt  int64 // the offset of the primary item's number, and its length in bytes
	primaryLen int
	items      map[uint64]*item
	references []reference
	properties []attribute
	data       Body // the box idat
}

// ReadStill returns the description of the still picture in src, a file of boxes such as an AVIF. It fails with a
// FormatError where the boxes do not describe a picture.
func ReadStill(src Source) (*Still, error) {
	c := &catalogue{src: src, items: map[uint64]*item{}}
	var brand Body
	var meta *Body
	Piece(src, 0, src.Size()).Boxes(func(kind string, body Body) bool {
		switch kind {
		case "ftyp":
			brand = body
		case "meta":
			meta = &body
		}
		return meta == nil
	})
	switch {
	case meta == nil:
		return nil, FormatError("it has no picture of its own (is it a film?)")
	case meta.Len > mostMeta:
		return nil, FormatError("the list of its pictures has more than 4 MiB")
	}
	c.read(*meta)
	s, err := c.still()
	if err != nil {
		return nil, err
	}
	if string(brand.Start(4)) == "avis" { // else the decoder would return the animation
		s.Colour = append(s.Colour, Edit{brand.at, []byte("avif")})
	}
	s.Alpha = append(s.Alpha, s.Colour...) // decoding transparency needs the same changes
	return s, nil
}

// read loads meta, the content of the box meta, into memory and reads the boxes in it into c.
func (c *catalogue) read(meta Body) {
	const version = 4           // bytes of the version and flags of a box
	all := bodyOf(meta.Bytes()) // its offsets count from meta.at
	all.after(version).Boxes(func(kind string, body Body) bool {
		f := &fields{data: body.Bytes()}
		switch kind {
		case "pitm":
			v, _ := f.version()
			c.primaryAt, c.primaryLen = meta.at+body.at+version, 2
			if v > 0 {
				c.primaryLen = 4
			}
			c.primary = f.number(c.primaryLen)
		case "iinf":
			c.readKinds(body)
		case "iref":
			c.readReferences(body, meta.at)
		case "iloc":
			c.readPlaces(f)
		case "idat":
			c.data = Piece(c.src, meta.at+body.at, body.Len)
		case "iprp":
			body.Boxes(func(kind string, body Body) bool {
				switch kind {
				case "ipco":
					body.Boxes(func(kind string, body Body) bool {
						c.properties = append(c.properties, attribute{kind, Piece(c.src, meta.at+body.at, body.Len)})
						return true
					})
				case "ipma":
					c.readProperties(&fields{data: body.Bytes()})
				}
				return true
			})
		}
		return true
	})
}

// get returns the item with the number id, or a new item, which it adds to c unless c has mostItems already.
func (c *catalogue) get(id uint64) *item {
	if it := c.items[id]; it != nil {
		return it
	}
	it := &item{}
	if len(c.items) < mostItems {
		c.items[id] = it
	}
	return it
}

// readKinds reads the type of each item from a box iinf (ISO/IEC 14496-12, 8.11.6).
func (c *catalogue) readKinds(body Body) {
	f := &fields{data: body.Start(4)}
	count := int64(2) // bytes of the number of items
	if v, _ := f.version(); v > 0 {
		count = 4
	}
	body.after(4 + count).Boxes(func(_ string, body Body) bool {
		f := &fields{data: body.Bytes()}
		v, flags := f.version()
		id := f.number(map[byte]int{2: 2, 3: 4}[v]) // bytes of a number, by version
		f.number(2)                                 // the index of a protection scheme, which is ignored
		it := c.get(id)
		it.hidden = flags&1 > 0
		if it.kind = string(f.next(4)); it.kind == "mime" {
			f.text() // skips the item's name
			it.mime = f.text()
		}
		return true
	})
}

// readReferences adds references in a box iref (ISO/IEC 14496-12, 8.11.12) to c. base is the offset of meta's content.
func (c *catalogue) readReferences(body Body, base int64) {
	f := &fields{data: body.Start(4)}
	number := 2
	if v, _ := f.version(); v > 0 {
		number = 4
	}
	body.after(4).Boxes(func(kind string, body Body) bool {
		f := &fields{data: body.Bytes()}
		r := reference{kind: kind, from: f.number(number), kindAt: base + body.at - 4}
		for n := f.number(2); n > 0 && !f.ended; n-- {
			r.to = append(r.to, f.number(number))
		}
		c.references = append(c.references, r)
		return true
	})
}

// readPlaces reads a box iloc (ISO/IEC 14496-12, 8.11.3), where the bytes of items lie, into their extents.
func (c *catalogue) readPlaces(f *fields) {
	v, _ := f.version()
	sizes := f.number(2) // how many bytes four kinds of numbers have below
	offset, length, base, index := int(sizes>>12), int(sizes>>8&15), int(sizes>>4&15), int(sizes&15)
	number := 2
	if v > 1 {
		number = 4
	}
	for n := f.number(number); n > 0 && !f.ended; n-- {
		it, within := c.get(f.number(number)), uint64(0) // within: 0: the extents lie in the file, 1: in the box idat
		if v > 0 {
			within = f.number(2) & 15
		}
		f.number(2) // the index of another file that holds the data, which is not supported
		from := f.number(base)
		for extents := f.number(2); extents > 0 && !f.ended; extents-- {
			if v > 0 {
				f.number(index)
			}
			at, size := int64(from+f.number(offset)), int64(f.number(length))
			src, end := Piece(c.src, 0, c.src.Size()), c.src.Size()
			if within == 1 {
				src, end = c.data, c.data.Len
			}
			if within > 1 || at < 0 || at > end || size < 0 {
				continue
			}
			if size == 0 { // up to the end
				size = end - at
			}
			it.extents = append(it.extents, Piece(c.src, src.at+at, min(size, end-at)))
		}
	}
}

// readProperties reads from a box ipma (ISO/IEC 23008-12, 9.3) which properties each item has.
func (c *catalogue) readProperties(f *fields) {
	v, flags := f.version()
	number, index := 2, 1
	if v > 0 {
		number = 4
	}
	if flags&1 > 0 {
		index = 2
	}
	for n := f.number(4); n > 0 && !f.ended; n-- {
		it := c.get(f.number(number))
		for k := f.number(1); k > 0 && !f.ended; k-- {
			which := int(f.number(index)) & (1<<(8*index-1) - 1) // without the bit for "must be understood"
			it.properties = append(it.properties, which-1)       // index in c.properties; -1: none
		}
	}
}

// find returns the first property of the given kind that owner has.
func (c *catalogue) find(owner *item, kind string) (Body, bool) {
	for _, i := range owner.properties {
		if i >= 0 && i < len(c.properties) && c.properties[i].kind == kind {
			return c.properties[i].Body, true
		}
	}
	return Body{}, false
}

// size returns the width and height of a picture in pixels. ok is false where the item does not say them.
func (c *catalogue) size(it *item) (width, height int64, ok bool) {
	box, ok := c.find(it, "ispe")
	f := &fields{data: box.Start(12)}
	f.version()
	width, height = int64(f.number(4)), int64(f.number(4))
	return width, height, ok && !f.ended
}

// makePrimary returns the edit that makes the item with the number id the primary one.
func (c *catalogue) makePrimary(id uint64) Edit { return Edit{c.primaryAt, big32(id)[4-c.primaryLen:]} }

// still returns the description of the primary picture.
func (c *catalogue) still() (*Still, error) {
	primary := c.items[c.primary]
	if primary == nil || primary.kind == "" {
		return nil, FormatError("it does not say which of its pictures is the first")
	}
	s := &Still{Orientation: 1, Depth: 8}
	coded := primary // the item that holds the coded samples
	var derived []reference
	for _, r := range c.references {
		switch about := c.get(r.from); {
		case r.kind == "dimg" && r.from == c.primary && len(r.to) > 0: // it is made of others, such as tiles
			coded = c.get(r.to[0])
		case r.kind == "auxl" && slices.Contains(r.to, c.primary): // transparency, or another auxiliary picture
			c.addAuxiliary(s, about, r)
		case r.kind == "prem" && r.from == c.primary:
			s.Premultiplied = true
		case r.kind == "dimg" && about.kind == "tmap" && slices.Contains(r.to, c.primary): // with a gain map
			derived = append(derived, r)
		case r.kind == "cdsc" && slices.Contains(r.to, c.primary) && about.kind == "Exif": // describes it
			s.exif = about.extents
		case r.kind == "cdsc" && slices.Contains(r.to, c.primary) && about.mime == "application/rdf+xml":
			s.xmp = about.extents
		}
	}
	ok := false
	if s.Width, s.Height, ok = c.size(primary); !ok {
		return nil, FormatError("it does not say the size of its picture")
	}
	if depth, grey, ok := c.codedAs(coded); ok {
		s.Depth, s.Grey = depth, grey
	} else if depths, ok := c.find(coded, "pixi"); ok {
		if b := depths.Start(6); len(b) > 5 {
			s.Depth, s.Grey = int(b[5]), b[4] == 1
		}
	}
	for _, it := range []*item{primary, coded} {
		for _, i := range it.properties {
			if i >= 0 && i < len(c.properties) && c.properties[i].kind == "colr" {
				s.colours(c.properties[i].Body)
			}
		}
	}
	s.Limited = len(s.nclx) == 7 && s.nclx[6]&0x80 == 0
	c.force16Bits(s)
	c.countPictures(s)
	for _, r := range derived {
		c.setGainMap(s, r, coded)
	}
	c.setOrientation(s, primary)
	return s, c.setCrop(s, primary)
}

// addAuxiliary records in s the item extra, which the reference r links to the primary picture. If extra is the
// transparency, it sets s.HasAlpha and the edits to the file that separate colours and transparency. Else it names
// extra in s.about, which lists what the result lacks. Of several transparencies, it takes the first.
func (c *catalogue) addAuxiliary(s *Still, extra *item, r reference) {
	is, _ := c.find(extra, "auxC")
	f := &fields{data: is.Start(256)}
	f.version()
	switch name := f.text(); {
	case strings.HasSuffix(name, ":alpha") || strings.HasSuffix(name, ":auxid:1"):
		if s.HasAlpha {
			break
		}
		s.HasAlpha = true
		s.Colour = append(s.Colour, Edit{r.kindAt, []byte("free")}) // hides the reference to the transparency
		s.Alpha = append(s.Alpha, c.makePrimary(r.from))
	case strings.HasSuffix(name, ":depth") || strings.HasSuffix(name, ":auxid:2"):
		s.about = append(s.about, "depth map")
	case strings.Contains(name, "hdrgainmap"):
		s.about = append(s.about, "gain map")
	default:
		s.about = append(s.about, fmt.Sprintf("further picture (%.40q)", name))
	}
}

// codedFlags is the offset of the flags in a box av1C. The other constants are the flags for 10 bits, 12 bits and grey
// (AV1 Codec ISO Media File Format Binding, 2.3.3).
const (
	codedFlags = 2
	coded10    = 0x40
	coded12    = 0x20
	codedGrey  = 0x10
)

// codedAs returns the bits per sample, and whether the item is grey, from the box that describes its coding: av1C, or
// hvcC (ISO/IEC 14496-15, 8.3.2.1.2). ok is false if the item has no such box.
func (c *catalogue) codedAs(it *item) (depth int, grey, ok bool) {
	if box, is := c.find(it, "hvcC"); is {
		const chroma, luma = 16, 17 // offsets of the resolution of chroma, 0 for grey, and of the depth of luma
		b := box.Start(luma + 1)
		if len(b) <= luma {
			return 0, false, false
		}
		return 8 + int(b[luma]&7), b[chroma]&3 == 0, true
	}
	box, _ := c.find(it, "av1C")
	b := box.Start(4)
	if len(b) < 4 {
		return 0, false, false
	}
	switch depth = 8; {
	case b[codedFlags]&coded10 > 0 && b[codedFlags]&coded12 > 0:
		depth = 12
	case b[codedFlags]&coded10 > 0:
		depth = 10
	}
	return depth, b[codedFlags]&codedGrey > 0, true
}

// countPictures sets s.Place, the primary picture's position in the file, and s.pictures. It counts pictures that are
// not hidden, and are no thumbnail, transparency or other part of another picture. Tiles of a grid should be hidden; if
// not, they count for s.Place, since other programs extract them too, but not for s.pictures.
func (c *catalogue) countPictures(s *Still) {
	const pictures = "av01 hvc1 hev1 vvc1 avc1 j2k1 jpeg unci grid iden iovl"
	small, parts := map[uint64]bool{}, map[uint64]bool{}
	for _, r := range c.references {
		switch {
		case r.kind == "thmb" || r.kind == "auxl":
			small[r.from] = true
		case r.kind == "dimg" && c.get(r.from).kind != "tmap": // tmap: the picture with its gain map
			for _, id := range r.to {
				parts[id] = true
			}
		}
	}
	for id, it := range c.items {
		if it.hidden || small[id] || len(it.kind) < 4 || !strings.Contains(pictures, it.kind) {
			continue
		}
		if id <= c.primary {
			s.Place++
		}
		if !parts[id] {
			s.pictures++
		}
	}
}

// setGainMap sets s.Map to the gain map of the derived picture that r.from names: r.to are the primary picture and the
// map. A second map, or one that a JPEG cannot hold, is only named in s.about, which lists what a result lacks. A JPEG
// can hold the map if map and picture are coded with AV1, the picture has standard range, and the map works in the
// colour primaries of the picture. coded is the item with the pixels of the primary picture.
func (c *catalogue) setGainMap(s *Still, r reference, coded *item) {
	// Offsets, behind a version byte, of the flags and of the picture's headroom, 0 for standard range; and a flag.
	const version, flags, headroom, samePrimaries = 1, 4, 5, 0x40
	it := c.get(r.from)
	var gains *item
	var numbers []byte
	if len(it.extents) > 0 {
		numbers = it.extents[0].Start(256)
	}
	if len(r.to) == 2 && r.to[0] == c.primary {
		gains = c.get(r.to[1])
	}
	if gains == nil || gains.kind != "av01" || coded.kind != "av01" || s.Map != nil ||
		len(numbers) < version+headroom+4 || numbers[0] != 0 || numbers[version+flags]&samePrimaries == 0 ||
		!bytes.Equal(numbers[version+headroom:][:4], make([]byte, 4)) {
		s.about = append(s.about, "gain map")
		return
	}
	m := &Map{numbers: numbers[version:]}
	m.Width, m.Height, _ = c.size(gains)
	_, m.Grey, _ = c.codedAs(gains)
	s.Map = m
	m.Edits = append(slices.Clone(s.Colour), c.makePrimary(r.to[1]))
}

// force16Bits adds changes to s.Colour after which the decoder returns 16 bits for samples of 8 bits.
//
// Note: for 8 bits, the decoder uses arithmetic of libyuv, which repeats the chroma of 4:2:0 instead of interpolating
// it (on a smooth picture, levels of 0..255 differ by 9 from avifdec) and makes blue 12 levels too dark in limited
// range with the matrix of BT.709, 16 with BT.2020's (findings/avif-blue.sh). The decoder takes the depth from the
// boxes changed here, but decodes samples in their true depth.
func (c *catalogue) force16Bits(s *Still) {
	const ten = 10
	for _, p := range c.properties {
		b := p.Start(16)
		switch {
		case p.kind == "av1C" && len(b) > codedFlags && b[codedFlags]&coded10 == 0:
			s.Colour = append(s.Colour, Edit{p.at + codedFlags, []byte{b[codedFlags] | coded10}})
		case p.kind == "pixi" && len(b) > 5 && b[5] == 8:
			s.Colour = append(s.Colour, Edit{p.at + 5, bytes.Repeat([]byte{ten}, len(b)-5)})
		}
	}
}

// colours reads a box colr (ISO/IEC 14496-12, 12.1.5) into s: code points or a profile. The first of each kind decides.
func (s *Still) colours(body Body) {
	const kind = 4
	switch string(body.Start(kind)) {
	case "nclx":
		if b := body.after(kind).Start(7); len(b) == 7 && s.nclx == nil {
			s.nclx = b
		}
	case "prof", "rICC":
		if s.icc.Len == 0 {
			s.icc = body.after(kind)
		}
	}
}

// setOrientation sets s.Orientation from the boxes irot, a number of quarter turns anticlockwise, and imir, which
// mirrors the picture after that turn (ISO/IEC 23008-12, 6.5.10 and 6.5.12).
func (c *catalogue) setOrientation(s *Still, it *item) {
	turned := [4][3]int{{1, 4, 2}, {8, 5, 7}, {3, 2, 4}, {6, 7, 5}} // mirrored: not, top to bottom, left to right
	angle, mirror := byte(0), 0
	if b, ok := c.find(it, "irot"); ok && b.Len > 0 {
		angle = b.Start(1)[0] & 3
	}
	if b, ok := c.find(it, "imir"); ok && b.Len > 0 {
		mirror = 1 + int(b.Start(1)[0]&1)
	}
	s.Orientation = turned[angle][mirror]
}

// setCrop sets s.Crop from the box clap (ISO/IEC 14496-12, 12.1.4): width, height, and the distance from the centre of
// the picture to the centre of the visible part, as fractions. A box clap that cuts through pixels is only named in
// s.about, and all of the picture is shown. setCrop fails if the visible part is not wholly in the picture.
func (c *catalogue) setCrop(s *Still, it *item) error {
	s.Crop = [4]int64{0, 0, s.Width, s.Height}
	b, ok := c.find(it, "clap")
	if !ok {
		return nil
	}
	f := &fields{data: b.Start(32)}
	var n, d [4]int64 // numerators and denominators
	for i := range n {
		n[i], d[i] = int64(int32(f.number(4))), int64(int32(f.number(4)))
	}
	if slices.Min(d[:]) < 1 || f.ended || n[0]%d[0] != 0 || n[1]%d[1] != 0 {
		s.about = append(s.about, "box clap, which cuts through pixels,")
		return nil
	}
	w, h := n[0]/d[0], n[1]/d[1]
	// Left and top are offset + (stored − shown)/2, here times twice the denominator.
	left, top := 2*n[2]+(s.Width-w)*d[2], 2*n[3]+(s.Height-h)*d[3]
	if left%(2*d[2]) != 0 || top%(2*d[3]) != 0 {
		s.about = append(s.about, "box clap, which cuts through pixels,")
		return nil
	}
	left, top = left/(2*d[2]), top/(2*d[3])
	if w < 1 || h < 1 || left < 0 || top < 0 || left+w > s.Width || top+h > s.Height {
		return FormatError("the part that its box clap shows is not in the picture")
	}
	s.Crop = [4]int64{left, top, w, h}
	return nil
}

// stillOf returns the result of ReadStill for src. A src with a method Still has that result already.
func stillOf(src Source) (*Still, error) {
	if keeps, is := src.(interface{ Still() (*Still, error) }); is {
		return keeps.Still()
	}
	return ReadStill(src)
}

// avif reads the metadata of the AVIF or HEIC in src into r.m.
func (r *reader) avif(src Source) {
	s, err := stillOf(src)
	if err != nil {
		return // reading the pixels will fail with this error
	}
	if s.icc.Len > 0 {
		r.icc(inOnePiece(s.icc))
	}
	if len(s.exif) > 0 {
		r.exifItem(s.exif)
	}
	if isLivePhoto(r.m.EXIF) {
		r.warn("it is a Live Photo; its film is a file of its own and stays as it is")
	}
	if len(s.xmp) > 0 {
		r.xmp(inPieces(s.xmp))
	}
	uprightXMP(r.m.XMP)
	r.m.Orientation = s.Orientation
	// A profile is preferred to code points. The code points are kept as the chunk cICP of a PNG, which uses the same
	// numbers, and are stated for RGB of full range.
	const unspecified, matrixRGB, fullRange = 2, 0, 1
	if s.nclx != nil && s.icc.Len == 0 && s.nclx[1] != unspecified && s.nclx[3] != unspecified {
		r.colourChunk("cICP", bodyOf([]byte{s.nclx[1], s.nclx[3], matrixRGB, fullRange}), nil)
	}
	for _, what := range s.about {
		r.warn("its " + what + " is left out")
	}
	if s.pictures > 1 {
		r.warn(fmt.Sprintf("its file has %d pictures, of which the primary one alone is taken", s.pictures))
	}
	switch m := s.Map; {
	case m == nil:
	case m.Width > s.Width || m.Height > s.Height || s.Crop != [4]int64{0, 0, s.Width, s.Height}:
		r.warn("its gain map is left out: it is larger than the picture, or not of the part that is shown")
	default: // package imagefile decodes the map and encodes it as a JPEG
		r.size += turnedBytes * m.Width * m.Height
		r.m.GainMap = r.keepBlock(inOnePiece(bodyOf(emptyGainMap(m.numbers))))
	}
}

// isLivePhoto reports whether an EXIF block has an Apple maker note that names the film of a Live Photo: after the
// note's title and byte order, a directory with entry 17, as in exiftool's list of Apple tags.
func isLivePhoto(exif []byte) bool {
	const film, entry = 17, 12
	_, note, _ := bytes.Cut(exif, []byte("Apple iOS\x00\x00\x01MM"))
	f := &fields{data: note}
	for n := f.number(2); n > 0 && !f.ended; n-- {
		if e := f.next(entry); e != nil && e[0] == 0 && e[1] == film {
			return true
		}
	}
	return false
}

// exifItem reads an EXIF item into r.m. Its pieces hold an offset, and at that offset a TIFF (ISO/IEC 23008-12, A.2.1).
func (r *reader) exifItem(parts []Body) {
	block := inPieces(parts)
	if block.size > MaxBlock {
		r.fits("EXIF block", block.size)
		return
	}
	f := &fields{data: block.start(block.size)}
	f.next(int(min(f.number(4), MaxBlock)))
	if f.ended {
		r.drop("EXIF block", "damaged")
		return
	}
	r.exif(bodyOf(f.data))
}
