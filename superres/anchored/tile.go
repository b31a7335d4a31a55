package anchored

import (
	"superres/internal/kernel"
	"superres/internal/picture"
)

// The stage works on patches in tiles of up to tileWidth, feature after feature: entry i of
// the patch in column b of a tile lies at i·tileWidth + b, as a float32, then as half of a
// word, an integer of 16 bits. The coordinates z and q of a patch are a row of bytes, patch
// after patch, so that those with the same anchor can be picked out. All that is computed
// of a patch is computed from it alone, so it does not depend on the tile that it falls
// into. Where there are fewer patches than columns the rest of the last vector holds what
// comes after them, and is computed in vain.

// tileWidth is how many patches make a tile: three vectors of AVX-512, whose sums with
// eight others fill the registers.
const tileWidth = 48

// vectors returns how many columns of a tile are computed for w patches: whole vectors.
func vectors(w int) int { return kernel.PadTo(w, kernel.Lanes) }

// filled sets list to up to tileWidth numbers, and repeats the last in the columns that are
// computed in vain.
func filled(list *[tileWidth]int32, numbers []int32) []int32 {
	w := len(numbers)
	copy(list[:], numbers)
	wide := list[:vectors(w)]
	for i := range wide[w:] {
		wide[w+i] = numbers[w-1]
	}
	return wide
}

// padded returns rows×cols numbers with rows of stride entries, the rest 0.
func padded(x []float32, cols, stride int) []float32 {
	out := make([]float32, len(x)/cols*stride)
	for i := range len(x) / cols {
		copy(out[i*stride:], x[i*cols:(i+1)*cols])
	}
	return out
}

// orbits lists the entries of a patch by their orbits, as kernel.Orient wants them.
func orbits(side int) (list []int32) {
	for y := range (side + 1) / 2 {
		for x := y; x < (side+1)/2; x++ {
			for form := range int32(kernel.Orbit) {
				list = append(list, int32(picture.PlaceOf(form, x, y, side, side)))
			}
		}
	}
	return list
}

// scaled returns i·by for the numbers i of a list.
func scaled(list []int32, by int) []int32 {
	out := make([]int32, len(list))
	for i, v := range list {
		out[i] = v * int32(by)
	}
	return out
}

// bucket sorts the numbers 0..len(key)-1 by key, 0 ≤ key < keys, keeping the order
// of equal ones; it returns them, and where the numbers of every key begin.
func bucket(key []int32, keys int, order, start []int32) (sorted, starts []int32) {
	order, start = grown(order, len(key)), grown(start, keys+1)
	clear(start)
	for _, k := range key {
		start[k+1]++
	}
	for k := range keys {
		start[k+1] += start[k]
	}
	for i, k := range key {
		order[start[k]] = int32(i)
		start[k]++
	}
	copy(start[1:], start[:keys]) // each start has become the next one's
	start[0] = 0
	return order, start
}

// grown returns s with n entries, in new memory when it is too small.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
