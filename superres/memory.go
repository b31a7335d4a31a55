package superres

import (
	"image"
	"image/color"
	"slices"

	"superres/superres/stage"
)

// Memory returns an estimate, in bytes, of the peak memory of a program that calls Upscale for a picture of the size
// and colour model of cfg and a result of w×h: the program itself, the model, the picture and the result. Of the fields
// of opt only BandRows and Alpha count. The estimate holds with early garbage collection (GOGC=30); with the default
// the peak can be half as high again.
func (m *Model) Memory(cfg image.Config, w, h int, opt Options) int64 {
	shared, each := m.MemoryEach(cfg, w, h, opt, false)
	return shared + each
}

// MemoryEach splits the estimate of Memory for a program that enlarges several pictures of the same cfg at a time:
// shared is for the program and the model, which all pictures share; each is for what every single picture adds. If
// strips is true, the program is assumed to call Stream and not to keep the strips; but if cfg allows transparency,
// which Stream does not take, the estimate is for Upscale.
func (m *Model) MemoryEach(cfg image.Config, w, h int, opt Options, strips bool) (shared, each int64) {
	s := sizes{cfg.Width, cfg.Height, w, h}
	in, out := int64(s.inW)*int64(s.inH), int64(w)*int64(h)
	grey := cfg.ColorModel == color.GrayModel || cfg.ColorModel == color.Gray16Model
	pixel, painted, split := pixelBytes(cfg.ColorModel) // of the picture, the result, and planes with transparency
	if split > 0 && opt.Alpha == AlphaPremultiplied {
		painted += 8 // for 16 bits until the end
	}
	bandRows := opt.BandRows
	if bandRows < 1 {
		bandRows = m.bandRows(s)
	}
	result := painted * out
	if strips && split == 0 && !m.maxEffort {
		scale, _, reach := m.lastPass(s)
		if m.Network != nil {
			reach = 0 // strips are no higher than a band
		}
		strip := int64(min((bandRows+2*reach)*scale, h)) // height of a strip
		result = 7 * painted * int64(w) * strip          // a strip being painted, one being written, and its encoder
	}
	live := (pixel+split)*in + result
	if m.pixels {
		live += 2 * (pixel + 8) * (in + out) // the picture as compared, by keys of 8 bytes, and its enlargement
	}
	shared = programBytes + WithGarbage(m.loadedMemory(s))
	if !m.maxEffort {
		return shared, WithGarbage(live + m.bandsMemory(s, bandRows, grey))
	}
	if live += m.ensembleMemory(s, grey); m.Network != nil {
		return shared, live // addOriented collects the garbage
	}
	return shared, WithGarbage(live)
}

// ensembleMemory returns the bytes that enlarging a whole picture in several orientations takes: for the orientation
// that needs the most, and for the mean of the results. The memory of networks grows with the width of the picture, so
// a picture turned by 90° may need more than the upright one.
func (m *Model) ensembleMemory(s sizes, grey bool) (bytes int64) {
	out := int64(s.w) * int64(s.h)
	for _, turned := range []sizes{s, {s.inH, s.inW, s.h, s.w}} {
		bytes = max(bytes, m.bandsMemory(turned, turned.inH, grey))
	}
	bytes += 4 * 4 * out // the mean of brightness, the colour of all rows, and an enlargement in two orientations
	switch {
	case m.takesRGB(): // the mean of red, green and blue is counted above
		bytes += restingBytes
	case !grey && m.enlargesColour(s):
		bytes += 3 * 4 * out // the mean of colour, and two planes of an enlargement
	}
	return bytes
}

// restingBytes are the bytes of free blocks that earlier orientations of a network leave in pools.
const restingBytes = 12 << 20

// pixelBytes returns the bytes that a pixel takes: in a picture of the colour model, in its result (painted), and in
// the planes that a whole picture with transparency is split into (split; 0 without transparency).
func pixelBytes(model color.Model) (pixel, painted, split int64) {
	const withAlpha = 4*4 + 4 + 2 // four planes of float32, and the spreading of colour into hidden pixels
	switch model {
	case color.GrayModel:
		return 1, 1, 0
	case color.Gray16Model:
		return 2, 2, 0
	case color.RGBA64Model:
		return 8, 8, 0
	case color.NRGBA64Model:
		return 8, 8, withAlpha
	case color.NRGBAModel, color.NYCbCrAModel:
		return 4, 4, withAlpha
	}
	palette, ok := model.(color.Palette)
	if !ok {
		return 4, 4, 0 // YCbCr too, which takes 3 bytes from a JPEG file and 4 from a WebP file
	}
	for _, c := range palette {
		if _, _, _, a := c.RGBA(); a != 0xffff {
			return 1, 4, withAlpha
		}
	}
	return 1, 4, 0
}

