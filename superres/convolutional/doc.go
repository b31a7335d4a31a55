// Package convolutional has a stage that adds to an enlargement the residual that a small network of
// convolutions finds, and another for colour. It registers both as "convolutional"; see package
// stage. Package learning below it trains them.
//
// network.go is the network in float32, which training changes. A net computes it in integers, so
// that all machines make the same bits and a file can be checked:
//
//   - quantise.go rounds a network to integers, and proves that no sum can overflow;
//   - net.go is the result, and its file; stage.go and colour.go are what a model has, and grain.go
//     leaves the grain of flat places as it was;
//   - run.go takes a picture through the layers, some rows a pass;
//   - the products are those of Convolve, ConvolveTwoRows and Residual of package kernel.
//
// Note: products are of 16 bits. On Set5, with a network that reaches 37.17 dB, that changes 0.0005 dB; weights
// and activations of 8 bits, rounded without training anew, lose 0.008 dB with a scale and a zero for each
// channel and 0.018 dB with those of a layer, and are no quicker without VNNI. Instead the chain is made by
// Winograd's tiles of 2×2 outputs (kernel.ConvolveTwoRows), whose sums are the same with fewer products on any
// processor. A row of a layer of 32 channels alone runs at 81 to 87 % of what one core can multiply and add in
// registers on AVX-512 with VNNI, 86 to 89 % on AVX2; by tiles two rows take 0.68 and 0.55 of that time, of 48
// channels 0.61 and 0.53 (BenchmarkConvolve, BenchmarkConvolveTwoRows). The time above the 16/36 that tiles
// could save goes to the input and output transforms, a fifth of all, and to shorter sums.
package convolutional
