package measure

import (
	"image"
	"math"
	"slices"
)

// The second test for white noise. The first, in noise.go, takes all fine variation in the quietest tiles for noise,
// but a fine weave, gravel or the windows of a façade vary as little. So noise counts only if a second measure confirms
// it: cosine transforms of blocks of 8×8 samples. Their coefficients (u, v) fall into bands,
//
//	low 0..2 × 0..2 without (0, 0) and (2, 2), middle 2..4 × 2..4,
//	across 5..7 × 0..2, down 0..2 × 5..7, finest 5..7 × 5..7.
//
// White noise of deviation σ has a mean square of σ² in each band. The eighth of the blocks with the least sum of the
// first four bands is chosen, and there finest is compared with middle, across and down: detail of a picture has less
// in the finest band, because pictures fade towards their finest detail, and a pattern differs in at least one band.
// Besides, noise is a floor under all blocks of the picture: the finest band, of nine coefficients, has a χ²
// distribution with nine degrees of freedom, and 5 percent of its values are below 0.608² times the mean. Texture has
// quieter blocks somewhere. The mean squares of a block are in the order of the list above.
type bands [5]float64

// coarse returns the sum of all bands but the finest; the blocks with the least are chosen.
func (b bands) coarse() float64 { return b[0] + b[1] + b[2] + b[3] }

// What counts as noise. Note: four crops of 100 to 240 samples of each of 308 photographs (general-dev, t91,
// open-valid, kodak, open, unsplash, pexels) were reduced by 2, 3 and 4, and the crops reduced by 2 were given normal
// noise of 5, 10 and 20 levels in each colour. The table has the number of crops in which noise in brightness is found,
// by estimateNoise alone, and by white with several values of whitest, applied to all blocks together:
//
//	                 clean ÷2   ÷3   ÷4   noise 5     10     20
//	of                   1232 1228 1200      1232   1232   1232
//	estimateNoise          22   23   15       805   1081   1180
//	whitest 0.55            7    5    4       913   1136   1204
//	0.6                     2    0    0       854   1093   1194
//	0.7                     0    0    0       705   1017   1165
//
// The clean crops nearest to the limit have 0.62 (houses from the air), 0.60 (wild water) and 0.58 (a meadow). In
// colour none of the clean crops has noise of 2 levels, with any value of whitest from 0.6 on. For whole pictures, the
// next table has how often a model for noise is chosen, by estimateNoise alone and with confirmNoise (in colour: noise
// of 12 levels in Cb and Cr, 2 in Y):
//
//	              pictures  clean ÷1  ÷2    ÷4    noise 5   10        20        12 in colour
//	general-dev         70  1, 1      2, 0  1, 0  50, 69    66, 70    69, 70    21, 70
//	t91                 91  7, 5      0, 0  0, 0  33, 80    63, 85    79, 91    5, 91
//	open-valid           8  0, 0      0, 0  0, 0  8, 8      8, 8      8, 8      1, 8
//	kodak               24  0, 0      0, 0  0, 0  23, 24    24, 24    24, 24    4, 24
//	set5                 5  1, 1      0, 0  0, 0  4, 5      5, 5      5, 5      4, 5
//
// leaving out pictures at ÷1 that come from JPEG files. Those of T91 and of Set5 have grain.
const (
	leastWhite    = 2.5  // least noise in brightness that counts, in levels
	leastInColour = 2    // least noise in Cb and in Cr that counts, in levels
	decisive      = 2.5  // loss by a file, in levels, from which a model is needed that removes it
	whitest       = 0.7  // least ratio of the deviation in finest to the deviation in middle, across and down
	patterned     = 0.6  // least ratio of the deviation in middle, across and down to the deviation in finest
	floorLeast    = 0.75 // least ratio of the deviation by floor to the finest band in the chosen blocks
	floorMost     = 1.25
	chiSquared    = 0.608 // see bands
	fewBlocks     = 40    // with fewer blocks, no noise is reported
	quietLeast    = 16    // the least number of blocks that are chosen

	// The range of the ratio of noise in brightness to noise in colour; 1.1 for independent noise in R, G and B.
	sharedLeast, sharedMost = 0.6, 2

	blocksOfQuarter = 150    // the least number of blocks in each part, if there is more than one part
	smallPicture    = 60_000 // samples
)

