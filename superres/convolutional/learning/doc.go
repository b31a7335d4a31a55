// Package learning trains the stages of package convolutional by gradient descent.
//
// A training goes this way: train.go has the options; session.go reads them into one run: the loop
// of steps, the reports, and at last the stages that are rounded from what was learned.
// pictures.go reads the pictures for brightness and keeps them in memory beside their reductions;
// patches.go samples patches of them; degraded.go puts the degradations of real files into the
// patches of a robust model. colours.go does all of that for colour, which is learned last.
//
// learner.go makes one step of many patches side by side: pass.go takes a patch forward through the layers and
// the gradient of its loss back, layer.go says how the parameters of a layer lie in memory, and optimiser.go
// moves them along the gradient. At every interval validation.go scores pictures that nothing is learned from,
// and checkpoint.go keeps what an interrupted run goes on from.
package learning
