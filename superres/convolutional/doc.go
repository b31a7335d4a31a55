// Package convolutional has a stage that adds what a small network of convolutions finds
// that an enlargement lacks, and another that does so for colour. It registers both as
// "convolutional"; see package stage.
//
// The network is that of network.go, in float32: what learning changes. A net computes it in
// integers, so that all machines find the same bits, and a file can be checked:
//
//   - quantise.go rounds a network to integers, and proves that no sum can overflow;
//   - net.go is what was made of it, and its file; stage.go and colour.go are what a model has,
//     and grain.go what the first leaves as it was;
//   - run.go takes a picture through the layers, some lines at a time;
//   - the products are those of Convolve, ConvolveTwoRows and Residual of package kernel.
//
// The way of a training: train.go has the options and the loop of steps; pictures.go reads
// the pictures, keeps them reduced, and draws patches of them, and teachers.go says what is
// learned of them where there are teachers; step.go makes one step, its
// patches side by side; pass.go takes a patch forward through the layers, and backward.go
// the gradient of its error back; descent.go moves the parameters along the sum of the
// gradients, by orthogonal.go, and averages them; state.go has a layer with all that learning
// needs beside it, and shape.go says how it lies in memory meanwhile. At every
// interval check.go scores pictures that nothing is learned from, silent.go counts channels
// that carry nothing, and checkpoint.go keeps what an interrupted run goes on from.
// quantise.go makes the stage of what was learned. colours.go learns colour at last, of
// pictures that the stage has enlarged.
//
// Note: products are of 16 bits. On Set5, with a network that reaches 37.17 dB, that changes
// 0.0005 dB; weights and activations of 8 bits, rounded without learning anew, lose 0.008 dB
// with a scale and a zero for each channel and 0.018 dB with those of a layer, and are no
// quicker without VNNI. In place of them the chain is made by squares of four samples
// (kernel.ConvolveTwoRows), whose sums are the same and need fewer products anywhere. A row of a
// layer of 32 channels alone runs at 81 to 87 % of what one core can multiply and add in
// registers on AVX-512 with VNNI, 86 to 89 % on AVX2; by squares two rows take 0.68 and 0.55
// of that time, of 48 channels 0.61 and 0.53 (BenchmarkConvolve, BenchmarkConvolveTwo). What
// is left of the 16/36 are the two turns, a fifth of the time, and shorter sums.
package convolutional
