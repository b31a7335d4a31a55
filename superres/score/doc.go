// Package score measures how well a picture was restored: PSNR, SSIM and the normalised squared error, and the
// protocols that define on which samples they are taken, so that figures can be compared with published ones.
//
// [Reduce] makes the low-resolution picture that a protocol begins with, and a [Protocol] scores its enlargement;
// [Compare] returns all measures at once, [Differ] says how far two pictures are apart in levels of colour.
//
// protocol.go defines the protocols, score.go computes the measures.
package score
