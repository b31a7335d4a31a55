package kernel

import (
	"slices"
	"testing"
)

// winogradFilter returns a random filter that PrepareWinograd accepts, with sums up to 2²⁹.
func winogradFilter(t testing.TB, channels, outputs int, seed uint64) *Filter {
	f := randomFilter(3, 3*channels/2, channels, outputs, 9-channels/32, seed)
	if !f.PrepareWinograd() {
		t.Fatal("a filter of small weights is refused")
	}
	return f
}

func clippedShorts(n int, seed uint64) []int16 {
	v := randomShorts(n, seed)
	for i := range v {
		v[i] = min(max(v[i]/2, -Clip), Clip)
	}
	return v
}

// ConvolveTwoRows gives the same bits as Convolve for each of the two rows, with and without skip.
func TestConvolveTwoRows(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		work := &Winograd{}
		for _, size := range [][2]int{{16, 16}, {32, 32}, {48, 48}, {16, 48}, {64, 16}, {24, 80}, {96, 32}} {
			channels, outputs := size[0], size[1]
			f := winogradFilter(t, channels, outputs, uint64(channels))
			f.Clip, f.SumClip = int16(outputs%48*600), int16(outputs%32*700)
			if most := f.gaussianInput(); Tier() == "avx2" && channels%Lanes == 0 && most < 1000 {
				t.Fatalf("tiles of 4×4 outputs take samples of at most %d", most)
			}
			outputStep, skipStep := outputs+channels%5, outputs+outputs%7
			f.OutputStep, f.SkipStep = outputStep, skipStep
			for _, samples := range []int{30, 48, 49, 50, 95, 96, 97, 98, 191, 200, 331} {
				line := (samples+2)*channels + 3
				src := clippedShorts(6*line, uint64(samples))
				rows := []int{3 * line, 0, 5*line - 2, line + 1}
				to := [2]int{outputStep * (samples + 2), 7}
				for _, skip := range [][]int16{nil, randomShorts(2*samples*skipStep+40, 2)} {
					skipTo := [2]int{5, samples*skipStep + 9}
					dst := randomShorts(2*(samples+2)*outputStep, 5)
					want := slices.Clone(dst)
					ConvolveTwoRows(dst, to, src, rows, samples, f, skip, skipTo, work)
					for i := range 2 {
						var add []int16
						if skip != nil {
							add = skip[skipTo[i]:]
						}
						Convolve(want[to[i]:], src, rows[i:i+3], samples, f, add)
					}
					if !slices.Equal(dst, want) {
						t.Fatalf("%d channels, %d outputs of %d samples differ from a row alone", channels,
							outputs, samples)
					}
				}
			}
		}
	})
}

// ConvolveFourRows gives the same bits as Convolve for each of the rows, with and without skip, and so does
// ConvolveTwoRows, which it uses where samples are too large for its tiles: all of every other picture, a tenth of
// the others.
func TestConvolveFourRows(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		work := &Winograd{}
		for _, size := range [][2]int{{16, 16}, {48, 48}, {64, 16}, {24, 80}} {
			channels, outputs := size[0], size[1]
			f := winogradFilter(t, channels, outputs, uint64(channels))
			f.Clip, f.SumClip = int16(outputs%48*600), int16(outputs%32*700)
			most := int16(f.gaussianInput())
			if Tier() == "avx2" && channels%Lanes == 0 && most < 1000 {
				t.Fatalf("tiles of 4×4 outputs take samples of at most %d", most)
			}
			outputStep, skipStep := outputs+channels%5, outputs+outputs%7
			f.OutputStep, f.SkipStep = outputStep, skipStep
			for _, samples := range []int{30, 48, 49, 97, 191} {
				line := (samples+2)*channels + 3
				src := clippedShorts(8*line, uint64(samples))
				for i := range src[:8*line*9/10*(samples%2)] {
					src[i] = max(min(src[i], most), -most)
				}
				rows := []int{3 * line, 0, 5*line - 2, line + 1, 6 * line, 4 * line}
				row := outputStep * (samples + 2)
				to := [4]int{row, 7, 3 * row, 2 * row}
				for _, skip := range [][]int16{nil, randomShorts(4*samples*skipStep+40, 2)} {
					skipTo := [4]int{5, samples*skipStep + 9, 2*samples*skipStep + 13, 3*samples*skipStep + 19}
					dst := randomShorts(4*(samples+2)*outputStep, 5)
					want := slices.Clone(dst)
					ConvolveFourRows(dst, to, src, rows, samples, f, skip, skipTo, work)
					for i := range 4 {
						var add []int16
						if skip != nil {
							add = skip[skipTo[i]:]
						}
						Convolve(want[to[i]:], src, rows[i:i+3], samples, f, add)
					}
					if !slices.Equal(dst, want) {
						t.Fatalf("%d channels, %d outputs of %d samples differ from a row alone", channels,
							outputs, samples)
					}
				}
			}
		}
	})
}

// Weights whose products could be wrong are refused, at the first that is.
func TestPrepareWinogradRefuses(t *testing.T) {
	at := func(change func(f *Filter)) bool {
		f := randomFilter(3, 24, 16, 16, 1, 1)
		for i := range f.Weights {
			f.Weights[i] = 0
		}
		change(f)
		return f.PrepareWinograd()
	}
	corner := func(w int32) bool { return at(func(f *Filter) { f.Weights[0] = w & 0xffff }) }
	if !corner(8191) || !corner(-8192) || corner(8192) || corner(-8193) {
		t.Error("four times a corner is to fit 16 bits, and no less")
	}
	sum := func(w int32) bool {
		return at(func(f *Filter) {
			for y := range 3 {
				for i := range f.Words {
					f.Weights[(y*f.Words+i)*Lanes+5] = w<<16 | w
				}
			}
		})
	}
	if most := int32((1<<29 - 1) / Clip / (9 * 16)); !sum(most) || sum(most+1) {
		t.Error("sums are to fit 29 bits, and no less")
	}
	for name, f := range map[string]*Filter{
		"5×5": randomFilter(5, 40, 16, 16, 1, 1), "of a sample": randomFilter(3, 8, 16, 16, 1, 1),
		"of 4 channels": randomFilter(3, 6, 4, 16, 1, 1),
	} {
		if f.PrepareWinograd() {
			t.Errorf("a filter %s is taken", name)
		}
	}
}
