// Package learning trains the stage of package coupled as the paper does (section 4.2): pairs of low- and
// high-resolution patches at the same positions are stacked, Y = [Y_L; Y_H]; a learner of package learners finds one
// dictionary D = [D_L; D_H] for them, and its halves become the stage.
//
// train.go has the options, the steps from pictures to stages, and the fit of D_H to codes over D_L; sample.go samples.
package learning
