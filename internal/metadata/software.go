package metadata

import "bytes"

// SoftwareBegins reports whether the file in src has a record of the program that made it that begins with prefix.
// format is named as for Read, or is "gif". It looks where this program writes such records: in the text Software of a
// PNG, the tag Software of the first page of a TIFF or of the EXIF of a WebP or AVIF, and the comments of a JPEG or a
// GIF. It returns false for files that are damaged before the record. Except for WebP and AVIF, it reads only heads of
// segments and chunks, up to the pixels, and such records.
func SoftwareBegins(format string, src Source, prefix string) (found bool) {
	switch format {
	case "png":
		_ = Chunks(src, func(c Chunk) bool {
			found = string(c.Kind) == "tEXt" && c.begins(softwareKeyword+prefix)
			return !found && string(c.Kind) != "IDAT"
		})
	case "jpeg":
		Segments(src, func(marker byte, payload Body) bool {
			found = marker == markerComment && payload.begins(prefix)
			return !found && marker != markerScan
		})
	case "tiff":
		found = tiffSoftware(src, prefix)
	case "webp", "avif":
		m, _ := Read(format, src)
		found = tiffSoftware(bytes.NewReader(m.EXIF), prefix)
	case "gif":
		found = gifComment(src, prefix)
	}
	return found
}

// tiffSoftware reports whether the first directory of the TIFF, or EXIF block, in src has a tag Software that begins
// with prefix.
func tiffSoftware(src Source, prefix string) (found bool) {
	_ = TIFFDirectories(src, func(d TIFFDirectory) bool {
		for e := range d.Entries() {
			if text, ok := d.Value(e); ok && e.Tag == tagSoftware && text.begins(prefix) {
				found = true
			}
		}
		return false // later pages repeat the record
	})
	return found
}

// gifComment reports whether a comment before the first image of the GIF in src begins with prefix.
func gifComment(src Source, prefix string) bool {
	const comment = 0xfe
	walk, err := WalkGIF(src)
	for err == nil {
		var kind byte
		if kind, err = walk.Next(); err != nil || kind == GIFImage {
			break
		}
		head := Piece(src, walk.At(), int64(3+len(prefix))).Bytes() // kind, label and length of the text
		if len(head) == 3+len(prefix) && head[1] == comment && string(head[3:]) == prefix {
			return int(head[2]) >= len(prefix)
		}
	}
	return false
}
