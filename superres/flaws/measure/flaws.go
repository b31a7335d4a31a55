package measure

import (
	"math"

	"superres/internal/parallel"
)

// Flaws holds the flaws measured in the samples of a picture. Deviations are standard deviations, in levels (0 to 255).
type Flaws struct {
	// Noise is the deviation of the noise in brightness; 0 if noise is not certain.
	Noise float64
	// Likely is the first estimate of Noise, before uncertain noise is set to 0. It is for a caller that has other
	// evidence of noise, such as a second picture of the same scene.
	Likely float64
	// ColourNoise is the root mean square of the deviations of noise in Cb and in Cr; 0 if noise there is not certain.
	// It is about equal to Noise if the noise of red, green and blue is independent.
	ColourNoise float64
	// Quality is the quality of the JPEG file that changed the picture most, 1 to 100 as libjpeg counts; 0: none found.
	Quality int
	// Loss is the deviation of the error that a JPEG or WebP file introduced.
	Loss float64
	// Subsampled reports whether a file that the picture passed through had chroma at half the resolution of luma in
	// both directions, as most JPEG files do.
	Subsampled bool
	// Palette is the deviation of noise that does as much harm as the palette of a photograph; 0: it has no palette.
	Palette float64
	// Somewhere reports that at least some parts of the picture have noise.
	Somewhere bool
}

// Worst is the deviation, in levels, for a strength of 1.
const Worst = 25

// Strength returns the estimated strength of the degradations, 0 to 1, as stage.Tuning takes it: the deviation of noise
// and loss together, or of a palette, whichever is greater, divided by Worst, in steps of 1/64.
func (f Flaws) Strength() float64 { return f.strengthOf(f.Noise) }

// ColourStrength is Strength with the greater of Noise and ColourNoise as noise, for the network that enlarges colour.
func (f Flaws) ColourStrength() float64 { return f.strengthOf(max(f.Noise, f.ColourNoise)) }

func (f Flaws) strengthOf(noise float64) float64 {
	return RoundStrength(max(math.Sqrt(float64(noise*noise)+float64(f.Loss*f.Loss)), f.Palette) / Worst)
}

// StrengthSteps is the number of steps of a strength from 0 to 1.
const StrengthSteps = 64

// RoundStrength returns s rounded to a multiple of 1/StrengthSteps, at most 1.
func RoundStrength(s float64) float64 { return min(math.Round(StrengthSteps*s)/StrengthSteps, 1) }

// Of returns the flaws of a picture. parts are the results of Parts for the picture, at offsets that are multiples of 8
// samples, and list holds their brightness. quality is the quality of the JPEG file of the picture, or 0.
func Of(parts []Area, list []*Samples, quality int) (f Flaws) {
	subsampled := parallel.Start(func() [2]bool {
		is, isSure := isSubsampled(parts)
		return [2]bool{is, isSure}
	})
	palette := parallel.Start(func() float64 { return EstimatePalette(parts) })
	inColour := parallel.Start(func() float64 { return estimateColourNoise(parts, list) })
	estimate, somewhere := estimateNoise(list, limits)
	f.Somewhere = somewhere
	grid := findGrid(list)
	f.Quality, f.Loss = estimateFile(list, grid, quality)
	chroma := subsampled() // if not sure, it counts only with the loss by a file
	f.Subsampled, f.ColourNoise = chroma[0] && (chroma[1] || f.Loss > 0), inColour()
	f.Noise, f.Likely, f.Palette = confirmNoise(list, grid, estimate, f), estimate, palette()
	return f
}
