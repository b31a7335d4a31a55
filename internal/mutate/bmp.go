package mutate

import "encoding/binary"

// bmpFormat is BMP: a header of the file, one of the picture with its colours, and pixels.
var bmpFormat *format

func init() {
	bmpFormat = &format{extension: ".bmp", is: begins("BM"), split: splitBMP, join: joinRaw}
}

func splitBMP(data []byte) []part {
	const head, info = 14, 54
	if len(data) < info {
		return nil
	}
	at := max(info, min(int(binary.LittleEndian.Uint32(data[10:])), len(data)))
	return []part{
		{kind: "file", body: data[:head:head], fields: fieldsOf(binary.LittleEndian, 2, 4, 10, 4)},
		{kind: "picture", body: data[head:at:at], fields: fieldsOf(binary.LittleEndian, 0, 4, 4, 4, 8, 4, 12, 2, 14,
			2, 16, 4, 20, 4, 24, 4, 28, 4, 32, 4)},
		{kind: "pixels", body: data[at:]},
	}
}
