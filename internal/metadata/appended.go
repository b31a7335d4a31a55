package metadata

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Telephones put files after the picture of a JPEG: a gain map, a small JPEG that says how much brighter each part of
// the picture is on a screen of high dynamic range, and the film of a motion photo. A JPEG announces them in:
//
//   - Ultra HDR (Google, version 1.1): hdrgm:Version in the XMP packet, and a list Container:Directory of the files
//     after the picture, with their lengths. The XMP packet of the map itself holds the parameters of the map.
//   - ISO 21496-1: a segment APP2, with the version in the picture's JPEG and with the parameters in the map's.
//   - MPF (CIPA DC-007): a segment APP2 with the offsets and lengths of all pictures in the file.
//   - Motion photos (Google, version 1.0): GCamera:MotionPhoto and an item of the directory, or in older files
//     GCamera:MicroVideoOffset, the distance of the film's start from the end of the file.
//   - Samsung: data blocks after the picture and, at the end, a directory with each block's distance before it.
const (
	multiplePrefix = "MPF\x00"
	isoPrefix      = "urn:iso:std:iso:ts:21496:-1\x00"

	semanticPrimary = "Primary"
	semanticMap     = "GainMap"
	semanticFilm    = "MotionPhoto"

	MaxFilm = 64 << 20 // the largest size in bytes of a film and the data stored with it
)

// promises holds what the segments of a JPEG announce about files after the picture.
type promises struct {
	packet Body // the XMP packet; empty if there is none
	index  Body // the TIFF in the segment MPF, after the name MPF; empty if there is none
	iso    bool // there is a segment of ISO 21496-1
}

// AnnouncesPictures reports whether a segment of a JPEG announces pictures after the file's picture, by XMP or MPF.
func AnnouncesPictures(marker byte, payload Body) bool {
	switch marker {
	case markerApp1:
		return contains(payload.Bytes(), spaceContainer)
	case markerApp2:
		return payload.begins(multiplePrefix)
	}
	return false
}

// readAppended stores in r.m the gain map and the film after the picture of the JPEG in src, and warns about other
// pictures there. announced is what the segments of the JPEG announce.
func (r *reader) readAppended(src Source, announced promises) {
	var list packet
	text := announced.packet.Bytes()
	if contains(text, spaceGainMap, spaceContainer, spaceCamera) {
		list, _ = parseXMP(text, spaceGainMap, spaceContainer, spaceItem, spaceCamera) // For reports the error
	}
	_, promised := list.find(spaceGainMap, "Version", -1)
	trailer, films := samsungTrailer(src)
	filmed := films
	for item := range list.items {
		promised = promised || list.kind(item) == semanticMap
		filmed = filmed || list.kind(item) == semanticFilm
	}
	offset, micro := list.number(spaceCamera, "MicroVideoOffset", -1)
	if filmed = filmed || micro && offset > 0; !filmed && !promised && !announced.iso && announced.index.Len == 0 &&
		len(list.items) == 0 {
		return
	}
	end := Segments(src, func(byte, Body) bool { return true }) // where the picture's JPEG ends
	behind := src.Size()                                        // offset of the film and its data, or of the file's end
	if films {
		behind = trailer
	}
	for item := range list.items {
		if n, ok := list.number(spaceItem, "Length", item); ok && list.kind(item) == semanticFilm {
			if isFilm(src, src.Size()-n) {
				behind = min(behind, src.Size()-n)
			}
		}
	}
	if micro && isFilm(src, src.Size()-offset) {
		behind = min(behind, src.Size()-offset)
	}
	if behind < end || behind == src.Size() {
		behind = src.Size()
		if filmed {
			r.drop("film", "not where the file says,")
		}
	} else if n := src.Size() - behind; n > MaxFilm {
		r.drop("film", fmt.Sprintf("larger than %d MiB", MaxFilm>>20))
	} else {
		r.m.Film = r.keepBlock(inOnePiece(Piece(src, behind, n)))
	}
	found, others := findGainMap(src, list, announced.index, end, behind)
	w, h := jpegSize(found)
	wide, high := jpegSize(Piece(src, 0, src.Size()))
	switch {
	case found.Len == 0 && (promised || announced.iso):
		r.drop("gain map", "not where the file says,")
	case !r.fits("gain map", found.Len):
	case r.m.Orientation <= 1:
		r.m.GainMap = r.keepBlock(inOnePiece(found))
	case w*h > wide*high:
		r.drop("gain map", "larger than the picture")
	default: // package imagefile decodes the map, turns it upright and encodes it
		r.size += turnedBytes * int64(w) * int64(h)
		r.m.GainMap = r.keepBlock(inOnePiece(found))
	}
	for item := range list.items {
		switch kind := list.kind(item); kind {
		case "", semanticPrimary, semanticMap, semanticFilm:
		default:
			others = append(others, fmt.Sprintf("%.20q", kind))
		}
	}
	const most = 5
	if n := len(others); n > most {
		others = append(others[:most], fmt.Sprintf("and %d more", n-most))
	}
	if len(others) > 0 {
		r.warn("the rest of its file is left out: " + strings.Join(others, ", "))
	}
}

