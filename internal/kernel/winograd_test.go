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

// checkRows compares count rows that convolve makes with those of Convolve, one by one, with and without skip. Layers
// have the sizes channels and outputs, rows the lengths. limit may change the samples for a filter.
func checkRows(t *testing.T, count int, sizes [][2]int, lengths []int, limit func(src []int16, samples int, f *Filter),
	convolve func(dst []int16, to, rows []int, src []int16, samples int, f *Filter, skip []int16, skipTo []int),
) {
	for _, size := range sizes {
		channels, outputs := size[0], size[1]
		f := winogradFilter(t, channels, outputs, uint64(channels))
		f.Clip, f.SumClip = int16(outputs%48*600), int16(outputs%32*700)
		if most := f.gaussianInput(); Tier() == "avx2" && channels%Lanes == 0 && most < 1000 {
			t.Fatalf("tiles of 4×4 outputs take samples of at most %d", most)
		}
		outputStep, skipStep := outputs+channels%5, outputs+outputs%7
		f.OutputStep, f.SkipStep = outputStep, skipStep
		for _, samples := range lengths {
			line := (samples+2)*channels + 3
			src := clippedShorts((4+count)*line, uint64(samples))
			limit(src, samples, f)
			rows := []int{3 * line, 0, 5*line - 2, line + 1, 6 * line, 4 * line}[:count+2]
			row := outputStep * (samples + 2)
			to := []int{row, 7, 3 * row, 2 * row}[:count]
			for _, skip := range [][]int16{nil, randomShorts(count*samples*skipStep+40, 2)} {
				step := samples * skipStep
				skipTo := []int{5, step + 9, 2*step + 13, 3*step + 19}[:count]
				dst := randomShorts(count*row, 5)
				want := slices.Clone(dst)
				convolve(dst, to, rows, src, samples, f, skip, skipTo)
				for i := range count {
					var add []int16
					if skip != nil {
						add = skip[skipTo[i]:]
					}
					Convolve(want[to[i]:], src, rows[i:i+3], samples, f, add)
				}
				if !slices.Equal(dst, want) {
					t.Fatalf("%d channels, %d outputs of %d samples differ from a row alone", channels, outputs,
						samples)
				}
			}
		}
	}
}

// ConvolveTwoRows gives the same bits as Convolve for each of the two rows, with and without skip.
func TestConvolveTwoRows(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		work := &Winograd{}
		checkRows(t, 2, [][2]int{{16, 16}, {32, 32}, {48, 48}, {16, 48}, {64, 16}, {24, 80}, {96, 32}},
			[]int{30, 48, 49, 50, 95, 96, 97, 98, 191, 200, 331}, func([]int16, int, *Filter) {},
			func(dst []int16, to, rows []int, src []int16, samples int, f *Filter, skip []int16, skipTo []int) {
				ConvolveTwoRows(dst, [2]int(to), src, rows, samples, f, skip, [2]int(skipTo), work)
			})
	})
}

// ConvolveFourRows gives the same bits as Convolve for each of the rows, with and without skip, and so does
// ConvolveTwoRows, which it uses where samples are too large for its tiles: all samples of even rows, else a tenth.
func TestConvolveFourRows(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		work := &Winograd{}
		checkRows(t, 4, [][2]int{{16, 16}, {48, 48}, {64, 16}, {24, 80}}, []int{30, 48, 49, 97, 191},
			func(src []int16, samples int, f *Filter) {
				most := int16(f.gaussianInput())
				for i := range src[:len(src)*9/10*(samples%2)] {
					src[i] = max(min(src[i], most), -most)
				}
			},
			func(dst []int16, to, rows []int, src []int16, samples int, f *Filter, skip []int16, skipTo []int) {
				ConvolveFourRows(dst, [4]int(to), src, rows, samples, f, skip, [4]int(skipTo), work)
			})
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