// WithGarbage returns the peak memory, in bytes, of a program that keeps the given bytes in use: three eighths more,
// for garbage that is not collected yet and for gaps between blocks of different sizes.
func WithGarbage(bytes int64) int64 { return bytes + bytes*3/8 }

// programBytes is the memory, in bytes, of the program without model and picture, with garbage that its ballast allows.
const programBytes = 36 << 20

// Bytes for each sample of the enlargement while a band is worked on.
const (
	planesBytes  = 12 // input and output of a stage, with the rows that wait for the next band
	plainBytes   = 6  // instead, for a grey picture without stages
	betweenBytes = 12 // in addition, for a grey picture in several bands: waiting rows, and garbage
	colourBytes  = 16 // in addition, where the model enlarges colour, but not in strips that are painted at once
)

// sampleBytes returns the bytes for each sample of the enlargement while a band is worked on.
func (m *Model) sampleBytes(s sizes, grey bool) int64 {
	scale, before, _ := m.lastPass(s)
	// If a single pass makes the result, colour is enlarged in strips that are painted at once: see pushColour.
	inStrips := before == 1 && s.inW*scale == s.w && s.inH*scale == s.h && !m.takesRGB()
	switch {
	case !grey && m.enlargesColour(s) && !inStrips:
		return planesBytes + colourBytes
	case grey && m.IsPlain():
		return plainBytes
	}
	return planesBytes
}

// Budgets for the planes of a band, in bytes, from which its height follows. Larger bands are faster, because rows at
// the edges of a band are copied, and computed twice within the reach of a stage: with stages, an enlargement to ten
// megapixels is a single band. Without stages, small bands are as fast as large ones.
const (
	bandBudget      = 200 << 20
	plainBandBudget = 32 << 20
)

// networkBandRows is the most rows of the picture that a network gets at a time, unless Options.BandRows or a stage
// asks for more. A network keeps rows from one band for the next, so that higher bands are no faster.
const networkBandRows = 64

// bandRows returns the height of a band, in rows of the picture, that is used unless Options.BandRows is set.
func (m *Model) bandRows(s sizes) int {
	scale, scaleBefore, reach := m.lastPass(s)
	sample := m.sampleBytes(s, false) + 8 // bytes, 8 of them to spare; grey pictures get the same bands as others
	row := sample * int64(s.inW) * int64(scale) * int64(scale)
	budget := int64(bandBudget)
	if m.IsPlain() {
		budget = plainBandBudget
	}
	rows := int(budget / max(row, 1))
	least := (max(32, 2*reach) + scaleBefore - 1) / scaleBefore // in lower bands most rows would be computed twice
	rows = min(max(rows, least), s.inH)
	if m.Network != nil {
		return min(rows, max(networkBandRows, least))
	}
	if rows <= least {
		return rows
	}
	fixed := m.stageMemory(s, least)
	for rows > least && m.stageMemory(s, rows)-fixed > budget { // a stage takes much memory for each row
		rows = max(rows*3/4, least)
	}
	return rows
}

// lastPass returns the factor by which all passes enlarge a side, the factor of the passes before the last one, and the
// longest reach of the stages of the last pass. A plain interpolation counts as a pass by a whole factor that suffices.
func (m *Model) lastPass(s sizes) (scale, scaleBefore, reach int) {
	if m.IsPlain() {
		return max(1, (s.w+s.inW-1)/s.inW), 1, 0
	}
	scale, scaleBefore = 1, 1
	for _, model := range m.chainModels(s) {
		scaleBefore = scale
		scale *= model.Scale
		reach = 0
		for _, st := range model.Stages {
			reach = max(reach, st.Reach())
		}
	}
	return scale, scaleBefore, reach
}

// kernelReach is the reach of an interpolation in rows of its input, for the widest of the kernels.
const kernelReach = 4

