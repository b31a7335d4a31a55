// Package degrade degrades pictures as they are degraded before people get them: by blur, sharpening, noise, and the
// files in which they were saved. Networks are trained and tested with such pictures. All random numbers come from a
// source that the caller gives; the same numbers give the same samples on one kind of processor.
//
// K. Zhang and others (Designing a practical degradation model for deep blind image super-resolution, ICCV 2021,
// arXiv:2103.14006) found these degradations to matter. Their order: blur, sharpening, noise, salt, dither, files.
package degrade
