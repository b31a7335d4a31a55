package flaws

import "superres/internal/picture"

// Files keep colour at half the resolution of brightness, and programs enlarge it by a triangle
// filter: of two samples s and t that lie side by side come (3s+t)/4 and (s+3t)/4. So the two
// pixels of a sample and those beside them tell the same of it,
//
//	(3c₁ − c₀)/2 = s = (3c₂ − c₃)/2,
//
// where pixels that lie one further tell two things of a sample that there is not. Colour that
// was never halved agrees as often in one place as in the other.
const (
	agree  = 8   // levels that 3c₁ − c₀ − 3c₂ + c₃ is off by at most: rounding leaves a deviation of 3.3
	differ = 16  // levels that it is off by at least where it tells nothing
	places = 128 // that agree, in rows and in columns, for a picture to tell

	// Percent of the places that must be of one parity. Of 369 reduced pictures with nothing wrong
	// half have at most 51, one in twenty more than 54 and one 66; of those out of JPEG files half
	// have 76 and more.
	agreement = 73
)

// halved tells whether the colour of a picture, of which these are parts that begin at even
// pixels, was kept at half the resolution in both directions.
func halved(parts []picture.Picture) bool {
	var across, down [2]int // places that agree, by their parity
	for _, p := range parts {
		if len(p.Channels) < 3 {
			return false
		}
		w, h := p.Channels[0].W, p.Channels[0].H
		red, green, blue := p.Channels[0].Pix, p.Channels[1].Pix, p.Channels[2].Pix
		// Red less green, or blue, of which brightness has no part: each in half of the lines.
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

// votes counts where n values, step apart, agree and those beside them do not.
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

// decided tells whether nearly all places are of one parity.
func decided(count [2]int) bool {
	all := count[0] + count[1]
	return all >= places && 100*max(count[0], count[1]) >= agreement*all
}
