// Package degrade degrades pictures as they are before people get them: by blur, sharpening, noise, and
// the files that they were saved as. Networks are trained and tested with it. All random numbers come
// from a given source, and the same numbers give the same samples on one kind of machine.
//
// The degradations and their order are those that K. Zhang and others (Designing a practical
// degradation model for deep blind image super-resolution, ICCV 2021, arXiv:2103.14006) found to
// matter, in one order alone: blur, sharpening, noise, one or two files.
package degrade
