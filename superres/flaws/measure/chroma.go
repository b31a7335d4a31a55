package measure

// Files have chroma at half the resolution of luma, and programs enlarge it by a triangle filter: two neighbouring
// samples s and t become (3s+t)/4 and (s+3t)/4. So the two pixels c₁ and c₂ that come from a sample s, with their
// neighbours c₀ and c₃, give the same value for s twice,
//
//	(3c₁ − c₀)/2 = s = (3c₂ − c₃)/2,
//
// and four pixels that begin one pixel further along give two different values. In chroma that was never subsampled,
// even and odd positions agree equally often.
const (
	agree    = 8   // the greatest |3c₁ − c₀ − 3c₂ + c₃|, in levels, of an agreement; rounding leaves 3.3 on average
	differ   = 16  // the least such value that counts as disagreement
	fewVotes = 128 // the least number of agreeing positions in rows, and in columns, for a decision

	// The percentage of the positions that must be of one parity. Of 369 clean pictures, reduced, half have at most
	// 51, one in twenty more than 54 and one 66; of those out of JPEG files half have 76 and more.
	agreement = 73

	// The percentage that makes it sure where samples of chroma do not begin at the first pixel, as in a picture that
	// somebody cropped. That is rarer, and a red rose that was never subsampled has 81 and 83: it lost 3 dB. Of 167
	// pictures that lost a column, show no other trace of a JPEG file, and reach 73, one in six does not reach 82.
	shifted = 82
)

// isSubsampled reports whether the chroma of a picture, in parts that begin at even pixels, was subsampled both ways,
// and whether that is sure for a picture that shows no other trace of a JPEG file.
func isSubsampled(parts []Area) (is, isSure bool) {
	var across, down [2]int // positions that agree, by their parity
	for _, p := range parts {
		if len(p.Channels) < 3 {
			return false, false
		}
		row := make([]int32, p.Channels[0].W)
		for y := range p.Channels[0].H {
			for x := range row {
				row[x] = p.chroma(y*len(row)+x, y/2)
			}
			votes(&across, row, len(row), 1, 1, len(row))
		}
	}
	if !decided(across, agreement) {
		return false, false
	}
	for _, p := range parts {
		w, h := p.Channels[0].W, p.Channels[0].H
		c := make([]int32, w*h)
		for i := range c {
			c[i] = p.chroma(i, i%w/2)
		}
		votes(&down, c, h, w, w, 1)
	}
	least := agreement
	if across[1] > across[0] || down[1] > down[0] {
		least = shifted
	}
	return decided(down, agreement), decided(across, least) && decided(down, least)
}

// chroma returns R−G of pixel i for an even k, and B−G for an odd one: neither depends on brightness. Half of the rows,
// or columns, have one, the others the other.
func (p Area) chroma(i, k int) int32 {
	return level(p.Channels[k%2*2].Pix[i]) - level(p.Channels[1].Pix[i])
}

func level(v float32) int32 { return int32(float32(255*v) + 0.5) }

// votes adds to count, by parity, the positions on lines of n values, step apart, that agree and whose neighbours do
// not. The lines, of which there are lines, begin apart entries from each other in c.
func votes(count *[2]int, c []int32, n, lines, step, apart int) {
	if n < 5 {
		return
	}
	// How much the values at an entry are off: 0 if they agree, 2 if they differ.
	off := func(at int) (kind uint8) {
		v := 3*(c[at]-c[at+step]) - c[at-step] + c[at+2*step]
		if v = max(v, -v); v > agree {
			kind = 1
		}
		if v >= differ {
			kind = 2
		}
		return kind
	}
	var pairs [2][9]int // by the parity of a position, then by 3 times what is before it and what is there
	if step == 1 {
		for line := range lines {
			before := off(line*apart + 1)
			for i := 2; i+2 < n; i++ {
				now := off(line*apart + i)
				pairs[i%2][3*before+now]++
				before = now
			}
		}
	} else { // by rows, which is faster
		before := make([]uint8, lines)
		for line := range before {
			before[line] = off(line*apart + step)
		}
		for i := 2; i+2 < n; i++ {
			of := &pairs[i%2]
			for line, was := range before {
				now := off(line*apart + i*step)
				of[3*was+now]++
				before[line] = now
			}
		}
	}
	for parity := range pairs {
		count[parity] += pairs[parity][3*2+0]
		count[1-parity] += pairs[parity][3*0+2]
	}
}

// decided reports whether at least least percent of the agreeing positions, if there are enough, are of one parity.
func decided(count [2]int, least int) bool {
	all := count[0] + count[1]
	return all >= fewVotes && 100*max(count[0], count[1]) >= least*all
}