// turnedBytes is the memory in bytes, for each pixel of a gain map, that turning the map upright takes.
const turnedBytes = 12

// isFilm reports whether a film in the ISO 14496-12 container begins at offset at in src.
func isFilm(src Source, at int64) bool {
	return at > 0 && string(Piece(src, at, 8).read(4, 4)) == "ftyp"
}

// findGainMap returns the gain map among the bytes of src from offset end, where the picture's JPEG ends, to offset
// behind. list is the XMP packet with the list of files, index the MPF list of pictures. If list leads to no map, the
// first picture in index that declares itself a gain map is taken. others names the other entries of the MPF list, also
// those outside of end to behind, except for the picture and its copies at another size.
func findGainMap(src Source, list packet, index Body, end, behind int64) (found Body, others []string) {
	at, _ := list.number(spaceItem, "Padding", 0) // the offset of the next file in the list; item 0 is the picture
	at += end
	for item := 1; item < len(list.items) && at < behind; item++ {
		n, ok := list.number(spaceItem, "Length", item)
		if !ok || n > behind-at {
			break
		}
		if list.kind(item) == semanticMap {
			if b := Piece(src, at, n); isPicture(b) {
				found = b
			}
			break
		}
		at += n
	}
	const mostPictures = 16 // files usually list two or three
	for i, e := range multiplePictures(index, mostPictures) {
		b := Piece(src, index.At()+int64(e.offset), int64(e.length))
		switch {
		case i == 0, e.offset == 0, multipleKind(e.kind) == "": // the picture, or a copy of it
		case b.At() < end || b.Len < int64(e.length) || b.At()+b.Len > behind:
			others = append(others, "a picture that is not where the file says")
		case found.Len > 0 && b.At() == found.At(): // the map that list led to
		case found.Len == 0 && isGainMap(b):
			found = b
		default:
			others = append(others, multipleKind(e.kind))
		}
	}
	return found, others
}

// multiplePicture is an entry of MPF's list of pictures, CIPA DC-007, 5.2.3.3. offset counts from the TIFF's start.
type multiplePicture struct{ kind, length, offset uint32 }

// multiplePictures returns the MPF list of pictures in the TIFF index, at most maxCount entries.
func multiplePictures(index Body, maxCount int) (list []multiplePicture) {
	const tagEntries, size = 0xb002, 16 // of an entry: flags (1 byte), kind (3), length (4), offset (4), dependents (4)
	f, ok := tiffIn(index)
	if !ok {
		return nil
	}
	for e := range f.fields(f.first) {
		v, ok := f.value(e)
		if !ok || e.Tag != tagEntries {
			continue
		}
		for b := v.Start(int64(size * maxCount)); len(b) >= size; b = b[size:] {
			list = append(list, multiplePicture{f.order.Uint32(b) & 0xffffff, f.order.Uint32(b[4:]),
				f.order.Uint32(b[8:])})
		}
		break
	}
	return list
}

