package npz

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// StringArray returns a member that NumPy loads as an array without dimensions that holds a text:
// str(f[name]). numpy.savez(..., name=text) writes the same.
func StringArray(name, text string) Text {
	runes := []rune(text)
	if len(runes) == 0 {
		runes = []rune{0} // as numpy does
	}
	data := alignedHeader(fmt.Sprintf("<U%d", len(runes)), "()")
	for _, r := range runes {
		data = binary.LittleEndian.AppendUint32(data, uint32(r))
	}
	return Text{Name: name + ".npy", Data: data}
}

// String returns the text in the array name, which has no dimensions. It fails for more than most characters.
func (f *File) String(name string, most int) (string, error) {
	data, err := f.Text(name+".npy", uint64(most)*4+maxHeader+16)
	if err != nil {
		return "", err
	}
	text, err := decodeString(data, most)
	if err != nil {
		return "", fmt.Errorf("member %q: %w", name+".npy", err)
	}
	return text, nil
}

// decodeString returns the text in a .npy file: UTF-32 of either byte order, or bytes in UTF-8, padded with zeros.
func decodeString(data []byte, most int) (string, error) {
	r := bytes.NewReader(data)
	h, err := ReadHeader(r)
	if err != nil {
		return "", err
	}
	data = data[len(data)-r.Len():]
	kind := strings.TrimLeft(h.Type, "<>|=")
	width := map[string]int{"U": 4, "S": 1}[kind[:min(1, len(kind))]]
	if width == 0 || len(h.Shape) != 0 {
		return "", fmt.Errorf("type %.20q of shape %v, expected a single text", h.Type, h.Shape)
	}
	length, err := strconv.Atoi(kind[1:])
	if err != nil || length < 0 || length > most || length*width != len(data) {
		return "", fmt.Errorf("type %.20q does not fit %d bytes, or is longer than %d characters", h.Type, len(data),
			most)
	}
	if width == 1 {
		return strings.ToValidUTF8(string(bytes.TrimRight(data, "\x00")), "\ufffd"), nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	if strings.HasPrefix(h.Type, ">") {
		order = binary.BigEndian
	}
	var text []byte
	for ; len(data) > 0; data = data[4:] {
		c := order.Uint32(data)
		if c > utf8.MaxRune {
			return "", errors.New("holds what is no character")
		}
		text = utf8.AppendRune(text, rune(c))
	}
	return string(bytes.TrimRight(text, "\x00")), nil
}

// Has reports whether the archive has a member with the file name member.
func (f *File) Has(member string) bool { return f.members[member] != nil }
