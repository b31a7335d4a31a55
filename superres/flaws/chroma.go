package flaws

import "superres/internal/picture"

// Files have chroma at half the resolution of luma, and programs enlarge it by a triangle filter: two
// neighbouring samples s and t become (3s+t)/4 and (s+3t)/4. So the two pixels of a sample, c₁ and
// c₂, and their neighbours c₀ and c₃ give the same value for it,
//
//	(3c₁ − c₀)/2 = s = (3c₂ − c₃)/2,
//
// and pixels one further along give two different ones. In chroma that was never subsampled,
// positions of either parity agree as often.
const (
	agree    = 8   // the greatest |3c₁ − c₀ − 3c₂ + c₃| in levels that agrees; rounding leaves a deviation of 3.3
	differ   = 16  // the least that does not agree
	fewVotes = 128 // the least number of positions that agree, in rows and in columns

	// The percentage of the positions that must be of one parity. Of 369 clean pictures, reduced, half have at most
	// 51, one in twenty more than 54 and one 66; of those out of JPEG files half have 76 and more.
	agreement = 73
)

// isSubsampled tells whether the chroma of a picture was subsampled in both directions. Its parts
// begin at even pixels.
func isSubsampled(parts []picture.Picture) bool {
	var across, down [2]int // positions that agree, by their parity
	for _, p := range parts {
		if len(p.Channels) < 3 {
			return false
		}
		w, h := p.Channels[0].W, p.Channels[0].H
		red, green, blue := p.Channels[0].Pix, p.Channels[1].Pix, p.Channels[2].Pix
		// R−G in half of the rows and B−G in the others: brightness has no part in them.
		c := make([]int32, w*h)
		colour := func(i, line int) int32 {
			if line%4 > 1 {
				return level(blue[i]) - level(green[i])
			}
			return level(red[i]) - level(green[i])
		}
		for i := range c {
			c[i] = colour(i, i/w)
		}
		for y := range h {
			votes(&across, c[y*w:(y+1)*w], w, 1)
		}
		for i := range c {
			c[i] = colour(i, i%w)
		}
		for x := range w {
			votes(&down, c[x:], h, w)
		}
	}
	return decided(across) && decided(down)
}

func level(v float32) int32 { return int32(float32(255*v) + 0.5) }

// votes counts the positions, by their parity, at which n values, step apart, agree and their neighbours do not.
func votes(count *[2]int, c []int32, n, step int) {
	off := func(i int) int32 {
		v := 3*(c[i*step]-c[(i+1)*step]) - c[(i-1)*step] + c[(i+2)*step]
		return max(v, -v)
	}
	if n < 5 {
		return
	}
	before := off(1)
	for i := 2; i+2 < n; i++ {
		now := off(i)
		switch {
		case now <= agree && before >= differ:
			count[i%2]++
		case before <= agree && now >= differ:
			count[(i-1)%2]++
		}
		before = now
	}
}

// decided tells whether enough of the positions are of one parity.
func decided(count [2]int) bool {
	all := count[0] + count[1]
	return all >= fewVotes && 100*max(count[0], count[1]) >= agreement*all
}