// Reach returns how many samples on each side of a sample of a picture of inW×inH, in rows and in columns, can
// influence the pixels at its place in a result of w×h. It holds for pictures without transparency.
func (m *Model) Reach(inW, inH, w, h int) int {
	s := sizes{inW, inH, w, h}
	if m.pixels {
		return max(s.inW, s.inH) // squares of equal pixels are found in the whole picture
	}
	reach, scale := kernelReach, 1 // reach of interpolation alone, or of the reduction after the passes
	for _, model := range m.chainModels(s) {
		sum := model.firstReach()
		for _, st := range model.Stages {
			sum += st.Reach()
		}
		colour := 0
		for _, c := range model.colourStages() {
			colour = max(colour, c.Reach())
		}
		reach += (sum + colour + scale - 1) / scale // in samples of the picture, rounded up
		scale *= model.Scale
	}
	return reach + 1 // the clamp of flat areas
}

// firstReach returns the reach of the first step of a pass: the network or the interpolation. The interpolation counts
// even beside a network, because colour may need it.
func (m *Model) firstReach() int {
	if m.Network != nil {
		return max(kernelReach, m.Network.Reach())
	}
	return kernelReach
}

// loadedMemory returns the bytes of the models of the passes and of m, which is loaded even if no pass uses it.
func (m *Model) loadedMemory(s sizes) (bytes int64) {
	models := append(m.chainModels(s), m)
	for i, model := range models {
		if !slices.Contains(models[:i], model) {
			bytes += max(model.loadedBytes, model.fixedMemory()) // tuning may have made it smaller than when loaded
		}
	}
	return bytes
}

// bandsMemory returns the bytes of the planes of a band of bandRows rows, of networks, of the rows that wait at each
// stage, and of the stage that needs the most memory.
func (m *Model) bandsMemory(s sizes, bandRows int, grey bool) int64 {
	scale, _, _ := m.lastPass(s)
	each := m.sampleBytes(s, grey)
	if grey && !m.IsPlain() && bandRows < s.inH {
		each += betweenBytes
	}
	bytes := each * int64(min(bandRows, s.inH)) * int64(scale) * int64(s.inW) * int64(scale)
	before := 1 // factor of all passes before this one
	for _, model := range m.chainModels(s) {
		// Whether another pass follows, or the enlargement is reduced to the size of the result at the end.
		resized := before*model.Scale != scale || s.inW*scale != s.w || s.inH*scale != s.h
		bytes += model.networkMemory(s, before, resized)
		for _, st := range model.Stages {
			waiting := min(2*st.Reach()+stage.Alignment, s.inH*before*model.Scale) // rows that wait for the next band
			planes := int64(1)
			if model.takesRGB() && !grey {
				planes = 3
			}
			bytes += planes * 4 * int64(waiting) * int64(model.Scale) * int64(s.inW*before*model.Scale)
		}
		before *= model.Scale
	}
	return bytes + m.stageMemory(s, bandRows)
}

// stageMemory returns the most bytes that one stage takes beside the planes, with bands of bandRows rows. With the last
// band, a stage also gets the rows by which the steps before it lag behind.
func (m *Model) stageMemory(s sizes, bandRows int) (most int64) {
	scale := 1   // factor of all passes before this one
	lagging := 0 // rows by which earlier stages lag behind, which all come with the last band
	for _, model := range m.chainModels(s) {
		lagging += model.firstReach()
		for _, st := range model.Stages {
			rows := min(bandRows*scale+lagging+2*st.Reach()+stage.Alignment, s.inH*scale) // the most that Apply gets
			_, working := st.Memory(s.inW*scale, rows)
			most = max(most, working)
			lagging += st.Reach()
		}
		if model.Colour != nil { // brightness waits for it
			lagging += model.Colour.Reach()
		}
		scale, lagging = scale*model.Scale, lagging*model.Scale
	}
	return most
}

// networkMemory returns the bytes that the network of the model takes for a pass: its working memory, and the rows by
// which it lags behind its input and which it returns together with the last band. before is the factor by which
// earlier passes have enlarged the picture; resized says that another pass or a reduction follows.
func (m *Model) networkMemory(s sizes, before int, resized bool) int64 {
	if m.Network == nil {
		return 0
	}
	w, h := s.inW*before, s.inH*before
	_, working := m.Network.Memory(w, h)
	lagging := 4 * int64(m.Network.Channels()) * int64(min(m.Network.Reach(), h)*m.Scale) * int64(w*m.Scale)
	if len(m.Stages) > 0 || resized {
		lagging *= 2 // the rows, and the results made from them
	}
	return working + lagging
}
