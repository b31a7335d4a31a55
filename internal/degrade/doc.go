// Package degrade does to small pictures what happens to them before people have them: blur,
// sharpening, noise, and the files that they were saved as. It is for learning from such
// pictures, and for testing what was learned: everything is drawn from a given source of
// random numbers, and the same draws give the same samples on one kind of machine.
//
// Damage in the order in which it is done is what K. Zhang and others (Designing a practical
// degradation model for deep blind image super-resolution, ICCV 2021, arXiv:2103.14006) found
// to matter, but in one order: blur, sharpening, noise, one or two files.
package degrade
