// Package learning trains the stages of package convolutional by gradient descent.
//
// train.go has the options. session.go runs a training: the loop of steps, the reports, and at last the stages, rounded
// from the learned networks. pictures.go reads the training pictures and keeps their brightness in memory beside
// reduced copies; patches.go samples patches from them; degraded.go adds the noise and compression of real files to the
// patches of a robust model. colours.go does all of this for colour, which is learned last. lesson.go trains networks
// for other purposes than to enlarge pictures, and teacher.go has networks that others learn from.
//
// learner.go makes one step, for many patches in parallel: pass.go computes the output of the layers and the gradient
// of the loss for one patch. tiles.go computes layers of 3×3 taps with a quarter of the products. Instead, remote.go
// can have a program with PyTorch make the steps. layer.go has the layout of a layer's parameters in memory, and
// optimiser.go moves the parameters along the gradient. At every interval validation.go scores pictures that are not
// trained on, and checkpoint.go saves the state from which an interrupted run can go on.
package learning