// multipleKind returns words for an MPF picture type, or "" for a copy of the picture at another size.
func multipleKind(kind uint32) string {
	const thumbnails = 0x01 // the first byte of the kinds for all sizes of thumbnails
	const panorama, disparity, angles = 0x020001, 0x020002, 0x020003
	switch {
	case kind>>16 == thumbnails:
		return ""
	case kind == panorama:
		return "a picture of a panorama"
	case kind == disparity:
		return "the picture for the other eye"
	case kind == angles:
		return "a picture from another angle"
	}
	return "a further picture"
}

// isPicture reports whether b is a JPEG with a size in its header.
func isPicture(b Body) bool {
	w, h := jpegSize(b)
	return w > 0 && h > 0
}

// jpegSize returns the width and height in pixels of the JPEG b, or zeros if b is not a JPEG or has no frame header.
func jpegSize(b Body) (w, h int) {
	if !b.begins("\xff\xd8") {
		return 0, 0
	}
	Segments(b.Source(), func(marker byte, payload Body) bool {
		const first, last, tables, arithmetic = 0xc0, 0xcf, 0xc4, 0xcc // frames are first to last but for these two
		if first <= marker && marker <= last && marker != tables && marker != arithmetic {
			if frame := payload.Start(5); len(frame) == 5 { // the depth (1 byte), height and width
				h, w = int(binary.BigEndian.Uint16(frame[1:])), int(binary.BigEndian.Uint16(frame[3:]))
			}
			return false
		}
		return marker != markerScan
	})
	return w, h
}

// isGainMap reports whether b is a JPEG with a segment of ISO 21496-1, or with XMP of gain maps by Ultra HDR or Apple.
func isGainMap(b Body) (is bool) {
	if !isPicture(b) {
		return false
	}
	Segments(b.Source(), func(marker byte, payload Body) bool {
		switch {
		case marker == markerApp2:
			is = payload.begins(isoPrefix)
		case marker == markerApp1 && payload.begins(xmpPrefix):
			is = contains(payload.Bytes(), spaceGainMap, "http://ns.apple.com/HDRGainMap/1.0/",
				"urn:com:apple:photo:2020:aux:hdrgainmap")
		}
		return !is && marker != markerScan
	})
	return is
}

// samsungTrailer returns the offset of the first of the data blocks that Samsung telephones append to a picture, and
// whether one of them is a film. It returns 0 and false for a file without a directory of at most 256 such blocks.
//
// The file ends with a directory: "SEFH", a version and the number of blocks; for each block 2 bytes, its kind (2
// bytes), its distance before the directory and its length; then the length of the directory and "SEFT". Numbers
// without a stated length have 4 bytes.
func samsungTrailer(src Source) (first int64, films bool) {
	const film, entry, head, mostBlocks = 0x0a30, 12, 12, 256
	tail := Piece(src, max(src.Size()-8, 0), 8).Bytes()
	if len(tail) < 8 || string(tail[4:]) != "SEFT" {
		return 0, false
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	start := src.Size() - 8 - length
	if start < 0 || length > head+entry*mostBlocks {
		return 0, false
	}
	b := Piece(src, start, length).Bytes()
	if len(b) < head || string(b[:4]) != "SEFH" {
		return 0, false
	}
	first = start
	for b := b[head:]; len(b) >= entry; b = b[entry:] {
		first = min(first, start-int64(binary.LittleEndian.Uint32(b[4:])))
		films = films || binary.LittleEndian.Uint16(b[2:]) == film
	}
	return first, films && first > 0 // at 0 or less, the directory is damaged
}
