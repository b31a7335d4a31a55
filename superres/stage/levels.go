package stage

// Levels say how much is wrong with a picture at one place. The zero value stands for nothing. A network that takes
// them is told what to take away.
type Levels struct {
	// Noise and Loss are the standard deviations of noise and of the change by compression, 0 to 1; 1 is 25 levels of
	// 255.
	Noise, Loss float32
	// BlurX, BlurY and BlurXY are the symmetric root of the covariance of a blur before everything else, in units of 2.5
	// samples: the first two 0 to 1, the last −½ to ½.
	BlurX, BlurY, BlurXY float32
	// Sharpening is the amount of an unsharp mask, 0 to 1; 1 is an amount of 1.5.
	Sharpening float32
	// Aliasing is 1 for a picture that was reduced without an antialiasing filter.
	Aliasing float32
}

// LevelCount is the number of Levels.
const LevelCount = 7

// Values returns the levels in the order in which they are declared.
func (l Levels) Values() [LevelCount]float32 {
	return [...]float32{l.Noise, l.Loss, l.BlurX, l.BlurY, l.BlurXY, l.Sharpening, l.Aliasing}
}

// Moved returns the levels of a picture that was transposed, if transposed is true, and then mirrored along one axis, if
// mirrored is true; mirrored along both axes it has the same levels.
func (l Levels) Moved(transposed, mirrored bool) Levels {
	if transposed {
		l.BlurX, l.BlurY = l.BlurY, l.BlurX
	}
	if mirrored {
		l.BlurXY = -l.BlurXY
	}
	return l
}
