// Package flaws finds out what is wrong with a picture from its samples alone, and mends what can be mended: see
// Examination. examination.go has all that is done, in its order; steps.go has the steps, and judging.go the limits by
// which they decide.
//
// The packages below it do the work of the steps. Package repair takes out what stands for no part of a picture, and
// undoes masks, blur and sharpening. Package measure finds noise, palettes and the traces of JPEG files. Package
// learned estimates what samples do not prove.
package flaws
