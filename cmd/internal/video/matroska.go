package video

import (
	"encoding/binary"
	"math"

	"superres/internal/y4m"
)

// Frames go to ffmpeg as Matroska with uncompressed video, not as Y4M, which has no times: so each frame of the input
// keeps its time, even if the rate varies. Elements: https://www.matroska.org/technical/elements.html.

// tick is the unit of time in the Matroska stream, in nanoseconds.
const tick = 1000

// element returns the Matroska element with the number id; its content is all parts, one after another.
func element(id uint32, parts ...[]byte) []byte {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	out := elementHead(id, size)
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// elementHead returns the start of the element with the number id, up to its content, which has size bytes.
func elementHead(id uint32, size int) []byte {
	return append(idBytes(id), sizeBytes(uint64(size))...)
}

// idBytes returns the number of an element as it is written: one to four bytes, without zero bytes in front.
func idBytes(id uint32) []byte {
	b := binary.BigEndian.AppendUint32(nil, id)
	for b[0] == 0 {
		b = b[1:]
	}
	return b
}

// sizeBytes returns the size of an element in eight bytes; the lowest bit of the first says that there are eight.
func sizeBytes(size uint64) []byte { return binary.BigEndian.AppendUint64(nil, size|1<<56) }

func number(id uint32, v uint64) []byte { return element(id, binary.BigEndian.AppendUint64(nil, v)) }

func text(id uint32, s string) []byte { return element(id, []byte(s)) }

// matroskaStart returns everything that comes before the first frame, for frames with the size and layout of h, each
// shown for duration nanoseconds by default, if this is not 0. fourCC says how their samples are stored.
func matroskaStart(h y4m.Header, fourCC string, duration float64) []byte {
	const unknown = 1<<56 - 1 // the size of an element that ends where the stream ends
	// The only track: its two numbers, its type (1: video), lacing (0: none), and its language, und for undetermined;
	// without it, players would take the language for English. Then the duration, the codec, the size and the fourCC.
	track := [][]byte{number(0xD7, 1), number(0x73C5, 1), number(0x83, 1), number(0x9C, 0), text(0x22B59C, "und")}
	if duration > 0 && duration < math.MaxInt64 {
		track = append(track, number(0x23E383, uint64(duration+0.5)))
	}
	track = append(track, text(0x86, "V_UNCOMPRESSED"), element(0xE0, number(0xB0, uint64(h.Width)),
		number(0xBA, uint64(h.Height)), text(0x2EB524, fourCC)))
	// The head of the file with the versions of the format, the segment, which holds all the rest, the unit of time
	// with the names of the programs that write, and the list of tracks.
	out := element(0x1A45DFA3, number(0x4286, 1), number(0x42F7, 1), number(0x42F2, 4), number(0x42F3, 8),
		text(0x4282, "matroska"), number(0x4287, 4), number(0x4285, 2))
	out = append(append(out, idBytes(0x18538067)...), sizeBytes(unknown)...)
	by := "superres"
	out = append(out, element(0x1549A966, number(0x2AD7B1, tick), text(0x4D80, by), text(0x5741, by))...)
	return append(out, element(0x1654AE6B, element(0xAE, track...))...)
}

// matroskaFrame returns what comes before a frame of size bytes that is shown from time on, in units of tick; a time
// below 0 counts as 0. Each frame is a block in a cluster of its own.
func matroskaFrame(time int64, size int) []byte {
	stamp := number(0xE7, uint64(max(time, 0)))                  // the time of the cluster
	block := append(elementHead(0xA3, 4+size), 0x81, 0, 0, 0x80) // track 1, at the time of the cluster, a key frame
	out := append(elementHead(0x1F43B675, len(stamp)+len(block)+size), stamp...)
	return append(out, block...)
}

// fourCC returns the code that tells FFmpeg how uncompressed frames with the header h store their samples: see the
// table in its libavcodec/raw.c. The code for more than 8 bits is Y3, a number for the layout, and the depth in bits.
func fourCC(h y4m.Header) string {
	kind := byte(11) // the number for 4:2:0
	switch l := h.Layout; {
	case l.Alpha:
		return string([]byte{'Y', '4', 0, byte(h.Depth)})
	case h.Depth == 8 && l.Across == 4:
		return "Y41B"
	case h.Depth == 8 && l.Across == 2 && l.Down == 1:
		return "Y42B"
	case h.Depth == 8 && l.Across == 1 && !l.Grey:
		return "444P"
	case h.Depth == 8:
		return "I420"
	case l.Across == 2 && l.Down == 1: // 4:2:2
		kind = 10
	case l.Across == 1 && !l.Grey: // 4:4:4
		kind = 0
	}
	return string([]byte{'Y', '3', kind, byte(h.Depth)})
}
