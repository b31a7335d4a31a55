// Package score measures how well a picture was restored: PSNR, SSIM and the normalised squared error. Protocols define
// which samples are compared, so that figures can be compared with published figures.
//
// [Reduce] computes the low-resolution picture with which a protocol begins, and a [Protocol] scores its enlargement;
// [Compare] returns all measures at once, and [Differ] how far apart two pictures are in levels of colour.
//
// Programs mean different things by the same names. TestScoresOfScikitImage checks these definitions to the last digit.
// Moments, variances and covariance, are weighted sums, with weights that add up to 1, or sums divided by n or n − 1.
//
//	               samples                      SSIM: weights          moments    border
//	matlab-y       Y of BT.601, rounded,        Gaussian 11×11, σ 1.5  of 1       where the window fits
//	               of grey pictures too
//	matlab-grey    levels of grey pictures,     the same
//	               as they are; else Y
//	ssim_index.m   as given                     the same (Wang 2004)
//	MATLAB ssim    as given                     Gaussian 11×11, σ 1.5  of 1       samples repeated
//	scikit-image   as given, by default         equal, 7×7             of n − 1   where the window fits
//	               with gaussian_weights,       Gaussian 11×11, σ 1.5  of n       where the window fits
//	               use_sample_covariance=False
//
// protocol.go defines the protocols, score.go computes the measures.
package score
