package comparison

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
)

// mostWFDB is the largest size of a file of a WFDB record, in bytes.
const mostWFDB = 1 << 30

// readWFDB returns the samples of the first channel of a WFDB record, as of PhysioNet, in the units of the recorder,
// without gain. The record is that of the header called name; its data are in a file beside it. Formats 16 and 212 are
// read, in which most records are. (G. Moody: WFDB Applications Guide, header(5) and signal(5).)
func readWFDB(name string) ([]float64, error) {
	text, err := readLimited(name)
	if err != nil {
		return nil, err
	}
	bad := func(what string) error {
		return console.Failf(console.ExitInput, "%s: %s; expected the header of a WFDB record in format 16 or 212, or "+
			"a matrix as CSV", name, what)
	}
	var lines [][]string
	scan := bufio.NewScanner(bytes.NewReader(text))
	for scan.Scan() {
		if line := strings.TrimSpace(scan.Text()); line != "" && line[0] != '#' {
			lines = append(lines, strings.Fields(line))
		}
	}
	if scan.Err() != nil || len(lines) < 2 || len(lines[0]) < 2 || len(lines[1]) < 2 {
		return nil, bad("no header")
	}
	channels, err := strconv.Atoi(lines[0][1])
	if err != nil || channels < 1 || channels > 1000 || len(lines) < 1+channels {
		return nil, bad("no number of signals")
	}
	file, format := lines[1][0], lines[1][1]
	for _, line := range lines[1 : 1+channels] {
		if len(line) < 2 || line[0] != file || line[1] != format {
			return nil, bad("signals of several files or formats")
		}
	}
	if file != filepath.Base(file) || file == ".." {
		return nil, bad("data in another folder")
	}
	data, err := readLimited(filepath.Join(filepath.Dir(name), file))
	if err != nil {
		return nil, err
	}
	var samples []int
	switch format {
	case "16":
		for i := 0; i+1 < len(data); i += 2 {
			samples = append(samples, int(int16(binary.LittleEndian.Uint16(data[i:]))))
		}
	case "212": // two samples of 12 bits in three bytes
		sign := func(v int) int { return (v ^ 0x800) - 0x800 }
		for i := 0; i+2 < len(data); i += 3 {
			middle := int(data[i+1])
			samples = append(samples, sign(int(data[i])|(middle&0x0f)<<8), sign(int(data[i+2])|(middle&0xf0)<<4))
		}
	default:
		return nil, bad("format " + format)
	}
	var first []float64
	for i := 0; i < len(samples); i += channels {
		first = append(first, float64(samples[i]))
	}
	return first, nil
}

// readLimited returns the bytes of a file.
func readLimited(name string) ([]byte, error) {
	f, size, err := safefile.OpenRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > mostWFDB {
		return nil, console.Failf(console.ExitLimit, "%s: %s, the limit is %s", name, console.Bytes(size),
			console.Bytes(mostWFDB))
	}
	return io.ReadAll(io.LimitReader(f, size))
}
