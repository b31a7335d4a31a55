// Package degrade degrades pictures as happens before people get them: by blur, sharpening, noise, and the
// files in which they were saved. Networks are trained and tested with it. All random numbers come from a
// source that the caller gives; the same numbers give the same samples on one kind of processor.
//
// The degradations are those that K. Zhang and others (Designing a practical degradation model for deep blind
// image super-resolution, ICCV 2021, arXiv:2103.14006) found to matter: blur, then, in any order, sharpening, noise,
// dithering, and one or two files.
package degrade
