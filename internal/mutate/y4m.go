package mutate

import "bytes"

// y4mFormat is YUV4MPEG2: a line of tags about the stream, and frames of a line and samples.
var y4mFormat *format

func init() {
	y4mFormat = &format{extension: ".y4m", is: begins("YUV4MPEG2 "), split: splitY4M, join: joinY4M, text: true}
}

func splitY4M(data []byte) (parts []part) {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	for tag := range bytes.SplitSeq(line, []byte(" ")) {
		kind := "tag"
		if len(parts) == 0 {
			kind = "magic"
		}
		parts = append(parts, part{kind: kind, body: tag[:len(tag):len(tag)]})
	}
	for len(rest) > 0 {
		n := bytes.Index(rest[1:], []byte("FRAME")) + 1
		if n < 1 {
			n = len(rest)
		}
		parts = append(parts, part{kind: "FRAME", body: rest[:n:n]})
		rest = rest[n:]
	}
	return parts
}

// joinY4M puts a space between tags, and ends their line before the first frame.
func joinY4M(parts []part) (out []byte) {
	ended := false
	for i, p := range parts {
		if p.kind == "FRAME" && !ended {
			out, ended = append(out, '\n'), true
		} else if i > 0 && p.kind != "FRAME" {
			out = append(out, ' ')
		}
		out = append(out, p.body...)
		if p.lie != nil && !ended { // which a tag has none of
			out = append(out, ' ')
		}
	}
	if !ended {
		out = append(out, '\n')
	}
	return out
}
