package video

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"superres/internal/y4m"
)

// muxer is a writer that takes a Y4M stream, as package y4m writes it, and writes the frames to out as Matroska. It
// makes odd sides even, as H.264 requires, by repeating the last row or column, and adds neutral colour to grey frames.
// Only one goroutine may use it.
type muxer struct {
	out io.Writer
	// duration is how long a frame is shown by default, in nanoseconds; 0 if that is unknown.
	duration float64
	// next returns the time of the next frame, in units of tick.
	next func() int64

	started bool
	failed  bool       // out refused a write
	in, to  y4m.Header // headers of the frames taken and written
	buf     []byte     // the frame to write
}

// Write implements io.Writer. The first call takes the header, and each later call a frame, as y4m.Writer writes them:
// a line that begins with FRAME, which Write drops, and the samples.
func (m *muxer) Write(p []byte) (int, error) {
	if !m.started {
		in, err := readHeader(string(p))
		if err != nil {
			return 0, err
		}
		m.started = true
		return len(p), m.start(in)
	}
	head := strings.IndexByte(string(p[:min(len(p), 4096)]), '\n') + 1 // the line is short
	m.buf = m.buf[:0]
	m.adapt(p[head:])
	if err := m.put(matroskaFrame(m.next(), len(m.buf))); err != nil {
		return 0, err
	}
	return len(p), m.put(m.buf)
}

// put writes p to m.out, and notes in m.failed if that fails.
func (m *muxer) put(p []byte) error {
	_, err := m.out.Write(p)
	m.failed = m.failed || err != nil
	return err
}

// start writes everything that comes before the first frame. h is the header of the frames that m takes. The frames
// that m writes have even sides, and layout 4:2:0 in place of grey.
func (m *muxer) start(h y4m.Header) error {
	m.in, m.to = h, h.Sized(even(h.Width), even(h.Height))
	if h.Layout.Grey {
		m.to.Layout = y4m.Layout{Name: "420", Across: 2, Down: 2}
	}
	return m.put(matroskaStart(m.to, fourCC(m.to), m.duration))
}

// streamFormat returns FFmpeg's name of the pixel format in which muxer writes frames with the header in, such as
// yuv422p10le. Grey frames, and all of other layouts than those in the map, are written as 4:2:0.
func streamFormat(in y4m.Header) string {
	text := map[y4m.Layout]string{{Across: 1, Down: 1}: "yuv444p", {Across: 1, Down: 1, Alpha: true}: "yuva444p",
		{Across: 2, Down: 1}: "yuv422p", {Across: 4, Down: 1}: "yuv411p"}[y4m.Layout{Across: in.Layout.Across,
		Down: in.Layout.Down, Alpha: in.Layout.Alpha, Grey: in.Layout.Grey}]
	if text == "" {
		text = "yuv420p"
	}
	if in.Depth > 8 {
		text += fmt.Sprint(in.Depth, "le")
	}
	return text
}

func even(side int) int { return side + side%2 }

// adapt appends a frame to m.buf in the layout and size of m.to. data holds the samples in the layout and size of m.in,
// plane by plane, row by row; a sample of more than 8 bits has two bytes, the lower first. Rows and columns that m.to
// has in addition repeat the last ones, and planes of colour that grey frames lack get the value in the middle.
func (m *muxer) adapt(data []byte) {
	sampleBytes := (m.in.Depth + 7) / 8
	for i := range m.to.Planes() {
		toW, toH := m.to.Plane(i)
		if i >= m.in.Planes() { // a plane of colour, which grey frames lack
			for range toW * toH {
				if sampleBytes == 1 {
					m.buf = append(m.buf, 1<<7)
				} else {
					m.buf = binary.LittleEndian.AppendUint16(m.buf, 1<<(m.in.Depth-1))
				}
			}
			continue
		}
		w, h := m.in.Plane(i)
		if w == toW && h == toH {
			m.buf, data = append(m.buf, data[:w*h*sampleBytes]...), data[w*h*sampleBytes:]
			continue
		}
		for y := range toH {
			row := data[min(y, h-1)*w*sampleBytes:][:w*sampleBytes]
			m.buf = append(m.buf, row...)
			for range toW - w {
				m.buf = append(m.buf, row[len(row)-sampleBytes:]...)
			}
		}
		data = data[w*h*sampleBytes:]
	}
}