// confirmNoise returns the deviation of noise in brightness. It returns estimate, from estimateNoise, if the loss by a
// file is decisive, because the model for such files removes noise too, and the loss hides the kind of noise; if colour
// certainly has about as much noise; or if brightness certainly has white noise. Else it returns the deviation of
// colour if all blocks may have so much noise, since texture may hide it; otherwise 0. grid is findGrid(parts).
func confirmNoise(parts []*Samples, grid image.Point, estimate float64, f Flaws) float64 {
	if f.Loss >= decisive || estimate >= sharedLeast*f.ColourNoise && estimate <= sharedMost*f.ColourNoise {
		return estimate
	}
	// In the blocks of a JPEG file, which begin at grid, coefficients are whole quantiser steps: take other blocks.
	c := newCoefficients(parts, (grid.X+4)%8, (grid.Y+4)%8, blockStep(parts))
	if estimate > 0 && c.white(c[0]) >= leastWhite { // c[0] tells the mean of each block
		return estimate
	}
	if c.floor() >= floorLeast*f.ColourNoise {
		return f.ColourNoise
	}
	return 0
}

// floor returns the greatest deviation, in levels, that white noise can have everywhere; 0 if there are too few blocks.
func (c *coefficients) floor() float64 {
	var finest []float64
	for _, b := range c.bands() {
		finest = append(finest, b[4])
	}
	if len(finest) < fewBlocks {
		return 0
	}
	slices.Sort(finest)
	return math.Sqrt(finest[len(finest)/20]) / chiSquared // 5 % of white noise is below: see bands
}

// blockStep returns the distance between neighbouring blocks in samples: in small pictures blocks overlap.
func blockStep(parts []*Samples) int {
	if p := parts[0]; p.W*p.H*p.Parts < smallPicture {
		return 4
	}
	return 8
}

// estimateColourNoise returns the root mean square of the deviations of noise in Cb and in Cr; 0 if there may be no
// noise in one of the two. parts are the parts of a picture, and light is their brightness.
func estimateColourNoise(parts []Area, light []*Samples) float64 {
	step := blockStep(light) // of blocks from (4, 4) on, so no block is one of an uncropped JPEG file
	var mean []int32         // the first coefficient of brightness of each block
	for _, p := range light {
		p.Spread(4, 4, step, 0, 8, mostBlocks, func(x, y int) {
			sum := int64(0)
			for i := range 64 {
				sum += int64(p.Pix[(y+i/8)*p.W+x+i%8])
			}
			mean = append(mean, scaled(sum*int64(cosines[0]*cosines[0])))
		})
	}
	sum := 0.0
	for _, axis := range [...]struct{ channel, half int32 }{{2, 886}, {0, 701}} { // Cb of blue, Cr of red
		found := transform(light, 4, 4, step, func(part, at int) (row [8]int32) {
			channel := parts[part].Channels[axis.channel].Pix[at:][:8]
			for u, v := range light[part].Pix[at:][:8] {
				row[u] = subtractLuma(sampleOf(channel[u]), v, axis.half)
			}
			return row
		}).white(mean)
		if found < leastInColour {
			return 0
		}
		sum += float64(found * found)
	}
	return math.Sqrt(sum / 2)
}

// subtractLuma returns Cb or Cr, from a sample v of blue or red and its brightness luma: 128 levels + (v −
// luma)/(2·half/1000), rounded. half/1000 is 1 less the weight of the channel in luma. All but half are in units of
// 1/Unit of a level. 512 is added before the division and taken away after it, so that nothing negative is rounded.
func subtractLuma(v, luma, half int32) int32 {
	return 128*Unit + (1000*(v-luma)+half*2*512+half)/(2*half) - 512
}

