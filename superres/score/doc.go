// Package score tells how well a picture was restored: PSNR, SSIM and the normalised squared error, and the
// protocols that say of what, so that figures can be compared with those of others.
//
// [Reduce] makes the low-resolution picture that a protocol begins with, a [Protocol] scores what became of it;
// [Compare] has all measures at once, [Differ] says how far two pictures are apart in levels of colour.
//
// The way through: protocol.go says what is measured, score.go measures it.
package score
