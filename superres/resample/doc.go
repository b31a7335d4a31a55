// Package resample enlarges and reduces planes by interpolation, and applies the degradations that models undo.
//
// A [Kernel] names an interpolation; [Resize] applies it to a whole plane, a [Scaler] to some rows at a time. A
// [Degradation] names a reduction that a model undoes.
//
// resample.go handles any kernel and size in float64; polyphase.go computes the most frequent case, bicubic by 2, 3 and
// 4, in float32, with the results of resample.go to within 1e-6; degradation.go reduces with either.
package resample
