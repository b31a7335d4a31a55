package superres

import (
	"image"
	"image/color"
	"slices"

	"superres/superres/stage"
)

// Memory estimates the bytes of a program that calls Upscale at its peak, with the
// model, the picture and the result themselves, for a picture of the size and colour
// model of cfg, a result of w×h, and the BandRows of opt, with a Mix or without. It is for a
// program that collects its garbage early (GOGC 30); with the default, the peak can be half
// as much again.
func (m *Model) Memory(cfg image.Config, w, h int, opt Options) int64 {
	shared, each := m.MemoryEach(cfg, w, h, opt, false)
	return shared + each
}

// MemoryEach is Memory for a program that has several pictures in work at a time, all with the
// same cfg: shared are the bytes that it takes however many they are, each those of one of them.
// With strips it is that of Stream, for a program that does not keep the strips, or of Upscale
// where the picture may be one that does not stream.
func (m *Model) MemoryEach(cfg image.Config, w, h int, opt Options, strips bool) (shared, each int64) {
	in, out := int64(cfg.Width)*int64(cfg.Height), int64(w)*int64(h)
	pixel, painted, hidden := int64(4), int64(4), int64(0) // bytes of a pixel of the picture, of the result, of planes
	switch cfg.ColorModel {
	case color.GrayModel:
		pixel, painted = 1, 1
	case color.Gray16Model:
		pixel, painted = 2, 2
	case color.YCbCrModel:
		pixel = 4 // 3 of a JPEG, 4 of a WebP
	case color.RGBA64Model:
		pixel, painted = 8, 8
	case color.NRGBA64Model:
		pixel, painted, hidden = 8, 8, wholeBytes
	case color.NRGBAModel, color.NYCbCrAModel:
		hidden = wholeBytes
	}
	if p, ok := cfg.ColorModel.(color.Palette); ok {
		pixel = 1
		for _, c := range p {
			if _, _, _, a := c.RGBA(); a != 0xffff {
				hidden = wholeBytes
			}
		}
	}
	bandRows := opt.BandRows
	if bandRows < 1 {
		bandRows = m.bandRows(cfg.Width, cfg.Height, w, h)
	}
	if m.eight {
		bandRows = cfg.Height
	}
	result := painted * out
	if strips && hidden == 0 && !m.eight {
		side, _, reach := m.sides(cfg.Width, cfg.Height, w, h)
		strip := int64(min((bandRows+2*reach)*side, h)) // rows
		result = 7 * painted * int64(w) * strip         // one that is painted, one that is written, and what writing takes
	}
	grey := cfg.ColorModel == color.GrayModel || cfg.ColorModel == color.Gray16Model
	live := (pixel+hidden)*in + result + m.work(cfg.Width, cfg.Height, w, h, bandRows, grey)
	loaded := int64(0)
	models := m.models(cfg.Width, cfg.Height, w, h)
	if !slices.Contains(models, m) {
		models = append(models, m) // it was loaded all the same
	}
	for i, one := range models {
		if slices.Index(models, one) < i {
			continue // a scale that is used twice
		}
		loaded += max(one.loaded, one.fixed())
	}
	if m.eight {
		live += 4 * 4 * out // the mean, the colour of all rows, and what is turned and turned back
		if !grey && m.colours(cfg.Width, cfg.Height, w, h) {
			live += 3 * 4 * out // and its mean, as well
		}
	}
	return programBytes + WithGarbage(loaded), WithGarbage(live)
}

// WithGarbage is what so many bytes in use take at their peak: with what was in use and is not
// yet collected, and holes between what is of different sizes.
func WithGarbage(bytes int64) int64 { return bytes + bytes*3/8 }

const (
	wholeBytes   = 4*4 + 4 + 2 // a pixel of a picture with transparency: its planes, and those of bleed
	programBytes = 30 << 20
)

// What a sample of the enlargement takes while a band is worked on: what a stage reads and what
// it makes, with some of it that waits for the next band; and besides where the model enlarges
// colour.
const (
	planesBytes = 12
	plainBytes  = 6 // of grey without a stage
	colourBytes = 16
)

// sampleBytes is what a sample takes in all.
func (m *Model) sampleBytes(inW, inH, w, h int, grey bool) int64 {
	switch {
	case !grey && m.colours(inW, inH, w, h):
		return planesBytes + colourBytes
	case grey && len(m.Stages) == 0:
		return plainBytes
	}
	return planesBytes
}

// bandBytes is what a sample counts in the height of a band, which is the same for grey pictures.
func (m *Model) bandBytes(inW, inH, w, h int) int64 {
	if m.colours(inW, inH, w, h) {
		return 36
	}
	return 20
}

