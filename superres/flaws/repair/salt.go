package repair

import (
	"image"
	"slices"
	"sync/atomic"

	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/flaws/measure"
)

// Salt and pepper are single white or black samples, regardless of what is around them, from a faulty sensor or line.
// In a picture with both kinds, a white or black sample far from all eight neighbours is nearly certain to be salt or
// pepper. The table has the share of samples taken for salt or for pepper, whichever is rarer, from the least to the
// greatest of 87 photographs. Pictures of the third row may count as salted, since removal does them no harm:
//
//	with 0.5 % of pixels salt or pepper, or of samples     0.00025 to 0.0024
//	with 0.1 % of samples                                  0       to 0.0005
//	with noise of 25 and of 40 levels; sharpened by 1.5    0       to 0.00022, 0.0011, 0.0005
//	clean, reduced or not; dithered; every second pixel    0       to 0.00005
//
// The shares were counted without the rule of leastValues. With the rule, salt is found in 104 pictures with 0.5 % and
// with 2 %, and in none of 321 clean photographs and 300 drawings.
const (
	leastSalt   = 0.0002    // least share of the samples that is salt, and that is pepper
	leastGrains = 3         // least number of each
	saltApart   = 50. / 255 // least difference from each neighbour
	leastValues = 4         // least number of different values among the neighbours

	// In a salted picture, black or white samples, alone or in pairs, are replaced if they differ by at least
	// saltDiffers from the median of their neighbours.
	saltDiffers = 30. / 255
)

// WithoutSalt returns a copy of img with each sample of salt or pepper replaced by the median of its neighbours, and
// the share of samples that were replaced. It returns img itself and 0 if the given parts of img have no salt, if img
// is not opaque, or if it comes from a JPEG file, as JPEG keeps no single samples.
func WithoutSalt(img image.Image, parts []measure.Area) (clean image.Image, share float64) {
	if _, isLossy := img.(*image.YCbCr); isLossy || !hasSalt(parts) || !picture.IsOpaque(img) {
		return img, 0
	}
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	var replaced atomic.Int64
	clean = repaint(img, func(out *picture.Canvas, lo, hi int) {
		from, to := max(lo-2, 0), min(hi+2, h)                 // how far medianAround looks
		p := picture.SplitRows(plane.New, img, true, from, to) // true: img is opaque
		var rows [3][]float32
		for y := lo; y < hi; y++ {
			for c, channel := range p.Channels {
				rows[c] = append(rows[c][:0], channel.Row(y-from)...)
			}
			replaced.Add(int64(removeSalt(rows[:len(p.Channels)], p.Channels, y-from)))
			paintRow(out, y, rows[:len(p.Channels)])
		}
	})
	channels := 3
	if picture.IsGrey(img) {
		channels = 1
	}
	return clean, float64(replaced.Load()) / float64(w*h*channels)
}

// hasSalt reports whether parts hold salt and pepper: of each at least leastGrains samples and the share leastSalt. In
// more than about 2¹⁸ samples it reads only some rows.
func hasSalt(parts []measure.Area) bool {
	const enough = 1 << 18 // samples
	all := 0
	for _, part := range parts {
		all += len(part.Channels) * len(part.Channels[0].Pix)
	}
	every := max(1, all/enough)
	var grains [2]int // pepper and salt
	samples := 0
	for _, part := range parts {
		for _, p := range part.Channels {
			for y := 1; y < p.H-1; y += every {
				row := p.Row(y)
				for x := 1; x < p.W-1; x++ {
					if v := row[x]; (v == 0 || v == 1) && max(v-row[x-1], row[x-1]-v) >= saltApart && isGrain(p, x, y) {
						grains[int(v)]++
					}
				}
			}
			samples += p.W * p.H / every
		}
	}
	fewest := min(grains[0], grains[1])
	return fewest >= leastGrains && float64(fewest) >= leastSalt*float64(samples)
}

// isGrain reports whether the black or white sample at (x, y), not at the edge, is salt or pepper: it is far from all
// eight neighbours, at most one neighbour is black or white too, and the neighbours have at least leastValues different
// values. Around a single black or white sample of a drawing, there are fewer values.
func isGrain(p *plane.Plane, x, y int) bool {
	v, extreme, isAlone := p.Row(y)[x], 0, true
	var values [8]float32
	distinct := values[:0]
	eachAround(p, x, y, func(_, _ int, u float32) {
		isAlone = isAlone && (u-v >= saltApart || v-u >= saltApart)
		if u == 0 || u == 1 {
			extreme++
		}
		if !slices.Contains(distinct, u) {
			distinct = append(distinct, u)
		}
	})
	return isAlone && extreme <= 1 && len(distinct) >= leastValues
}

// removeSalt replaces the salt and pepper in rows, which are copies of row y of each channel, and returns how many
// samples it replaced. A black or white sample is replaced if it differs by saltDiffers from medianAround, or if its
// whole pixel is black or is white and another of its samples does. The medians come from channels.
func removeSalt(rows [][]float32, channels []*plane.Plane, y int) (replaced int) {
	var medians [3]float32
	for x := range rows[0] {
		allAgree, someDiffer := true, false // all channels are salt, or all are pepper; some differ by saltDiffers
		var differs [3]bool
		for c, p := range channels {
			v := rows[c][x]
			if (v != 0 && v != 1) || v != rows[0][x] {
				allAgree = false
			}
			if v != 0 && v != 1 {
				continue
			}
			median, ok := medianAround(p, x, y)
			if medians[c] = median; !ok {
				allAgree = false
				continue
			}
			differs[c] = median-v >= saltDiffers || v-median >= saltDiffers
			someDiffer = someDiffer || differs[c]
		}
		for c := range channels {
			if someDiffer && (allAgree || differs[c]) {
				rows[c][x] = medians[c]
				replaced++
			}
		}
	}
	return replaced
}

// medianAround returns the median of the neighbours of the sample at (x, y) that differ from it. ok is false if several
// neighbours equal the sample, if the only equal one has a further equal neighbour, or if none differs.
func medianAround(p *plane.Plane, x, y int) (median float32, ok bool) {
	v := p.Row(y)[x]
	alike, last := 0, image.Point{}
	var others [8]float32
	n := 0
	eachAround(p, x, y, func(k, i int, u float32) {
		if u == v {
			alike, last = alike+1, image.Pt(k, i)
			return
		}
		others[n] = u
		n++
	})
	if alike == 1 {
		eachAround(p, last.X, last.Y, func(_, _ int, u float32) {
			if u == v {
				alike++
			}
		})
		alike-- // the sample itself
	}
	if alike > 1 || n == 0 {
		return 0, false
	}
	slices.Sort(others[:n])
	return (others[(n-1)/2] + others[n/2]) / 2, true
}

// eachAround calls visit with the position and value of each neighbour, up to eight, of the sample at (x, y).
func eachAround(p *plane.Plane, x, y int, visit func(x, y int, v float32)) {
	for i := max(y-1, 0); i <= min(y+1, p.H-1); i++ {
		for k := max(x-1, 0); k <= min(x+1, p.W-1); k++ {
			if k != x || i != y {
				visit(k, i, p.Row(i)[k])
			}
		}
	}
}