// white returns the deviation, in levels, of the white noise that is certainly in the blocks; 0 if there may be none.
// light holds the first coefficient of the brightness of each block. As noise may depend on brightness, the blocks are
// divided by brightness into up to four parts. If at most half of the parts have noise, the noise of all blocks
// together is taken. Blocks nearer to black or white than margin are left out, because noise is clipped there: margin
// is 6 levels and, if that is less than twice the noise found, in a second round twice that noise.
func (c *coefficients) white(light []int32) (found float64) {
	margin, all := 6.0, c.bands()
	for range 2 {
		var list []lit
		for i, v := range light {
			if mean := float64(v) / (8 << 8); mean > margin && mean < 255-margin { // v: 8 times the mean
				list = append(list, lit{all[i], mean})
			}
		}
		if len(list) < fewBlocks {
			return 0
		}
		sortBy(list, func(b lit) uint64 { return math.Float64bits(b.mean) })
		n := len(list)
		quarters := min(max(n/blocksOfQuarter, 1), 4)
		sum, count := 0.0, 0
		for i := range quarters {
			if v := whitePart(list[i*n/quarters : (i+1)*n/quarters]); v > 0 {
				sum += v
				count++
			}
		}
		if 2*count <= quarters {
			sum, count = whitePart(list), 1
		}
		if sum == 0 {
			return 0
		}
		found = math.Sqrt(sum / float64(count))
		if margin >= 2*found {
			break
		}
		margin = 2 * found
	}
	return found
}

// lit holds the bands of a block, and its mean brightness in levels.
type lit struct {
	bands
	mean float64
}

// whitePart sorts list and returns the variance, in levels², of white noise in its blocks; 0 if there may be none. In
// the eighth of the blocks with the least coarse, the finest band must be about as strong as middle, across and down,
// and one block in twenty, of all, must have a finest band as weak as such noise would have by chance.
func whitePart(list []lit) float64 {
	finest := make([]float64, len(list))
	for i, b := range list {
		finest[i] = b.bands[4]
	}
	slices.Sort(finest)
	sortBy(list, func(b lit) uint64 { return math.Float64bits(b.coarse()) })
	var sum bands
	quiet := max(quietLeast, len(list)/8)
	for _, b := range list[:quiet] {
		for k, v := range b.bands {
			sum[k] += v
		}
	}
	most, least := max(sum[1], sum[2], sum[3]), min(sum[1], sum[2], sum[3]) // of middle, across and down
	if sum[4] < whitest*whitest*most || least < patterned*patterned*sum[4] {
		return 0 // finest is too weak, or too strong
	}
	found := sum[4] / float64(quiet)
	floor := finest[len(finest)/20] / (chiSquared * chiSquared)
	if floor < floorLeast*floorLeast*found || floor > floorMost*floorMost*found {
		return 0
	}
	return found
}

// bandOf has the index of the band of each frequency, by rows, as a digit; a space if it is in no band.
const bandOf = " 00  222" + "000  222" + "00111222" + "  111   " + "  111   " + "333  444" + "333  444" + "333  444"

// bands returns the mean square, in levels², of each band of each block. Low has 7 coefficients, yet is divided by 9.
func (c *coefficients) bands() []bands {
	all := make([]bands, len(c[0]))
	for i, list := range c {
		for block := 0; block < len(list) && bandOf[i] != ' '; block++ {
			all[block][bandOf[i]-'0'] += float64(float64(list[block]) * float64(list[block]))
		}
	}
	for i := range all {
		for k := range all[i] {
			all[i][k] /= 9 * 256 * 256 // 9 coefficients in units of 1/256 of a level
		}
	}
	return all
}
