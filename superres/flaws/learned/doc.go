// Package learned estimates what the samples of a picture do not prove. From traits (traits.go) three perceptrons
// (perceptron.go) have learned how blurred a picture is (correction.go), at which strength a model must work, and which
// models suit it (judge.go); a network of convolutions tells from the samples how it was sharpened (softener.go).
// Package learning makes all of them.
package learned
