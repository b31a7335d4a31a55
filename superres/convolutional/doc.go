// Package convolutional has two stages, each a small network of convolutions: one adds a residual to the enlarged
// brightness of a picture, the other to its enlarged colour. Package learning below this one trains them.
//
// network.go describes a network in float32, the form that training changes. A stage computes the same network in
// integers, so that all machines give the same bits and a file can be checked for overflow:
//
//   - quantise.go rounds a network to integers and proves that no sum can overflow;
//   - net.go is the rounded network and its form in a file; stage.go and colour.go make stages of it;
//     grain.go keeps the residual off areas that vary no more than camera noise does;
//   - run.go takes a picture through the layers, a few rows at a time;
//   - the arithmetic is in package kernel: Convolve, ConvolveTwoRows, ConvolveFourRows and Residual.
//
// Note: products are of 16-bit integers. On Set5, a network that reaches 37.17 dB in float32 changes by 0.0005 dB.
// Weights and activations of 8 bits, rounded without further training, lose 0.008 dB or more, and are no faster on
// processors without VNNI. The chain of 3×3 layers uses Winograd's tiles instead, with fewer products.
package convolutional
