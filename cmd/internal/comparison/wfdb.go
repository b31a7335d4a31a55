package comparison

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
)

// mostWFDB is the greatest size of a file in a WFDB record, in bytes.
const mostWFDB = 1 << 30

// wfdbSignal describes a signal of a record, from the signal's line in the header.
type wfdbSignal struct {
	file     string
	format   string // 16 or 212
	perFrame int    // samples of this signal per frame
	offset   int    // bytes in the file before the first sample
}

// reFormat matches the format of a signal: its number, the samples per frame, the skew and the offset in bytes.
var reFormat = regexp.MustCompile(`^(\d+)(?:x(\d+))?(?::\d+)?(?:\+(\d+))?$`)

// parseWFDB parses a header line that describes a signal, split into its fields. It fails for formats other than 16 and
// 212, and if the data are not in the folder of the header.
func parseWFDB(fields []string) (g wfdbSignal, err error) {
	if len(fields) < 2 {
		return g, errors.New("a signal without a format")
	}
	parts := reFormat.FindStringSubmatch(fields[1]) // the whole, the format, samples per frame or "", offset or ""
	if parts == nil || parts[1] != "16" && parts[1] != "212" {
		return g, fmt.Errorf("format %.40s", fields[1])
	}
	g = wfdbSignal{file: fields[0], format: parts[1], perFrame: 1}
	if parts[2] != "" {
		if g.perFrame, err = strconv.Atoi(parts[2]); err != nil || g.perFrame < 1 || g.perFrame > 1000 {
			return g, fmt.Errorf("%.40s samples in a frame", parts[2])
		}
	}
	if parts[3] != "" {
		if g.offset, err = strconv.Atoi(parts[3]); err != nil || g.offset > mostWFDB {
			return g, fmt.Errorf("an offset of %.40s bytes", parts[3])
		}
	}
	if g.file != filepath.Base(g.file) || g.file == ".." {
		return g, errors.New("data in another folder")
	}
	return g, nil
}

// samples returns the number of samples in data, which holds the samples of all signals of the file.
func (g wfdbSignal) samples(data []byte) int {
	if g.format == "212" { // two samples of 12 bits take three bytes; a single last sample takes two
		return len(data)/3*2 + len(data)%3/2
	}
	return len(data) / 2
}

// sample returns sample i in data, or NaN for the lowest value of the format, which marks a missing sample.
func (g wfdbSignal) sample(data []byte, i int) float64 {
	var v, none int
	switch {
	case g.format == "16":
		v, none = int(int16(binary.LittleEndian.Uint16(data[2*i:]))), math.MinInt16
	case i%2 == 0: // the first of three bytes, and the lower half of the second
		v, none = int(data[i/2*3])|int(data[i/2*3+1]&0x0f)<<8, -2048
	default: // the third byte, and the upper half of the second
		v, none = int(data[i/2*3+2])|int(data[i/2*3+1]&0xf0)<<4, -2048
	}
	if g.format == "212" {
		v = (v ^ 0x800) - 0x800 // from 12 bits in two's complement
	}
	if v == none {
		return math.NaN()
	}
	return float64(v)
}

// readWFDB returns the samples of the first channel of a WFDB record, the format of PhysioNet, as the numbers that the
// recorder stored, with NaN for missing samples. name is the path of the header; the data are in a file in the same
// folder. It reads the formats 16 and 212, which most records use. See header(5) and signal(5) in the WFDB guide.
func readWFDB(name string) ([]float64, error) {
	text, err := readLimited(name)
	if err != nil {
		return nil, err
	}
	bad := func(format string, args ...any) error {
		return console.Failf(console.ExitInput, "%s: %s; expected the header of a WFDB record in format 16 or 212, or "+
			"a matrix as CSV", name, fmt.Sprintf(format, args...))
	}
	var lines [][]string
	scan := bufio.NewScanner(bytes.NewReader(text))
	for scan.Scan() {
		if line := strings.TrimSpace(scan.Text()); line != "" && line[0] != '#' {
			lines = append(lines, strings.Fields(line))
		}
	}
	if scan.Err() != nil || len(lines) < 2 || len(lines[0]) < 2 {
		return nil, bad("no header")
	}
	if _, segments, isMulti := strings.Cut(lines[0][0], "/"); isMulti {
		return nil, bad("a record of %.20s segments, of which each has a header of its own, which can be named",
			segments)
	}
	channels, err := strconv.Atoi(lines[0][1])
	if err != nil || channels < 1 || channels > 1000 || len(lines) < 1+channels {
		return nil, bad("no number of signals")
	}
	stated := 0 // number of frames in the header; 0: not stated
	if len(lines[0]) > 3 {
		if stated, err = strconv.Atoi(lines[0][3]); err != nil || stated < 0 {
			return nil, bad("a number of samples of %.40q", lines[0][3])
		}
	}
	var first wfdbSignal
	frame := 0 // samples of all signals in a frame
	for i, line := range lines[1 : 1+channels] {
		g, err := parseWFDB(line)
		if err != nil {
			return nil, bad("%v", err)
		}
		if i == 0 {
			first = g
		}
		if g.file != first.file || g.format != first.format || g.offset != first.offset {
			return nil, bad("signals of several files or formats")
		}
		frame += g.perFrame
	}
	data, err := readLimited(filepath.Join(filepath.Dir(name), first.file))
	if err != nil {
		return nil, err
	}
	if len(data) < first.offset {
		return nil, bad("%s has %d bytes, of which %d are before the samples", first.file, len(data), first.offset)
	}
	data = data[first.offset:]
	frames := first.samples(data) / frame
	if first.format == "212" && frames*frame == stated*frame+1 { // half of the last three bytes is padding
		frames = stated
	}
	if stated > 0 && stated != frames {
		return nil, bad("%s has %d samples of each signal, the header says %d: it is cut off, or belongs to another "+
			"record", first.file, frames*first.perFrame, stated*first.perFrame)
	}
	values := make([]float64, 0, frames*first.perFrame)
	for i := range frames {
		for k := range first.perFrame {
			values = append(values, first.sample(data, i*frame+k))
		}
	}
	return values, nil
}

// readLimited returns the bytes of the file called name. It fails if there are more than mostWFDB.
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