// bandBudget is about what the planes of a band take when nothing else is asked for: so
// much that an enlargement to ten megapixels is one band: bands are copied, and what a
// stage reaches for is worked on twice.
const bandBudget = 200 << 20

// plainBudget is bandBudget for models without stages, to which bands cost nothing.
const plainBudget = 32 << 20

// bandRows returns how many rows of a picture are worked on together.
func (m *Model) bandRows(inW, inH, w, h int) int {
	side, below, reach := m.sides(inW, inH, w, h)
	row := m.bandBytes(inW, inH, w, h) * int64(inW) * int64(side) * int64(side)
	budget := int64(bandBudget)
	if len(m.Stages) == 0 {
		budget = plainBudget
	}
	rows := int(budget / max(row, 1))
	least := (max(32, 2*reach) + below - 1) / below // else most would be worked on twice
	rows = min(max(rows, least), inH)
	if rows <= least {
		return rows
	}
	always := m.working(inW, inH, w, h, least)
	for rows > least && m.working(inW, inH, w, h, rows)-always > budget { // of a stage that takes much for a row
		rows = max(rows*3/4, least)
	}
	return rows
}

// sides returns by how much the chain enlarges a side, by how much before its last pass,
// and the longest reach of a stage of that.
func (m *Model) sides(inW, inH, w, h int) (side, below, reach int) {
	side, below = max(1, (w+inW-1)/inW), 1
	if len(m.Stages) == 0 {
		return side, below, 0
	}
	side = 1
	for _, one := range m.models(inW, inH, w, h) {
		below = side
		side *= one.Scale
		reach = 0
		for _, s := range one.Stages {
			reach = max(reach, s.Reach())
		}
	}
	return side, below, reach
}

// Reach returns how many samples around one of a picture of inW×inH, along each side, count
// at most for what becomes of it at w×h, when the picture has no transparency.
func (m *Model) Reach(inW, inH, w, h int) int {
	reach, below := kernelReach, 1 // the last, exact reduction, or an interpolation alone
	for _, one := range m.models(inW, inH, w, h) {
		sum := kernelReach
		for _, s := range one.Stages {
			sum += s.Reach()
		}
		colour := 0
		for _, c := range []stage.Colour{one.Colour, one.Subsampled} {
			if c != nil {
				colour = max(colour, c.Reach())
			}
		}
		reach += (sum + colour + below - 1) / below
		below *= one.Scale
	}
	return reach + 1 // of keepAreas
}

// models are those of the chain; one that cannot be opened is left out, as Upscale will
// say why.
func (m *Model) models(inW, inH, w, h int) (list []*Model) {
	if len(m.Stages) == 0 {
		return nil
	}
	for _, scale := range m.chain(inW, inH, w, h) {
		if one, err := m.at(scale); err == nil {
			list = append(list, one)
		}
	}
	return list
}

// fixed is what the stages take as long as they exist.
func (m *Model) fixed() (sum int64) {
	for _, s := range m.Stages {
		fixed, _ := s.Memory(1, 1)
		sum += fixed
	}
	for _, c := range []stage.Colour{m.Colour, m.Subsampled} {
		if c != nil {
			fixed, _ := c.Memory(1, 1)
			sum += fixed
		}
	}
	return sum
}

// work estimates what is in work at a time.
func (m *Model) work(inW, inH, w, h, bandRows int, grey bool) int64 {
	side, _, _ := m.sides(inW, inH, w, h)
	bytes := m.sampleBytes(inW, inH, w, h, grey) * int64(min(bandRows, inH)) * int64(side) * int64(inW) * int64(side)
	below := 1
	for _, one := range m.models(inW, inH, w, h) {
		for _, s := range one.Stages {
			kept := min(2*s.Reach()+stage.Alignment, inH*below*one.Scale) // rows that wait for the next band
			bytes += 4 * int64(kept) * int64(one.Scale) * int64(inW*below*one.Scale)
		}
		below *= one.Scale
	}
	return bytes + m.working(inW, inH, w, h, bandRows)
}

// working estimates what the stage takes that takes most, beside planes, for bands of so
// many rows.
func (m *Model) working(inW, inH, w, h, bandRows int) (most int64) {
	below, late := 1, 0 // rows that the last band has besides its own: what was behind by its reach
	for _, one := range m.models(inW, inH, w, h) {
		late += kernelReach
		for _, s := range one.Stages {
			rows := min(bandRows*below+late+2*s.Reach()+stage.Alignment, inH*below) // that Apply is given
			_, working := s.Memory(inW*below, rows)
			most = max(most, working)
			late += s.Reach()
		}
		if one.Colour != nil { // brightness waits for it
			late += one.Colour.Reach()
		}
		below, late = below*one.Scale, late*one.Scale
	}
	return most
}
