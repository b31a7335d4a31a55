// Package resample enlarges and reduces planes by interpolation, and degrades pictures as models are
// trained to undo.
//
// A [Kernel] is an interpolation by its name; [Resize] applies it to a whole plane, a
// [Scaler] to some rows at a time. A [Degradation] is the reduction that a model is for.
//
// resample.go defines any kernel and size in float64; polyphase.go is the same for bicubic by 2, 3 and 4
// in float32, within 1e-6, which nearly all pictures need; degradation.go reduces with them.
package resample
