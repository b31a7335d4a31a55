// Package coupled is the stage of the paper and its trainer: each low-resolution patch is
// coded over the low half of a dictionary and rebuilt from the high half.
//
// The way of a training matrix: train.go reads the pictures; sample.go degrades them and
// draws pairs of patches at the same places, one stacked signal a pair; a learner of
// package learners finds D = [D_L; D_H]; refit.go makes D_H suit the codes that D_L alone
// gives; recipe.go makes stages of the halves, wherever they come from.
//
// The way of a picture: Apply in stage.go cuts patches, codes them, rebuilds and averages
// them.
package coupled
